// Page of the live view: shows and steers a run. See docs/live.md.

import {Connection} from './connection.js';
import {Curves} from './curves.js';
import {rateText, shortNumber, timeText} from './numbers.js';
import {PictureView} from './picture.js';
import {SettingFields} from './settings.js';

const $ = id => document.getElementById(id);
const curvesInterval = 250, valueInterval = 60; // ms
const noLimit = 61; // position of the slider

// The token is in the cookie now; it should not stay in the history. In a frame it is part of the path.
history.replaceState(null, '', location.pathname);

let run = null;      // description of the run
let status = null;   // last status
let legend = null;
let shown = -1;      // number of the last picture shown
let asked = 0;       // number of the last request for a frame
let firstOfView = 0; // number of the first request for the present plane
let waitingFrame = null; // frame that the next repaint shows
let place = null;    // place under the pointer
let lastValue = null;
let goal = null;     // step that a recorded run goes to
let isMovingGoal = false;

const picture = new PictureView($('picture'), () => askFrame(true), pointAt);
const curves = new Curves($('curves'));
const fields = new SettingFields($('settings'), (key, value) => send({do: 'set', key, value}));
const connection = new Connection({opened, text, frame, lost});

function send(request) { connection.send(request); }

/// State of the page, for scripts and tests.
window.massLive = {
  frames: 0, bytes: 0, largest: 0, picture, send,
  get run() { return run; }, get status() { return status; }, get frame() { return picture.frame; },
};

// Frames: one may be on its way while another waits for the next repaint.

/// @param isNewView the places or pixels have changed, so the present picture is needed anew
function askFrame(isNewView) {
  if (!run?.hasPicture || !connection?.isOpen || document.hidden) return;
  const request = {do: 'frame', size: picture.size(), reduce: $('reduce').value, after: isNewView ? -1 : shown, id: ++asked};
  const box = picture.box();
  if (box) request.box = box;
  if (slice) request.slice = slice;
  send(request);
}

function frame(header, indices) {
  massLive.bytes += indices.length;
  massLive.largest = Math.max(massLive.largest, indices.length);
  // If the page repaints more slowly than frames come, it asks when it has shown one.
  const isSlow = waitingFrame !== null;
  if (!isSlow) requestAnimationFrame(showFrame);
  waitingFrame = {header, indices, isLate: isSlow};
  if (!isSlow) askNext(header);
}

/// Lists the agents that are points, with their colours.
function showPoints() {
  const classes = picture.points.map(({name, color}) => `${name} ${color}`).join();
  if ($('points').dataset.classes === classes) return;
  $('points').dataset.classes = classes;
  $('points').replaceChildren(...picture.points.map(({name, color}) => legendEntry(name, color, 'disc')));
}

/// Asks for the picture after a frame, unless a request with another view waits for its answer.
function askNext(header) {
  shown = header.number;
  if (header.id === asked) askFrame(false);
}

function showFrame() {
  if (!waitingFrame) return; // of a former run
  const {header, indices, isLate} = waitingFrame;
  waitingFrame = null;
  if (!run || header.id < firstOfView) return; // of a former run or another plane
  const isFirst = !picture.places;
  if (isLate) askNext(header);
  picture.show(header, indices);
  showPoints();
  if (isFirst) {
    askFrame(true);
    enable();
  }
  ++massLive.frames;
  $('picture').setAttribute('aria-label', `picture of ${run.name} at step ${header.step}`);
  if (place) askValue();
}

document.addEventListener('visibilitychange', () => { if (!document.hidden) askFrame(true); });

// Value under the pointer

let valueAsked = 0;
function askValue() {
  const now = performance.now();
  if (!place || now - valueAsked < valueInterval) return;
  valueAsked = now;
  send(slice ? {do: 'value', place, slice} : {do: 'value', place});
}

function pointAt(at) {
  place = at;
  if (at) {
    askValue();
    setTimeout(askValue, valueInterval + 1); // for the place where the pointer stops
  } else {
    lastValue = null;
  }
  showValue();
}

