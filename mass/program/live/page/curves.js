// Curves of the columns of the table, one chart for each.

import {shortNumber} from './numbers.js';

const colors = {light: ['#0a5bc4', '#b34700', '#0b7a53', '#8a3ea8', '#8a6a00', '#a82a5b'],
                dark: ['#7db4ff', '#ffa566', '#5fd3a2', '#d59bf0', '#e6c34d', '#ff8fb6']};

const pad = 5; // of a chart, in pixels of the page
const font = ratio => `${10 * ratio}px system-ui, sans-serif`;

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
    this.pointed = this.marked = null;
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

  /// Marks a step of rows that are known before the run makes it.
  mark(step) {
    if (this.marked === step) return;
    this.marked = step;
    this.paint();
  }

  /// Returns the number of the row at the marked step, or of the last one.
  presentRow() {
    const next = this.marked === null ? -1 : this.steps.findIndex(step => step > this.marked);
    return next < 0 ? this.rows.length - 1 : Math.max(0, next - 1);
  }

  point(event, canvas) {
    const bounds = canvas.getBoundingClientRect(), last = this.steps.length - 1;
    if (last < 1) return;
    const left = this.left ?? 0, x = event.clientX - bounds.left - left;
    const share = Math.min(1, Math.max(0, x / (bounds.width - left)));
    const step = this.steps[0] + share * (this.steps[last] - this.steps[0]);
    let at = this.steps.findIndex(other => other >= step);
    if (at > 0 && step - this.steps[at - 1] < this.steps[at] - step) --at;
    this.pointed = at;
    this.paint();
  }

  paint() {
    this.ranges = this.columns.map((name, column) => this.rangeOf(column));
    this.left = this.labelWidth();
    this.charts.forEach((chart, column) => this.paintChart(chart, column));
  }

  /// Returns the least and the greatest value of a column.
  rangeOf(column) {
    let low = Infinity, high = -Infinity;
    for (const row of this.rows) {
      if (row[column] === null) continue;
      low = Math.min(low, row[column]);
      high = Math.max(high, row[column]);
    }
    return [low, high];
  }

  /// Returns the width of the longest label, so that all charts begin at one position.
  labelWidth() {
    const context = this.charts[0]?.canvas.getContext('2d');
    if (!context) return 0;
    context.font = font(1);
    return Math.max(...this.ranges.flat().map(value => context.measureText(shortNumber(value)).width)) + 2 * pad;
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
    const [low, high] = this.ranges[column];
    const at = this.pointed === null ? this.presentRow() : Math.min(this.pointed, last), present = this.rows[at][column];
    value.textContent = (this.pointed === null ? '' : `step ${this.steps[at].toLocaleString('en')}: `) +
      (present === null ? '–' : shortNumber(present));
    canvas.setAttribute('aria-label', `${name}: ${shortNumber(low)} to ${shortNumber(high)}, now ${value.textContent}`);
    if (!(high >= low)) return;
    const margin = pad * ratio, text = 10 * ratio, left = this.left * ratio;
    const from = this.steps[0], to = this.steps[last];
    context.font = font(ratio);
    const x = step => left + margin + (to > from ? (step - from) / (to - from) : 1) * (width - left - 2 * margin);
    const y = number => height - margin - (high > low ? (number - low) / (high - low) : 0.5) * (height - 2 * margin);
    context.fillStyle = style.getPropertyValue('--faint');
    context.textAlign = 'right';
    context.fillText(shortNumber(high), left - margin, y(high) + (high > low ? 0.8 * text - margin / 2 : 0.4 * text));
    if (high > low) context.fillText(shortNumber(low), left - margin, height - margin / 2);
    context.strokeStyle = style.getPropertyValue('--line');
    context.lineWidth = ratio;
    context.strokeRect(left + ratio / 2, ratio / 2, width - left - ratio, height - ratio);
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
    if (this.marked !== null && this.marked >= from) {
      context.fillStyle = style.getPropertyValue('--ink');
      context.fillRect(x(Math.min(this.marked, to)) - ratio / 2, margin, ratio, height - 2 * margin);
    }
    if (this.pointed === null || present === null) return;
    context.fillStyle = context.strokeStyle;
    context.beginPath();
    context.arc(x(this.steps[at]), y(present), 3.5 * ratio, 0, 2 * Math.PI);
    context.fill();
  }
}
