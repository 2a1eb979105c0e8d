// Canvas of the picture: draws frames, and lets the user zoom and move.

const mostZoom = 64; // pixels of the screen for a place

export class PictureView {
  /// @param canvas element to draw on
  /// @param onView called when other places are visible
  /// @param onPointer called with the place under the pointer, or null
  constructor(canvas, onView, onPointer) {
    this.canvas = canvas;
    this.context = canvas.getContext('2d', {alpha: false});
    this.frameCanvas = document.createElement('canvas');
    this.frameContext = this.frameCanvas.getContext('2d', {alpha: false});
    this.largeCanvas = document.createElement('canvas');
    this.largeContext = this.largeCanvas.getContext('2d', {alpha: false});
    this.palette = new Uint32Array(256).fill(0xff000000);
    this.places = null; // rows and columns of the picture
    this.frame = null;  // header of the last frame
    this.points = [];   // agents of the last frame
    this.zoom = 1;      // 1: all places fit
    this.stays = false; // true if no other picture follows soon
    this.center = [0.5, 0.5]; // row and column in the middle of the canvas, as shares of the picture
    this.onView = onView;
    this.onPointer = onPointer;
    this.addListeners();
    new ResizeObserver(() => this.resize()).observe(canvas);
    this.resize();
  }

  /// Sets the colours. @param hex 256 times rrggbb
  setPalette(hex) {
    for (let i = 0; i < 256; ++i) {
      const color = parseInt(hex.slice(6 * i, 6 * i + 6), 16);
      this.palette[i] = 0xff000000 | (color & 0xff) << 16 | color & 0xff00 | color >> 16;
    }
  }

  /// Forgets the picture, for another run.
  clear() {
    this.frame = this.places = null;
    this.points = [];
    this.paint();
  }

  /// Draws a frame. @param header see toBytes() in mass/program/live/answer.hpp
  show(header, bytes) {
    const [width, height] = header.size;
    if (!this.image || this.image.width !== width || this.image.height !== height) {
      this.frameCanvas.width = width;
      this.frameCanvas.height = height;
      this.image = this.frameContext.createImageData(width, height);
      this.pixels = new Uint32Array(this.image.data.buffer);
    }
    this.unpack(bytes, header.bits);
    this.points = this.pointsOf(header, bytes.subarray(Math.ceil(width * height * header.bits / 8)));
    this.frameContext.putImageData(this.image, 0, 0);
    const isNew = !this.places || this.places[0] !== header.places[0] || this.places[1] !== header.places[1];
    this.frame = header;
    this.places = header.places;
    if (isNew) this.showAll();
    this.paint();
  }

  /// Sets the colours of all pixels. @param bytes indices of `bits` bits each, the first in the lowest bits
  unpack(bytes, bits) {
    const {palette, pixels} = this, mask = (1 << bits) - 1;
    for (let i = 0, byte = 0, left = 0; i < pixels.length; ++i) {
      if (left === 0) {
        left = 8;
        byte = bytes[i * bits >> 3];
      }
      pixels[i] = palette[byte & mask];
      byte >>= bits;
      left -= bits;
    }
  }

  /// Returns the agents of a frame: name, colour, and rows and columns in places.
  pointsOf(header, bytes) {
    const [top, left, rows, columns] = header.box;
    let at = 0;
    return (header.points ?? []).map(({name, color, count}) => {
      const share = () => (bytes[at++] | bytes[at++] << 8) / 65535, positions = [];
      for (let i = 0; i < count; ++i) positions.push([top + share() * rows, left + share() * columns]);
      return {name, color: `#${color}`, positions};
    });
  }

  /// Draws the agents as discs with an edge, so that they differ from the places below.
  paintPoints(top, left, scale) {
    const {context} = this, ratio = window.devicePixelRatio || 1;
    const radius = Math.min(7 * ratio, Math.max(1.5 * ratio, 0.4 * scale));
    for (const {color, positions} of this.points) {
      context.beginPath();
      for (const [row, column] of positions) {
        const x = left + column * scale, y = top + row * scale;
        context.moveTo(x + radius, y);
        context.arc(x, y, radius, 0, 2 * Math.PI);
      }
      context.fillStyle = color;
      context.fill();
      if (radius < 3 * ratio) continue;
      context.lineWidth = ratio;
      context.strokeStyle = '#000';
      context.stroke();
    }
  }

