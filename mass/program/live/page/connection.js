// WebSocket to the program. Connects again when the program is back.

const longestDelay = 4000; // ms between two attempts

export class Connection {
  /// @param handlers functions opened(), text(message), frame(header, indices), lost(reason)
  constructor(handlers) {
    this.handlers = handlers;
    this.delay = 500;
    this.open();
  }

  /// True if messages reach the program.
  get isOpen() { return this.socket?.readyState === WebSocket.OPEN; }

  /// Sends a request: see mass/program/live/request.hpp.
  send(request) {
    if (this.isOpen) this.socket.send(JSON.stringify(request));
  }

  open() {
    this.socket = new WebSocket(new URL('live', document.baseURI.replace('http', 'ws')));
    this.socket.binaryType = 'arraybuffer';
    this.socket.onopen = () => {
      this.delay = 500;
      this.handlers.opened();
    };
    this.socket.onmessage = event => this.receive(event.data);
    this.socket.onclose = () => this.retry('The program has ended, or cannot be reached.');
  }

  receive(data) {
    if (typeof data === 'string') return this.handlers.text(JSON.parse(data));
    const length = new DataView(data).getUint32(0, true);
    const header = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 4, length)));
    this.handlers.frame(header, new Uint8Array(data, 4 + length));
  }

  /// Asks whether the program is back, which a failed WebSocket does not say.
  retry(reason) {
    this.handlers.lost(reason);
    setTimeout(async () => {
      this.delay = Math.min(longestDelay, 1.5 * this.delay);
      try {
        const response = await fetch('live.css', {cache: 'no-store'});
        if (response.ok) return this.open();
        this.retry('Another run is at this address: open the address that its program has printed.');
      } catch {
        this.retry(reason);
      }
    }, this.delay);
  }
}
