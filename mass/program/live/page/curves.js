// Curves of the columns of the table, one chart for each.

import {shortNumber} from '/numbers.js';

const colors = {light: ['#0a5bc4', '#b34700', '#0b7a53', '#8a3ea8', '#8a6a00', '#a82a5b'],
                dark: ['#7db4ff', '#ffa566', '#5fd3a2', '#d59bf0', '#e6c34d', '#ff8fb6']};

export class Curves {
  constructor(element) {
    this.element = element;
    this.darkness = window.matchMedia('(prefers-color-scheme: dark)');
    this.darkness.addEventListener('change', () => this.paint());
    new ResizeObserver(() => this.paint()).observe(element);
    this.reset([]);
  }

  /// Removes all rows and makes a chart for each column.
  reset(columns) {
    this.columns = columns;
    this.generation = 0;
    this.steps = [];
    this.rows = [];
    this.charts = columns.map(name => {
      const box = document.createElement('div'), title = document.createElement('h3');
      const canvas = document.createElement('canvas'), value = document.createElement('b');
      const label = document.createElement('span');
      box.className = 'curve';
      label.textContent = name;
      title.append(label, value);
      canvas.setAttribute('role', 'img');
      box.append(title, canvas);
      canvas.addEventListener('pointermove', event => this.point(event, canvas));
      canvas.addEventListener('pointerleave', () => { this.pointed = null; this.paint(); });
      return {box, canvas, value, name};
    });
    this.pointed = null;
    this.element.replaceChildren(...this.charts.map(chart => chart.box));
  }

  /// Adds the rows of an answer. @return true if there were any
  add(answer) {
    if (answer.generation !== this.generation || answer.from !== this.rows.length) {
      this.steps.length = this.rows.length = answer.from;
      this.generation = answer.generation;
    }
    this.steps.push(...answer.steps);
    this.rows.push(...answer.rows);
    if (answer.rows.length > 0) this.paint();
    return answer.rows.length > 0;
  }

  point(event, canvas) {
    const bounds = canvas.getBoundingClientRect(), last = this.steps.length - 1;
    if (last < 1) return;
    const share = Math.min(1, Math.max(0, (event.clientX - bounds.left) / bounds.width));
    const step = this.steps[0] + share * (this.steps[last] - this.steps[0]);
    let at = this.steps.findIndex(other => other >= step);
    if (at > 0 && step - this.steps[at - 1] < this.steps[at] - step) --at;
    this.pointed = at;
    this.paint();
  }

  paint() {
    this.charts.forEach((chart, column) => this.paintChart(chart, column));
  }

  paintChart({canvas, value, name}, column) {
    const ratio = window.devicePixelRatio || 1;
    const width = Math.round(canvas.clientWidth * ratio), height = Math.round(canvas.clientHeight * ratio);
    if (width === 0) return;
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, {width, height});
    const context = canvas.getContext('2d'), style = getComputedStyle(canvas);
    context.clearRect(0, 0, width, height);
    const last = this.rows.length - 1;
    if (last < 0) return;
    let low = Infinity, high = -Infinity;
    for (const row of this.rows) {
      if (row[column] === null) continue;
      low = Math.min(low, row[column]);
      high = Math.max(high, row[column]);
    }
    const at = this.pointed === null ? last : Math.min(this.pointed, last), present = this.rows[at][column];
    value.textContent = (this.pointed === null ? '' : `step ${this.steps[at].toLocaleString('en')}: `) +
      (present === null ? '–' : shortNumber(present));
    canvas.setAttribute('aria-label', `${name}: ${shortNumber(low)} to ${shortNumber(high)}, now ${value.textContent}`);
    if (!(high >= low)) return;
    const pad = 4 * ratio, text = 10 * ratio, from = this.steps[0], to = this.steps[last];
    const x = step => pad + (to > from ? (step - from) / (to - from) : 1) * (width - 2 * pad);
    const y = number => height - pad - (high > low ? (number - low) / (high - low) : 0.5) * (height - 2 * pad);
    context.font = `${text}px system-ui, sans-serif`;
    context.strokeStyle = style.getPropertyValue('--line');
    context.lineWidth = ratio;
    context.strokeRect(ratio / 2, ratio / 2, width - ratio, height - ratio);
    const palette = colors[this.darkness.matches ? 'dark' : 'light'];
    context.strokeStyle = palette[column % palette.length];
    context.lineWidth = 1.6 * ratio;
    context.lineJoin = 'round';
    context.beginPath();
    let isDown = false;
    for (let i = 0; i <= last; ++i) {
      const number = this.rows[i][column];
      if (number === null) { isDown = false; continue; }
      if (isDown) context.lineTo(x(this.steps[i]), y(number)); else context.moveTo(x(this.steps[i]), y(number));
      isDown = true;
    }
    context.stroke();
    this.paintLabels(context, style, {low, high, pad, text, width, height});
    if (this.pointed === null || present === null) return;
    context.fillStyle = context.strokeStyle;
    context.beginPath();
    context.arc(x(this.steps[at]), y(present), 3.5 * ratio, 0, 2 * Math.PI);
    context.fill();
  }

  paintLabels(context, style, {low, high, pad, text, width, height}) {
    const write = (number, baseline) => {
      const label = shortNumber(number), length = context.measureText(label).width;
      context.globalAlpha = 0.8;
      context.fillStyle = style.getPropertyValue('--card');
      context.fillRect(pad, baseline - text, length + pad, text + pad / 2);
      context.globalAlpha = 1;
      context.fillStyle = style.getPropertyValue('--faint');
      context.fillText(label, 1.5 * pad, baseline);
    };
    write(high, pad + text);
    if (high > low) write(low, height - 1.5 * pad);
  }
}
