// Server-sent events read from bytes: pieces may end anywhere, even inside a character or between CR and LF.
// Text in, events out; no connection is made here.

/** One event of a stream. */
export interface StreamEvent {
  /** What it is; `message` where the server says nothing. */
  event: string;
  data: string;
}

/** What a reader is told while it takes pieces. */
export interface StreamSink {
  event(event: StreamEvent): void;
  /** The id to go on behind; also where it comes without an event. */
  id(id: string): void;
  /** How soon to come again, in milliseconds. */
  retry(ms: number): void;
}

/** Reads one stream. A new connection needs a new reader. */
export class SseReader {
  readonly #decoder = new TextDecoder('utf-8');
  #rest = '';
  #isAfterCr = false;
  #event = '';
  #data: string[] = [];
  #id: string | null = null;

  constructor(private readonly sink: StreamSink) {}

  /** Takes the next bytes. */
  take(bytes: Uint8Array): void {
    let text = this.#decoder.decode(bytes, { stream: true });
    if (text === '') return;
    // A LF that belongs to the CR at the end of the piece before is no line of its own.
    if (this.#isAfterCr && text.startsWith('\n')) text = text.slice(1);
    this.#isAfterCr = text === '' ? false : text.endsWith('\r');
    const lines = text.split(/\r\n|\n|\r/);
    lines[0] = this.#rest + (lines[0] ?? '');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#line(line);
  }

  #line(line: string): void {
    if (line === '') {
      this.#dispatch();
      return;
    }
    const colon = line.indexOf(':');
    if (colon === 0) return;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'data') this.#data.push(value);
    else if (field === 'event') this.#event = value;
    else if (field === 'id' && !value.includes('\0')) this.#id = value;
    else if (field === 'retry' && /^\d+$/.test(value)) this.sink.retry(Number(value));
  }

  #dispatch(): void {
    const [event, data, id] = [this.#event, this.#data, this.#id];
    this.#event = '';
    this.#data = [];
    this.#id = null;
    if (data.length > 0) this.sink.event({ event: event === '' ? 'message' : event, data: data.join('\n') });
    // Only now: whoever is cut off before the end of an event has not seen it.
    if (id !== null) this.sink.id(id);
  }
}
