// An answer that is no view: asked for when a page says so, the newest question wins, and what failed for a moment is asked again.
import { asFailure, isAbort, type Failure } from '../api/failure';
import { link } from './link.svelte';

const RETRY_MS_MIN = 1_000;
const RETRY_MS_MAX = 15_000;

type Load<Answer> = (signal: AbortSignal) => Promise<Answer>;

export class Asked<Answer> {
  answer: Answer | null = $state.raw(null);
  failure: Failure | null = $state.raw(null);
  /** Whether a question is under way. */
  isBusy = $state(false);
  /** Whether what is shown answers another question than the last. */
  #isOther = $state(false);
  #key = '';
  #abort: AbortController | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #retryMs = RETRY_MS_MIN;
  #unhurry: (() => void) | null = null;

  /** `name` tells it from all else that is followed, where the page says whether it is live. */
  constructor(private readonly name: string) {}

  get isReady(): boolean {
    return this.answer !== null;
  }

  get isStale(): boolean {
    return this.#isOther || this.failure !== null || link.worst.state === 'lost';
  }

  /**
   * Asks once it was not asked anything else for so long. What was asked before and has the same key stays true until the answer
   * comes; what has another key is stale at once.
   */
  ask(key: string, load: Load<Answer>, restMs = 0): void {
    if (key !== this.#key) {
      this.#key = key;
      this.#isOther = this.answer !== null;
    }
    this.#retryMs = RETRY_MS_MIN;
    this.#later(load, restMs);
  }

  /** Forgets the answer, as when it was about something else. */
  forget(): void {
    this.end();
    this.answer = null;
    this.failure = null;
    this.#isOther = false;
    this.#key = '';
  }

  end(): void {
    this.#unhurry?.();
    clearTimeout(this.#timer);
    this.#abort?.abort();
    this.#abort = null;
    this.isBusy = false;
    link.forget(this.name);
  }

  #later(load: Load<Answer>, ms: number): void {
    this.#unhurry?.();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#begin(load), ms);
  }

  async #begin(load: Load<Answer>): Promise<void> {
    this.#abort?.abort();
    const abort = new AbortController();
    this.#abort = abort;
    this.isBusy = true;
    try {
      const answer = await load(abort.signal);
      if (abort.signal.aborted) return;
      this.answer = answer;
      this.failure = null;
      this.#isOther = false;
      link.tell(this.name, 'live');
    } catch (thrown) {
      if (isAbort(thrown) || abort.signal.aborted) return;
      this.failure = asFailure(thrown);
      if (this.failure.isPassing) {
        link.tell(this.name, 'lost', this.failure);
        this.#later(load, this.#retryMs);
        this.#retryMs = Math.min(this.#retryMs * 2, RETRY_MS_MAX);
        this.#unhurry = link.whenBack(() => this.#later(load, 0));
      } else link.forget(this.name);
    }
    this.isBusy = false;
    this.#abort = null;
  }
}
