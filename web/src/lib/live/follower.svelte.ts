// One view followed by the whole page: however many panels show it, there is one connection.
// It streams where a slot is free and asks every few seconds where none is. What comes is put together once a frame.
import { address } from '../api/address';
import { view as askView } from '../api/client';
import { asFailure, isAbort, type Failure } from '../api/failure';
import { firstPart, isParted } from '../api/parts';
import { Stream } from '../api/stream';
import { rowId, type ViewChange, type ViewName, type ViewParams, type ViewRows } from '../api/views';
import { clock } from '../time/clock.svelte';
import { NOTHING, apply, rowsOf, type Shown } from './apply';
import { link } from './link.svelte';
import { pause } from './pause';
import { drawn, firstPicture, pictureDrawn } from './picture';
import { takeSlot } from './slots';

/** How often it asks where it cannot stream. */
const ASK_EVERY_MS = 2_000;
/** And where nobody looks at the tab, but something has to be known all the same. */
const ASK_HIDDEN_EVERY_MS = 15_000;

/** Behind by less than this is how records come in quickly, and no reason to doubt a figure. */
const BEHIND_MAX = 1_000;

/** How closely a view is followed. One that is not in sight begins when the first picture is there. */
export type Closeness = 'stream' | 'ask-seldom' | 'none';

/** A change, or the first rows, which were only asked for: `all` where there are no others, `part` where others are to come. */
type Pending<Row> = ViewChange<Row> & { first?: 'all' | 'part' };

export class Follower<View extends ViewName> {
  rows: ViewRows[View][] = $state.raw([]);
  /** The position the rows are of; 0 before the first answer. */
  position = $state(0);
  at = $state('');
  nMore = $state(0);
  isReady = $state(false);
  /** Whether the rows are the first ones alone, and the others are still to come. */
  isPart = $state(false);
  failure: Failure | null = $state.raw(null);

  #shown: Shown<ViewRows[View]> = NOTHING;
  #pending: Pending<ViewRows[View]>[] = [];
  #frame = 0;
  #closeness: Closeness = 'none';
  /** Says that it has come into sight, and need not wait any more. */
  #look: (() => void) | null = null;
  /** Ends whatever is under way. */
  #stop: (() => void) | null = null;

  constructor(
    readonly key: string,
    readonly view: View,
    readonly params: ViewParams,
  ) {}

  /** Follows it so closely from now on. */
  follow(closeness: Closeness, isInSight = true): void {
    if (isInSight) this.#look?.();
    if (closeness === this.#closeness) return;
    this.#closeness = closeness;
    this.#stop?.();
    this.#stop = null;
    if (closeness === 'none') {
      cancelAnimationFrame(this.#frame);
      this.#frame = 0;
      this.#pending = [];
      link.forget(this.key);
      return;
    }
    link.tell(this.key, 'connecting');
    const abort = new AbortController();
    this.#stop = () => abort.abort();
    void (closeness === 'stream' ? this.#begin(abort.signal, isInSight) : this.#ask(abort.signal, ASK_HIDDEN_EVERY_MS));
  }

  async #begin(signal: AbortSignal, isInSight: boolean): Promise<void> {
    if (!isInSight) {
      await new Promise<void>((resolve) => {
        this.#look = resolve;
        void firstPicture.then(resolve);
      });
    }
    if (!this.isReady && isParted(this.view)) await this.#first(signal);
    await firstPicture;
    if (!signal.aborted) await this.#streamOrAsk(signal);
  }

  /** Shows the first rows: all of them take longer, and nobody sees more than these at once. */
  async #first(signal: AbortSignal): Promise<void> {
    try {
      const page = await askView(this.view, firstPart(this.params), signal);
      const rows = page.rows.map((row) => ({ id: rowId[this.view](row), row }));
      if (!signal.aborted) this.#take({ ...page, is_whole: true, first: page.n_more > 0 ? 'part' : 'all', rows, gone: [] });
      await drawn();
    } catch (thrown) {
      if (!isAbort(thrown)) this.#lost(asFailure(thrown));
    }
    pictureDrawn();
  }

  async #streamOrAsk(signal: AbortSignal): Promise<void> {
    const release = await takeSlot();
    if (signal.aborted) release?.();
    else if (release === null) await this.#ask(signal, ASK_EVERY_MS);
    else this.#stream(signal, release);
  }

  #stream(signal: AbortSignal, release: () => void): void {
    const stream = new Stream({
      address: () => address(`/v1/views/${this.view}/stream`, { ...this.params }),
      // Rows also change by time alone, so that the whole page is taken anew: the id says only which records were seen.
      isResumed: false,
      event: ({ event, data }) => {
        if (event === 'rows') this.#take(JSON.parse(data) as ViewChange<ViewRows[View]>);
      },
      state: (state, failure) => {
        if (state === 'lost') this.#lost(failure);
        else if (state === 'connecting') link.tell(this.key, 'connecting');
      },
    });
    const forget = link.whenBack(() => stream.hurry());
    signal.addEventListener('abort', () => {
      forget();
      stream.end();
      release();
    });
  }

  /** Asks again and again, until it is told to stop. */
  async #ask(signal: AbortSignal, everyMs: number): Promise<void> {
    while (!signal.aborted) {
      try {
        const page = await askView(this.view, this.params, signal);
        const rows = page.rows.map((row) => ({ id: rowId[this.view](row), row }));
        this.#take({ ...page, is_whole: true, rows, gone: [] });
      } catch (thrown) {
        if (isAbort(thrown)) return;
        this.#lost(asFailure(thrown));
      }
      await pause(everyMs, signal);
    }
  }

  #lost(failure: Failure | null): void {
    this.failure = failure;
    link.tell(this.key, 'lost', failure);
  }

  #take(change: Pending<ViewRows[View]>): void {
    // What a whole page replaces is of no use any more, and neither piles up while frames do not come.
    if (change.is_whole) this.#pending = [];
    this.#pending.push(change);
    if (change.first !== undefined || document.visibilityState === 'hidden') this.#paint();
    else this.#frame ||= requestAnimationFrame(() => this.#paint());
  }

  #paint(): void {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    const changes = this.#pending;
    const last = changes.at(-1);
    if (last === undefined) return;
    this.#pending = [];
    const shown = changes.reduce<Shown<ViewRows[View]>>(apply, this.#shown);
    if (shown !== this.#shown) this.rows = rowsOf(shown);
    this.#shown = shown;
    this.position = last.position;
    this.at = last.at;
    this.nMore = last.n_more;
    this.isPart = last.first === 'part';
    this.isReady = true;
    this.failure = null;
    clock.heard(last.at);
    link.saw(last.position);
    // It is live once it is followed.
    if (last.first === undefined) this.#stand(last.behind ?? 0);
  }

  #stand(behind: number): void {
    const isBehind = behind >= BEHIND_MAX;
    link.tell(this.key, isBehind ? 'catching-up' : 'live', null, isBehind ? behind : 0);
  }
}
