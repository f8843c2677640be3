// One view as it was: asked for at the position of the time machine, whatever was asked before is dropped, the newest wins.
import { view as askView } from '../api/client';
import { asFailure, isAbort, type Failure } from '../api/failure';
import type { ViewName, ViewParams, ViewRows } from '../api/views';
import { clock } from '../time/clock.svelte';

/** A slider that is drawn along asks once it rests this long. */
const REST_MS = 60;

export class Past<View extends ViewName> {
  rows: ViewRows[View][] = $state.raw([]);
  position = $state(0);
  at = $state('');
  nMore = $state(0);
  isReady = $state(false);
  failure: Failure | null = $state.raw(null);
  /** Whether what is shown is not yet what was asked for. */
  isBusy = $state(false);

  #wanted: number | null = null;
  #abort: AbortController | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    readonly view: View,
    readonly params: ViewParams,
  ) {}

  /** Shows the view as it was at a position. */
  show(position: number): void {
    if (position === this.#wanted) return;
    const isFirst = this.#wanted === null;
    this.#wanted = position;
    this.isBusy = true;
    clearTimeout(this.#timer);
    // A request under way is let go on, so that playing shows something even if answers take longer than steps.
    this.#timer = setTimeout(() => this.#begin(), isFirst ? 0 : REST_MS);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#abort?.abort();
    this.#abort = null;
    this.#wanted = null;
    this.isBusy = false;
  }

  #begin(): void {
    if (this.#abort === null && this.#wanted !== null) void this.#ask(this.#wanted);
  }

  async #ask(position: number): Promise<void> {
    const abort = new AbortController();
    this.#abort = abort;
    try {
      const page = await askView(this.view, { ...this.params, at: position }, abort.signal);
      this.rows = page.rows;
      this.position = page.position;
      this.at = page.at;
      this.nMore = page.n_more;
      this.isReady = true;
      this.failure = null;
      clock.standAt(page.at);
    } catch (thrown) {
      if (isAbort(thrown)) return;
      this.failure = asFailure(thrown);
    }
    this.#abort = null;
    this.isBusy = this.#wanted !== position;
    if (this.isBusy) this.#begin();
  }
}
