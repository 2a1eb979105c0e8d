// Fields of the settings that may change during a run.

const positions = 400; // of a slider

/// Maps a number to positions of a slider, evenly or, if its value is small, more
/// finely near the low end.
class Scale {
  constructor({low, high, value, type}) {
    // A setting without bounds has a slider around its value.
    this.low = low ?? Math.min(0, 4 * value);
    this.high = high ?? Math.max(4 * Math.abs(value), this.low + 1);
    [low, high] = [this.low, this.high];
    this.isInteger = type === 'integer';
    const share = (value - low) / (high - low);
    this.power = share > 0 && share < 0.1 ? 4 : 1;
  }
  positionOf(value) {
    const share = Math.min(1, Math.max(0, (value - this.low) / (this.high - this.low)));
    return Math.round(positions * Math.pow(share, 1 / this.power));
  }
  valueAt(position) {
    const value = this.low + (this.high - this.low) * Math.pow(position / positions, this.power);
    return this.isInteger ? Math.round(value) : Number(value.toPrecision(3));
  }
}

export class SettingFields {
  /// @param change called with the key and the new value, as texts
  constructor(element, change) {
    this.element = element;
    this.change = change;
    this.fields = new Map();
  }

  /// Makes a field for each setting: see describe() in mass/program/live/answer.hpp.
  reset(settings) {
    this.fields.clear();
    this.element.replaceChildren(...settings.map(setting => this.fieldOf(setting)));
  }

  /// Shows values, except in a field that the user edits.
  show(values) {
    for (const [key, value] of Object.entries(values)) this.fields.get(key)?.show(value);
  }

  enable(isEnabled) {
    for (const input of this.element.querySelectorAll('input, select')) input.disabled = !isEnabled;
  }

  fieldOf(setting) {
    const box = document.createElement('div'), label = document.createElement('label');
    const about = document.createElement('p'), id = `setting-${setting.key}`;
    box.className = 'field';
    label.textContent = setting.key;
    label.htmlFor = id;
    about.className = 'about';
    about.id = `${id}-about`;
    about.textContent = setting.about + (setting.unit ? ` [${setting.unit}]` : '');
    const isNumber = setting.type === 'number' || setting.type === 'integer';
    const inputs = setting.type === 'true or false' ? [this.checkbox(setting)]
      : setting.choices.length > 0 ? [this.choice(setting)]
      : isNumber ? this.number(setting) : [this.text(setting)];
    inputs[0].id = id;
    for (const input of inputs) input.setAttribute('aria-describedby', about.id);
    box.append(label, ...inputs, about);
    return box;
  }

  /// Makes `input` a field. @param get returns its value as text @param set shows a value
  add({key, value}, input, get, set) {
    set(value);
    input.addEventListener('change', () => { if (input.checkValidity()) this.change(key, get()); });
    this.fields.set(key, {show: text => { if (document.activeElement !== input) set(text); }});
    return input;
  }

  input(type) {
    const input = document.createElement('input');
    input.type = type;
    return input;
  }

  checkbox(setting) {
    const input = this.input('checkbox');
    return this.add(setting, input, () => String(input.checked), text => { input.checked = text === 'true'; });
  }

  choice(setting) {
    const input = document.createElement('select');
    input.append(...setting.choices.map(name => new Option(name)));
    return this.add(setting, input, () => input.value, text => { input.value = text; });
  }

  text(setting) {
    const input = this.input('text');
    return this.add(setting, input, () => input.value, text => { input.value = text; });
  }

  number(setting) {
    const input = this.input('number');
    input.step = setting.type === 'integer' ? '1' : 'any';
    input.required = true;
    if (setting.low !== null && !setting.isAbove) input.min = setting.low;
    if (setting.high !== null) input.max = setting.high;
    const slider = this.input('range'), scale = new Scale({...setting, value: Number(setting.value)});
    slider.max = positions;
    slider.setAttribute('aria-label', setting.key);
    slider.addEventListener('input', () => { input.value = scale.valueAt(slider.value); });
    slider.addEventListener('change', () => this.change(setting.key, String(scale.valueAt(slider.value))));
    this.add(setting, input, () => input.value, text => {
      input.value = text;
      if (document.activeElement !== slider) slider.value = scale.positionOf(Number(text));
    });
    input.addEventListener('input', () => { slider.value = scale.positionOf(Number(input.value)); });
    return [input, slider];
  }
}