function showValue() {
  if (!place || !lastValue) return $('value').replaceChildren();
  const {value, place: [row, column]} = lastValue, strong = document.createElement('b');
  strong.textContent = value === null ? 'no place'
    : legend?.categories.length > 0 ? legend.categories[value] ?? value
    : typeof value === 'string' ? value : `${shortNumber(value)}${legend?.unit ? ' ' + legend.unit : ''}`;
  $('value').replaceChildren(strong, ` at row ${row}, column ${column}`);
}

// Planes of 3-D places

let slice = null; // axis and position; null: the picture of the run
const positions = []; // last position along each axis

/// Shows the plane that the controls choose. @param isNewAxis its places are others
function chooseSlice(isNewAxis) {
  const axis = Number($('axis').value), last = axis >= 0 ? run.slices[axis] - 1 : 0;
  if (isNewAxis) {
    $('at').max = last;
    $('at').value = positions[axis] ?? 0;
    picture.clear();
    firstOfView = asked + 1;
    lastValue = null;
  }
  $('at').disabled = axis < 0;
  slice = axis >= 0 ? [axis, Number($('at').value)] : null;
  if (slice) positions[axis] = slice[1];
  $('atText').textContent = slice ? `${'zyx'[axis]} = ${slice[1]} of ${last}` : '';
  $('at').setAttribute('aria-valuetext', $('atText').textContent);
  askFrame(true);
}

/// Begins with the picture of another run.
function resetSlice() {
  $('slice').hidden = !run.slices;
  run.slices?.forEach((length, axis) => { positions[axis] = Math.min(positions[axis] ?? length >> 1, length - 1); });
  if (!run.slices) $('axis').value = -1;
  chooseSlice(true);
}

function nextAxis() {
  if (!run?.slices) return;
  $('axis').value = Number($('axis').value) === 2 ? -1 : Number($('axis').value) + 1;
  chooseSlice(true);
}

function moveSlice(distance) {
  if (!slice) return;
  $('at').value = slice[1] + distance;
  chooseSlice(false);
}

// Messages of the program

function opened() {
  $('banner').hidden = true;
}

function lost(reason) {
  status = null;
  $('banner').textContent = reason;
  $('banner').hidden = false;
  $('state').textContent = 'not connected';
  $('state').dataset.state = 'off';
  $('frames').textContent = $('rate').textContent = '–';
  document.title = `${run?.name ?? 'MASS'} – not connected`;
  enable();
}

function text(message) {
  ({run: begin, status: showStatus, legend: showLegend, value: message => { lastValue = message; showValue(); },
    curves: message => curves.add(message), hash: showHash, note: message => note(message.text, message.isError)}
  )[message.is]?.(message);
}

function begin(message) {
  run = message;
  shown = -1;
  waitingFrame = null;
  legend = null;
  $('legend').replaceChildren();
  $('name').textContent = run.name;
  $('name').title = run.about;
  $('devices').textContent = `${run.devices}, ${run.threads} thread${run.threads === 1 ? '' : 's'}`;
  $('seed').value = run.seed;
  $('hash').textContent = '';
  $('noPicture').hidden = run.hasPicture;
  $('timeFact').hidden = run.timeStep === 1;
  $('curvesCard').hidden = run.columns.length === 0;
  $('settingsCard').hidden = run.settings.length === 0;
  const isProgram = run.host === 'program';
  $('timeline').hidden = run.host !== 'recording';
  $('saveCheckpoint').hidden = $('again').hidden = !isProgram;
  $('end').textContent = run.host === 'caller' ? 'End the call of step' : 'End the program';
  fields.reset(run.settings);
  curves.reset(run.columns);
  resetSlice();
  askCurves();
  enable();
}

const stateTexts = {waiting: 'waiting', running: 'running', paused: 'paused', ended: 'at the last step', idle: 'idle: no steps are made'};

