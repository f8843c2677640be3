// A session's talk while it is read: pages of it around what is in sight, the marks, and what comes. Bounded, however long it is.
import type { Talk, TalkItem } from '../../lib/api/answers';
import { talk as askTalk } from '../../lib/api/client';
import { asFailure, isAbort, type Failure } from '../../lib/api/failure';
import { link } from '../../lib/live/link.svelte';
import { Pages } from './pages';

const PAGE_ITEMS = 200;
/** 24 pages are 4,800 items: some hundred screens. */
const PAGES_MAX = 24;
/** A scroll bar that is drawn along asks where it rests. */
const REST_MS = 40;
const RETRY_MS = 2_000;
/** How far the end of a subagent is looked for. */
const BRANCH_PAGES_MAX = 50;

const NO_MARKS: Talk['marks'] = { errors: [], decisions: [], edits: [], turns: [] };

export class TalkReader {
  nItems = $state(0);
  marks: Talk['marks'] = $state.raw(NO_MARKS);
  isReady = $state(false);
  failure: Failure | null = $state.raw(null);
  /** Whether what is shown is of another moment than it should be. */
  #isOther = $state(false);
  /** Changes whenever a page comes: what reads an item depends on it. */
  #version = $state(0);

  readonly #pages = new Pages<TalkItem>(PAGE_ITEMS, PAGES_MAX);
  readonly #link: string;
  readonly #unhurry: () => void;
  #upto: number | null = null;
  #wanted: number[] = [];
  /** Whether the length of the talk has to be asked for. */
  #needsHead = true;
  #position = 0;
  #abort = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isWorking = false;

  constructor(readonly session: string) {
    this.#link = `talk ${session}`;
    this.#unhurry = link.whenBack(() => this.failure !== null && this.#soon(0));
  }

  get isStale(): boolean {
    return this.#isOther || this.failure !== null || link.worst.state === 'lost';
  }

  /** Reads the talk as it was at a position, or as it is now. */
  begin(upto: number | null): void {
    this.#abort.abort();
    this.#abort = new AbortController();
    this.#isWorking = false;
    this.#upto = upto;
    this.#position = 0;
    this.#isOther = this.isReady;
    this.refresh();
  }

  /** Asks again for what is in sight, because the session went on. */
  refresh(): void {
    this.#pages.spoil();
    this.#needsHead = true;
    this.#soon(0);
  }

  end(): void {
    this.#unhurry();
    this.#abort.abort();
    clearTimeout(this.#timer);
    link.forget(this.#link);
  }

  /** Returns an item if its page is here. */
  item(nth: number): TalkItem | undefined {
    void this.#version;
    return this.#pages.get(nth);
  }

  /** Says which items are in sight. */
  want(nths: readonly number[]): void {
    this.#wanted = [...nths];
    if (this.#missing().length > 0) this.#soon(REST_MS);
  }

  /** Returns where what a subagent did ends: the first item behind it that is not deeper. */
  async branchEnd(head: number, depth: number): Promise<number> {
    let nth = head + 1;
    for (let nPages = 0; nPages < BRANCH_PAGES_MAX && nth < this.nItems; nPages++) {
      const page = Math.floor(nth / PAGE_ITEMS);
      if (this.#pages.get(nth) === undefined) await this.#ask(page);
      for (; nth < Math.min((page + 1) * PAGE_ITEMS, this.nItems); nth++) {
        const item = this.#pages.get(nth);
        if (item === undefined || item.depth <= depth) return nth;
      }
    }
    return nth;
  }

  #missing(): number[] {
    return [...new Set(this.#wanted.flatMap((nth) => this.#pages.missing(nth, nth + 1)))];
  }

  #soon(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#work(), ms);
  }

  /** Asks for one page after the other; whatever is in sight by then comes next. */
  async #work(): Promise<void> {
    if (this.#isWorking) return;
    this.#isWorking = true;
    const { signal } = this.#abort;
    try {
      while (!signal.aborted) {
        const page = this.#missing()[0];
        if (page === undefined && !this.#needsHead) break;
        await this.#ask(page);
      }
    } catch (thrown) {
      if (isAbort(thrown) || signal.aborted) return;
      this.failure = asFailure(thrown);
      if (this.failure.isPassing) {
        link.tell(this.#link, 'lost', this.failure);
        this.#soon(RETRY_MS);
      } else link.forget(this.#link);
    }
    this.#isWorking = false;
  }

  async #ask(page: number | undefined): Promise<void> {
    const { signal } = this.#abort;
    const upto = this.#upto ?? undefined;
    const ask = page === undefined ? { from: 'end' as const, limit: 1 } : { from: page * PAGE_ITEMS, limit: PAGE_ITEMS };
    const answer = await askTalk(this.session, { ...ask, upto }, signal);
    if (signal.aborted) return;
    if (page !== undefined) this.#pages.put(page, answer.items);
    // Answers may overtake each other: what is known later counts.
    if (answer.position >= this.#position) {
      this.#position = answer.position;
      this.nItems = answer.n_items;
      this.marks = answer.marks;
    }
    this.#needsHead = false;
    this.isReady = true;
    this.failure = null;
    this.#isOther = false;
    this.#version++;
    if (this.#upto === null) link.tell(this.#link, 'live');
    else link.forget(this.#link);
  }
}
