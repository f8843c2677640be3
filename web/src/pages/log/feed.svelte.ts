// The records that the log page holds: the newest first, a bounded number, extended backwards on request and forwards live.
import { address } from '../../lib/api/address';
import type { LogRecord, Lost } from '../../lib/api/answers';
import { records as askRecords } from '../../lib/api/client';
import { asFailure, isAbort, type Failure } from '../../lib/api/failure';
import { firstRecords } from '../../lib/api/parts';
import { Stream } from '../../lib/api/stream';
import { link } from '../../lib/live/link.svelte';
import { pause } from '../../lib/live/pause';
import { drawn, pictureDrawn } from '../../lib/live/picture';
import { takeSlot } from '../../lib/live/slots';
import { machine } from '../../lib/time/machine.svelte';

/** Records in memory at most; what goes can be asked for again. */
export const RECORDS_MAX = 5_000;
/** New records are put into the table a few times a second: more often nobody can read. */
const FLUSH_EVERY_MS = 250;
/** How often it asks where it cannot stream, and for how many at once. */
const ASK_EVERY_MS = 1_000;
const ASK_RECORDS = 1_000;
const LINK = 'log';

export class Feed {
  records: LogRecord[] = $state.raw([]);
  isReady = $state(false);
  isLoadingOlder = $state(false);
  failure: Failure | null = $state.raw(null);
  isFollowing = $state(false);
  isLost = $state(false);
  /** New records that wait, because the reader has scrolled away from the top. */
  nHeld = $state(0);
  /** Whether the newest records had to go because so many older ones were asked for. */
  isCut = $state(false);
  /** How many positions could not be read. */
  nLost = $state(0);

  #filter = '';
  #older: string | null = $state.raw(null);
  #incoming: LogRecord[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isHeld = false;
  #isAway = false;
  /** Ends what is followed. */
  #following: AbortController | null = null;
  #abort = new AbortController();

  get hasOlder(): boolean {
    return this.#older !== null;
  }

  /** Begins anew: the newest records that match, up to a position or as they come. */
  async begin(filter: string, at: number | null, isFollowing: boolean): Promise<void> {
    this.end();
    const abort = new AbortController();
    this.#abort = abort;
    this.#filter = filter;
    try {
      // What the log ends with is known before the page is asked for, so that the stream leaves nothing out. What was asked for early
      // was asked for before that: it goes on at the beginning, where there was nothing.
      const last = filter === '' ? 0 : machine.last;
      const page = await askRecords(firstRecords(filter, at), abort.signal);
      this.records = page.records;
      this.#older = page.next?.before ?? null;
      this.nLost = nOf(page.lost);
      this.failure = null;
      this.isReady = true;
      // What comes meanwhile is behind the cursor of what is shown.
      await drawn();
      pictureDrawn();
      if (at === null && isFollowing && !abort.signal.aborted) void this.#follow(String(page.records[0]?.cursor ?? last));
    } catch (thrown) {
      if (isAbort(thrown)) return;
      pictureDrawn();
      this.failure = asFailure(thrown);
      this.records = [];
      this.#older = null;
      this.isReady = false;
    }
  }

  end(): void {
    this.#abort.abort();
    this.#stopFollowing();
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#incoming = [];
    this.nHeld = 0;
    this.isCut = false;
    this.isLost = false;
    this.#isAway = false;
  }

  /** Stops following while nobody looks, and goes on where it was, or anew where too much came meanwhile. */
  look(isLooked: boolean): void {
    if (!isLooked && this.isFollowing) {
      this.#isAway = true;
      this.#stopFollowing();
    } else if (isLooked && this.#isAway) {
      this.#isAway = false;
      const newest = this.#incoming.at(-1) ?? this.records[0];
      if (newest === undefined || machine.last - newest.position > RECORDS_MAX) void this.begin(this.#filter, null, true);
      else void this.#follow(newest.cursor);
    }
  }

  /** Holds new records back, or lets them in. */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld;
    if (!isHeld) this.#flush();
  }