function showStatus(message) {
  status = message;
  if ($('state').dataset.state !== status.state) {
    picture.stays = status.state !== 'running';
    picture.paint();
    $('state').dataset.state = status.state;
    $('state').textContent = stateTexts[status.state];
    $('run').textContent = status.state === 'running' ? 'Pause' : 'Run';
  }
  $('step').textContent = status.step.toLocaleString('en');
  $('last').textContent = ` of ${status.last.toLocaleString('en')}`;
  $('time').textContent = status.time === null ? '–' : timeText(status.time);
  $('rate').textContent = status.state === 'running' ? rateText(status.rate) : '–';
  $('viewers').textContent = status.viewers;
  if (run?.host === 'recording') showTimeline();
  $('progress').value = status.last > 0 ? status.step / status.last : 0;
  document.title = `${run?.name ?? 'MASS'} – ${stateTexts[status.state]}`;
  $('leadText').textContent = status.isOwn ? (status.viewers > 1 ? 'you steer' : '') : status.isLed ? 'another page steers' : 'nobody steers';
  $('lead').hidden = !(status.isOwn ? status.viewers > 1 : !status.isLed);
  $('lead').textContent = status.isOwn ? 'Hand over' : 'Steer';
  if (document.activeElement !== $('speed')) showSpeed(status.limit);
  fields.show(status.values);
  enable();
}

/// Shows the step of a recorded run on the slider, unless that is being moved.
function showTimeline() {
  [$('goal').min, $('goal').max] = [run.first, status.last];
  curves.mark(status.step);
  if (status.step === goal) goal = null;
  if (goal === null && !isMovingGoal) $('goal').value = status.step;
  $('goalText').textContent = Number($('goal').value).toLocaleString('en');
}

/// Enables the controls of the viewer who steers.
function enable() {
  const maySteer = status?.isOwn ?? false, isAtEnd = status?.state === 'ended';
  for (const id of ['run', 'one', 'count', 'speed', 'saveCheckpoint', 'askHash', 'seed', 'end', 'goal', 'back']) $(id).disabled = !maySteer;
  for (const id of ['run', 'one']) $(id).disabled ||= isAtEnd;
  $('many').querySelector('button').disabled = !maySteer || isAtEnd;
  $('again').querySelector('button').disabled = !maySteer;
  $('savePicture').disabled = !picture.frame;
  if (status?.step === run?.first) $('back').disabled = true;
  fields.enable(maySteer && run?.host !== 'recording');
}

function showLegend(message) {
  legend = message;
  picture.setPalette(legend.palette);
  const color = index => `#${legend.palette.slice(6 * index, 6 * index + 6)}`;
  if (legend.categories.length > 0) {
    $('legend').replaceChildren(...legend.categories.map((name, index) => legendEntry(name, color(index), 'square')));
    return;
  }
  const scale = document.createElement('div'), title = document.createElement('strong');
  scale.className = 'scale';
  title.textContent = [legend.name, legend.unit && `(${legend.unit})`].filter(Boolean).join(' ');
  const bar = document.createElement('canvas'), context = bar.getContext('2d');
  bar.width = legend.colors;
  bar.height = 1;
  for (let i = 0; i < legend.colors; ++i) {
    context.fillStyle = color(i);
    context.fillRect(i, 0, 1, 1);
  }
  const marks = [legend.low, (legend.low + legend.high) / 2, legend.high].map(value => {
    const mark = document.createElement('span');
    mark.textContent = shortNumber(value);
    return mark;
  });
  scale.append(title, bar, ...marks);
  $('legend').replaceChildren(scale);
}

function legendEntry(name, color, shape) {
  const entry = document.createElement('span'), sample = document.createElement('i');
  entry.className = 'entry';
  sample.className = shape;
  sample.style.background = color;
  entry.append(sample, name);
  return entry;
}

function showHash(message) {
  $('hash').textContent = `${message.hash} step ${message.step.toLocaleString('en')}`;
}

function note(words, isError) {
  const element = document.createElement('div');
  element.className = isError ? 'note error' : 'note';
  element.textContent = words;
  $('notes').append(element);
  while ($('notes').children.length > 4) $('notes').firstChild.remove();
  setTimeout(() => element.remove(), isError ? 12000 : 5000);
}

// Curves, and the rate of frames

function askCurves() {
  if (run?.columns.length > 0 && !document.hidden)
    send({do: 'curves', generation: curves.generation, from: curves.rows.length});
}
setInterval(askCurves, curvesInterval);

let counted = {frames: 0, time: performance.now()};
setInterval(() => {
  const now = performance.now();
  $('frames').textContent = Math.round((massLive.frames - counted.frames) * 1000 / (now - counted.time));
  counted = {frames: massLive.frames, time: now};
}, 1000);

