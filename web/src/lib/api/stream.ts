// One connection to a stream, made again whenever it is lost: with growing, jittered pauses, behind the last id that was seen.
// A stream that says nothing for longer than its heartbeats come is lost too, even if the connection still stands.
import { Failure, asFailure, failureOf, isAbort } from './failure';
import { SseReader, type StreamEvent } from './sse';
import { authorization } from './token';

/** How a connection stands. */
export type StreamState = 'connecting' | 'open' | 'lost';

/** Heartbeats come every 15 seconds; two of them may be late. */
const SILENCE_MS_MAX = 40_000;
const PAUSE_MS_MIN = 500;
const PAUSE_MS_MAX = 15_000;

export interface StreamOptions {
  /** Where to connect, each time anew. */
  address(): string;
  /** Whether the last id is sent when it connects again. */
  isResumed: boolean;
  event(event: StreamEvent): void;
  state(state: StreamState, failure: Failure | null): void;
  /** Called with the last id that came. */
  id?(id: string): void;
}

export class Stream {
  #abort = new AbortController();
  #lastId = '';
  #pauseMs = PAUSE_MS_MIN;
  #isEnded = false;
  #watchdog: ReturnType<typeof setTimeout> | undefined;
  #wake: (() => void) | undefined;

  constructor(private readonly options: StreamOptions) {
    void this.#run();
  }

  /** Ends it for good. */
  end(): void {
    this.#isEnded = true;
    clearTimeout(this.#watchdog);
    this.#abort.abort();
    this.#wake?.();
  }

  /** Connects again at once, instead of at the end of the pause. */
  hurry(): void {
    this.#pauseMs = PAUSE_MS_MIN;
    this.#wake?.();
  }

  async #run(): Promise<void> {
    while (!this.#isEnded) {
      this.options.state('connecting', null);
      const failure = await this.#connect();
      if (this.#isEnded) return;
      this.options.state('lost', failure);
      // A cursor that leads nowhere any more is dropped: the stream begins anew.
      if (failure.status === 410) this.#lastId = '';
      await this.#pause();
    }
  }

  /** Reads until the connection is lost, and says why. */
  async #connect(): Promise<Failure> {
    this.#abort = new AbortController();
    try {
      const resume = this.options.isResumed && this.#lastId !== '' ? { 'Last-Event-ID': this.#lastId } : {};
      const headers = { Accept: 'text/event-stream', ...authorization(), ...resume };
      this.#watch();
      const answer = await fetch(this.options.address(), { headers, cache: 'no-store', signal: this.#abort.signal });
      if (!answer.ok || answer.body === null) return await failureOf(answer);
      this.options.state('open', null);
      await this.#read(answer.body);
      return new Failure('ended', 'The server ended the stream', 0);
    } catch (thrown) {
      return isAbort(thrown) ? new Failure('silent', 'Nothing came for too long', 0) : asFailure(thrown);
    } finally {
      clearTimeout(this.#watchdog);
    }
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    const reader = new SseReader({
      event: (event) => this.options.event(event),
      id: (id) => {
        this.#lastId = id;
        this.options.id?.(id);
      },
      retry: () => {},
    });
    const bytes = body.getReader();
    for (;;) {
      const { done, value } = await bytes.read();
      if (done || this.#isEnded) return;
      this.#pauseMs = PAUSE_MS_MIN;
      this.#watch();
      reader.take(value);
    }
  }

  #watch(): void {
    clearTimeout(this.#watchdog);
    this.#watchdog = setTimeout(() => this.#abort.abort(), SILENCE_MS_MAX);
  }

  async #pause(): Promise<void> {
    const pauseMs = this.#pauseMs * (0.5 + Math.random());
    this.#pauseMs = Math.min(this.#pauseMs * 2, PAUSE_MS_MAX);
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, pauseMs);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = undefined;
  }
}