  /** Goes further back. Where that is more than is held, the newest go, and following ends. */
  async older(): Promise<void> {
    if (this.#older === null || this.isLoadingOlder) return;
    this.isLoadingOlder = true;
    try {
      const page = await askRecords({ ...firstRecords(this.#filter, null), before: this.#older }, this.#abort.signal);
      const all = [...this.records, ...page.records];
      if (all.length > RECORDS_MAX) this.#cut();
      this.records = all.slice(-RECORDS_MAX);
      this.#older = page.next?.before ?? null;
      this.nLost += nOf(page.lost);
    } catch (thrown) {
      if (!isAbort(thrown)) this.failure = asFailure(thrown);
    } finally {
      this.isLoadingOlder = false;
    }
  }

  /** What comes from now on would not join on to what is held: nothing more is taken in. */
  #cut(): void {
    this.#stopFollowing();
    this.#incoming = [];
    this.nHeld = 0;
    this.isCut = true;
  }

  #stopFollowing(): void {
    this.#following?.abort();
    this.#following = null;
    this.isFollowing = false;
    link.forget(LINK);
  }

  async #follow(after: string): Promise<void> {
    this.isFollowing = true;
    const abort = new AbortController();
    this.#following = abort;
    link.tell(LINK, 'connecting');
    const release = await takeSlot();
    if (abort.signal.aborted) release?.();
    else if (release === null) await this.#ask(after, abort.signal);
    else this.#listen(after, abort.signal, release);
  }

  #listen(after: string, signal: AbortSignal, release: () => void): void {
    const stream = new Stream({
      address: () => address('/v1/stream', { after, filter: this.#filter }),
      isResumed: true,
      event: ({ event, data }) => {
        if (event === 'message') this.#take(JSON.parse(data) as LogRecord);
        else if (event === 'lost') this.nLost += nOf([JSON.parse(data) as Lost]);
      },
      state: (state, failure) => {
        this.#stand(state === 'open' ? 'live' : state, failure);
        // The place is one of another store, or was pruned: nothing leads on from what is held.
        if (failure?.status === 410) void this.begin(this.#filter, null, true);
      },
    });
    const forget = link.whenBack(() => stream.hurry());
    signal.addEventListener('abort', () => {
      forget();
      stream.end();
      release();
    });
  }

  /** Asks for what came since, again and again: for when every stream that a browser can hold is taken. */
  async #ask(after: string, signal: AbortSignal): Promise<void> {
    let cursor = after;
    while (!signal.aborted) {
      try {
        const page = await askRecords({ filter: this.#filter, after: cursor, limit: ASK_RECORDS }, signal);
        for (const record of page.records) this.#take(record);
        this.nLost += nOf(page.lost);
        cursor = page.next?.after ?? page.records.at(-1)?.cursor ?? cursor;
        this.#stand('live', null);
        if (page.next !== null) continue;
      } catch (thrown) {
        if (isAbort(thrown)) return;
        this.#stand('lost', asFailure(thrown));
      }
      await pause(ASK_EVERY_MS, signal);
    }
  }

  #stand(state: 'connecting' | 'live' | 'lost', failure: Failure | null): void {
    if (state !== 'connecting') this.isLost = state === 'lost';
    link.tell(LINK, state, failure);
  }

  #take(record: LogRecord): void {
    this.#incoming.push(record);
    if (this.#incoming.length > RECORDS_MAX) this.#incoming.shift();
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      if (this.#isHeld) this.nHeld = this.#incoming.length;
      else this.#flush();
    }, FLUSH_EVERY_MS);
  }

  #flush(): void {
    this.nHeld = 0;
    if (this.#incoming.length === 0) return;
    const all = [...this.#incoming.reverse(), ...this.records];
    this.#incoming = [];
    const last = all[RECORDS_MAX - 1];
    if (last !== undefined && all.length > RECORDS_MAX) this.#older = last.cursor;
    this.records = all.slice(0, RECORDS_MAX);
    link.saw(all[0]?.position ?? 0);
  }
}

function nOf(lost: readonly Lost[]): number {
  return lost.reduce((n, { first, last }) => n + last - first + 1, 0);
}