// Controls

function limitAt(position) {
  return position >= noLimit ? 0 : Number(Math.pow(10, position / 10).toPrecision(2));
}

function showSpeed(limit) {
  $('speed').value = limit > 0 ? Math.min(noLimit - 1, Math.round(10 * Math.log10(limit))) : noLimit;
  $('speedText').textContent = limit > 0 ? `${rateText(limit)} steps/s` : 'none';
  $('speed').setAttribute('aria-valuetext', $('speedText').textContent);
}

function setSpeed(position) {
  const limit = limitAt(Math.min(noLimit, Math.max(0, position)));
  showSpeed(limit);
  send({do: 'limit', rate: limit});
}

function toggle() { send({do: status?.state === 'running' ? 'pause' : 'run'}); }

/// Goes to a step of a recorded run.
function goTo(step) {
  isMovingGoal = false;
  goal = Math.max(run.first, step);
  $('goal').value = goal;
  send({do: 'go', step: goal});
}

function savePicture() {
  if (!picture.frame) return;
  // All places of the last frame, each as a square of pixels, without what the canvas adds.
  const factor = Math.max(1, Math.floor(800 / Math.max(...picture.frame.size)));
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = picture.frame.size.map(length => length * factor);
  const context = canvas.getContext('2d');
  context.imageSmoothingEnabled = false;
  context.drawImage(picture.frameCanvas, 0, 0, canvas.width, canvas.height);
  const name = `${run.name}-${picture.frame.step}.png`;
  canvas.toBlob(blob => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  });
}

$('run').onclick = toggle;
$('one').onclick = () => send({do: 'step', count: 1});
$('many').onsubmit = event => {
  event.preventDefault();
  send({do: 'step', count: Number($('count').value)});
};
$('speed').oninput = () => setSpeed(Number($('speed').value));
$('goal').oninput = () => {
  isMovingGoal = true;
  showTimeline();
};
$('goal').onchange = () => goTo(Number($('goal').value));
$('back').onclick = () => goTo((goal ?? status.step) - 1);
$('timeline').onsubmit = event => event.preventDefault();
$('again').onsubmit = event => {
  event.preventDefault();
  send({do: 'again', seed: Number($('seed').value)});
};
$('saveCheckpoint').onclick = () => send({do: 'checkpoint'});
$('savePicture').onclick = savePicture;
$('askHash').onclick = () => send({do: 'hash'});
$('lead').onclick = () => send({do: status?.isOwn ? 'release' : 'steer'});
$('end').onclick = () => {
  if (run.host !== 'program' || confirm('End the program? It completes its files.')) send({do: 'end'});
};
$('help').onclick = () => $('keys').showModal();
$('reduce').onchange = () => askFrame(true);
$('axis').onchange = () => chooseSlice(true);
$('at').oninput = () => chooseSlice(false);
$('zoomIn').onclick = () => picture.zoomBy(1.5);
$('zoomOut').onclick = () => picture.zoomBy(1 / 1.5);
$('zoomAll').onclick = () => picture.showAll();

const keys = {
  ' ': () => $('run').click(), '.': () => $('one').click(), ',': () => $('back').click(), n: () => $('many').requestSubmit(),
  '[': () => setSpeed(Number($('speed').value) - 3), ']': () => setSpeed(Number($('speed').value) + 3),
  '+': () => picture.zoomBy(1.5), '=': () => picture.zoomBy(1.5), '-': () => picture.zoomBy(1 / 1.5),
  v: nextAxis, PageUp: () => moveSlice(1), PageDown: () => moveSlice(-1),
  0: () => picture.showAll(), s: savePicture, c: () => $('saveCheckpoint').click(), h: () => $('askHash').click(),
  '?': () => $('keys').showModal(),
};
document.addEventListener('keydown', event => {
  if (event.ctrlKey || event.metaKey || event.altKey || $('keys').open) return;
  const target = event.target;
  if (target.matches('input, select, textarea') || (target.matches('button') && event.key === ' ')) return;
  if (!keys[event.key]) return;
  event.preventDefault();
  keys[event.key]();
});