  /// Returns the pixels of the screen for a place.
  scale() {
    if (!this.places) return 1;
    const [rows, columns] = this.places;
    return this.zoom * Math.min(this.canvas.width / columns, this.canvas.height / rows);
  }

  /// Returns the screen position of the picture's upper left corner.
  origin() {
    const scale = this.scale();
    const at = (share, places, pixels) => places * scale <= pixels
      ? Math.round((pixels - places * scale) / 2) : Math.round(pixels / 2 - share * places * scale);
    return [at(this.center[0], this.places[0], this.canvas.height),
            at(this.center[1], this.places[1], this.canvas.width)];
  }

  /// Returns the visible places as [top, left, rows, columns].
  box() {
    if (!this.places) return null;
    const scale = this.scale(), [top, left] = this.origin();
    const range = (origin, places, pixels) => {
      const first = Math.max(0, Math.floor(-origin / scale));
      const last = Math.min(places, Math.ceil((pixels - origin) / scale));
      return [first, Math.max(1, last - first)];
    };
    const [row, rows] = range(top, this.places[0], this.canvas.height);
    const [column, columns] = range(left, this.places[1], this.canvas.width);
    return [row, column, rows, columns];
  }

  /// Returns width and height of the visible part, in pixels of the screen.
  size() {
    const box = this.box(), {width, height} = this.canvas;
    if (!box) return [width, height];
    const scale = this.scale();
    const round = (places, most) => Math.max(1, Math.min(most, Math.round(places * scale)));
    return [round(box[3], width), round(box[2], height)];
  }

  paint() {
    const {context, canvas, frame} = this;
    context.fillStyle = getComputedStyle(canvas).getPropertyValue('--stage') || '#000';
    context.fillRect(0, 0, canvas.width, canvas.height);
    if (!frame) return;
    const scale = this.scale(), [top, left] = this.origin();
    const [row, column] = frame.box, [width, height] = frame.size;
    // The last blocks may be smaller; the canvas ends where the picture does.
    const edge = frame.block * scale;
    context.save();
    context.beginPath();
    context.rect(left, top, this.places[1] * scale, this.places[0] * scale);
    context.clip();
    // Scaling in two steps takes longer, and is for pictures that stay.
    const isSharp = this.stays && edge !== Math.round(edge);
    context.imageSmoothingEnabled = isSharp || edge < 1;
    context.drawImage(isSharp ? this.enlarged(edge) : this.frameCanvas, left + column * scale, top + row * scale, width * edge, height * edge);
    this.paintPoints(top, left, scale);
    context.restore();
  }

  /// Returns the frame with pixels of a whole number of screen pixels, at least `edge`: reduced from
  /// there, all places have one size and sharp edges.
  enlarged(edge) {
    const factor = Math.ceil(edge), [width, height] = this.frame.size;
    if (factor <= 1) return this.frameCanvas;
    const {largeCanvas} = this;
    if (largeCanvas.width !== factor * width || largeCanvas.height !== factor * height)
      Object.assign(largeCanvas, {width: factor * width, height: factor * height});
    this.largeContext.imageSmoothingEnabled = false;
    this.largeContext.drawImage(this.frameCanvas, 0, 0, factor * width, factor * height);
    return largeCanvas;
  }

  resize() {
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.max(1, Math.round(this.canvas.clientWidth * ratio));
    this.canvas.height = Math.max(1, Math.round(this.canvas.clientHeight * ratio));
    this.clampCenter();
    this.paint();
    this.onView();
  }

