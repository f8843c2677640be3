// One view as it was: asked for at the position of the time machine, whatever was asked before is dropped, the newest wins.
import { view as askView } from '../api/client';
import { asFailure, isAbort, type Failure } from '../api/failure';
import { firstPart, isParted } from '../api/parts';
import type { ViewName, ViewPage, ViewParams, ViewRows } from '../api/views';
import { clock } from '../time/clock.svelte';
import { drawn, pictureDrawn } from './picture';

/** A slider that is drawn along asks once it rests this long. */
const REST_MS = 60;
/** Where the server is gone, it is asked again so often. */
const RETRY_MS = 1_000;

export class Past<View extends ViewName> {
  rows: ViewRows[View][] = $state.raw([]);
  position = $state(0);
  at = $state('');
  nMore = $state(0);
  isReady = $state(false);
  /** Whether the rows are the first ones alone, and the others are still to come. */
  isPart = $state(false);
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
      const isWhole = !this.isReady && isParted(this.view) && (await this.#first(position, abort.signal));
      if (!isWhole) this.#put(await askView(this.view, { ...this.params, at: position }, abort.signal), false);
    } catch (thrown) {
      if (isAbort(thrown)) return;
      this.failure = asFailure(thrown);
    }
    this.#abort = null;
    this.isBusy = this.#wanted !== position || this.failure?.isPassing === true;
    if (this.failure?.isPassing) this.#timer = setTimeout(() => this.#begin(), RETRY_MS);
    else if (this.isBusy) this.#begin();
  }

  /** Shows the first rows, and returns whether there are no others. */
  async #first(position: number, signal: AbortSignal): Promise<boolean> {
    const page = await askView(this.view, firstPart(this.params, position), signal);
    this.#put(page, page.n_more > 0);
    await drawn();
    pictureDrawn();
    return page.n_more === 0;
  }

  #put(page: ViewPage<ViewRows[View]>, isPart: boolean): void {
    this.rows = page.rows;
    this.position = page.position;
    this.at = page.at;
    this.nMore = page.n_more;
    this.isPart = isPart;
    this.isReady = true;
    this.failure = null;
    clock.standAt(page.at);
  }
}