  /// Returns [row, column] of a position in the window, which may lie outside of the picture.
  positionAt(x, y) {
    const bounds = this.canvas.getBoundingClientRect();
    const ratio = this.canvas.width / bounds.width, scale = this.scale(), [top, left] = this.origin();
    return [((y - bounds.top) * ratio - top) / scale, ((x - bounds.left) * ratio - left) / scale];
  }

  /// Returns the place at a position in the window, or null.
  placeAt(x, y) {
    if (!this.places) return null;
    const place = this.positionAt(x, y).map(Math.floor);
    return place.every((index, axis) => index >= 0 && index < this.places[axis]) ? place : null;
  }

  showAll() {
    this.zoom = 1;
    this.center = [0.5, 0.5];
    this.changed();
  }

  /// Zooms by a factor. @param x, y position in the window that stays where it is
  zoomBy(factor, x, y) {
    if (!this.places) return;
    const bounds = this.canvas.getBoundingClientRect();
    x ??= bounds.left + bounds.width / 2;
    y ??= bounds.top + bounds.height / 2;
    const before = this.positionAt(x, y);
    const most = Math.max(1, mostZoom / (this.scale() / this.zoom));
    this.zoom = Math.min(most, Math.max(1, this.zoom * factor));
    this.clampCenter();
    const after = this.positionAt(x, y);
    for (const axis of [0, 1]) this.center[axis] += (before[axis] - after[axis]) / this.places[axis];
    this.changed();
  }

  /// Moves by shares of the canvas.
  moveBy(down, right) {
    if (!this.places) return;
    const scale = this.scale();
    this.center[0] += down * this.canvas.height / scale / this.places[0];
    this.center[1] += right * this.canvas.width / scale / this.places[1];
    this.changed();
  }

  clampCenter() {
    if (!this.places) return;
    const scale = this.scale(), pixels = [this.canvas.height, this.canvas.width];
    for (const axis of [0, 1]) {
      const half = Math.min(0.5, pixels[axis] / scale / this.places[axis] / 2);
      this.center[axis] = Math.min(1 - half, Math.max(half, this.center[axis]));
    }
  }

  changed() {
    this.clampCenter();
    this.paint();
    this.onView();
  }

  addListeners() {
    const {canvas} = this;
    const pointers = new Map();
    canvas.addEventListener('wheel', event => {
      event.preventDefault();
      this.zoomBy(Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.002)), event.clientX, event.clientY);
      this.onPointer(this.placeAt(event.clientX, event.clientY));
    }, {passive: false});
    canvas.addEventListener('pointerdown', event => {
      canvas.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, event);
    });
    canvas.addEventListener('pointermove', event => {
      const last = pointers.get(event.pointerId);
      if (last) {
        canvas.classList.add('moving');
        const ratio = this.canvas.width / this.canvas.clientWidth;
        if (pointers.size === 2) {
          const other = [...pointers.values()].find(entry => entry.pointerId !== event.pointerId);
          const distance = from => Math.hypot(from.clientX - other.clientX, from.clientY - other.clientY);
          this.zoomBy(distance(event) / Math.max(1, distance(last)), other.clientX, other.clientY);
        } else {
          this.moveBy((last.clientY - event.clientY) * ratio / canvas.height,
                      (last.clientX - event.clientX) * ratio / canvas.width);
        }
        pointers.set(event.pointerId, event);
      }
      this.onPointer(this.placeAt(event.clientX, event.clientY));
    });
    const release = event => {
      pointers.delete(event.pointerId);
      if (pointers.size === 0) canvas.classList.remove('moving');
    };
    canvas.addEventListener('pointerup', release);
    canvas.addEventListener('pointercancel', release);
    canvas.addEventListener('pointerleave', () => this.onPointer(null));
    canvas.addEventListener('dblclick', () => this.showAll());
    canvas.addEventListener('keydown', event => {
      const moves = {ArrowUp: [-.1, 0], ArrowDown: [.1, 0], ArrowLeft: [0, -.1], ArrowRight: [0, .1]};
      if (!moves[event.key]) return;
      event.preventDefault();
      this.moveBy(...moves[event.key]);
    });
    window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.paint());
  }
}
