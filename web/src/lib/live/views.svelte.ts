// The views that panels show. A panel says which view it needs; this hands out one shared follower for each, and lets go of it
// when nobody needs it. At a position of the past every panel is given the view as it was instead.
import { untrack } from 'svelte';
import type { Failure } from '../api/failure';
import type { ViewName, ViewParams, ViewRows } from '../api/views';
import { machine } from '../time/machine.svelte';
import { Follower } from './follower.svelte';
import { link } from './link.svelte';
import { Past } from './past.svelte';
import { visible } from './visible.svelte';

/** A view as a panel reads it. */
export interface Reading<Row> {
  readonly rows: Row[];
  /** The position that the rows are of. */
  readonly position: number;
  /** How many rows there are beyond these that are not shown. */
  readonly nMore: number;
  /** How many rows there are in all. */
  readonly nAll: number;
  /** Whether the rows are the first ones alone, and the others are on their way: no figure is to be taken from them. */
  readonly isPart: boolean;
  /** Whether there was an answer yet. */
  readonly isReady: boolean;
  /** Whether the rows may not be what they should: the connection is lost, or the past is still being asked for. */
  readonly isStale: boolean;
  readonly failure: Failure | null;
}

/** A page of the server has no more rows than these: as many as `limits.page_rows_max` allows where nothing else is set. */
export const ROWS_MAX = 10_000;

interface Shared {
  key: string;
  follower: Follower<ViewName>;
  past: Past<ViewName>;
  /** How many panels show it. */
  nPanels: number;
  /** How many need it as it is now, also while nobody looks and while the past is shown. */
  nWatchers: number;
  timer?: ReturnType<typeof setTimeout>;
}

/** A page that is left and entered again a moment later finds its view as it was. */
const LINGER_MS = 5_000;

const shared = new Map<string, Shared>();

function share(view: ViewName, params: ViewParams): Shared {
  const key = `${view} ${params.by ?? ''} ${params.limit ?? ''}`;
  const known = shared.get(key);
  if (known !== undefined) return known;
  const made = { key, follower: new Follower(key, view, params), past: new Past(view, params), nPanels: 0, nWatchers: 0 };
  shared.set(key, made);
  return made;
}

/** Brings what is followed in line with who needs it. */
function settle(one: Shared): void {
  const isShown = one.nPanels > 0;
  const isWatched = one.nWatchers > 0;
  if (isShown && machine.at !== null) one.past.show(machine.at);
  else one.past.stop();
  if (!isWatched && (!isShown || machine.at !== null)) one.follower.follow('none');
  else if (visible.isNear) one.follower.follow('stream', isShown);
  else one.follower.follow(isWatched ? 'ask-seldom' : 'none');
  if (!isShown && !isWatched) shared.delete(one.key);
}

function use(one: () => Shared, count: 'nPanels' | 'nWatchers'): void {
  $effect(() => {
    const mine = one();
    clearTimeout(mine.timer);
    mine[count]++;
    return () => {
      mine[count]--;
      clearTimeout(mine.timer);
      mine.timer = setTimeout(() => settle(mine), LINGER_MS);
    };
  });
  $effect(() => {
    const [mine] = [one(), machine.at, visible.isNear];
    untrack(() => settle(mine));
  });
}

/**
 * Follows a view for as long as the component that calls this is there. The parameters may change: give a function.
 * Call it while the component is made, as one calls `$effect`. `takesPart` says whether the first rows alone can be shown, as they
 * can in the view's own order and in no other; where not, it is not ready before all are there.
 */
export function useView<View extends ViewName>(
  view: View,
  params: () => ViewParams = () => ({}),
  takesPart: () => boolean = () => false,
): Reading<ViewRows[View]> {
  const one = $derived.by(() => {
    const { by, limit = ROWS_MAX } = params();
    return untrack(() => share(view, by === undefined ? { limit } : { by, limit }));
  });
  use(() => one, 'nPanels');
  const source = $derived(machine.at === null ? one.follower : one.past);
  const isHeld = $derived(source.isPart && !takesPart());
  return {
    get rows() {
      return (isHeld ? [] : source.rows) as ViewRows[View][];
    },
    get position() {
      return source.position;
    },
    get nMore() {
      return source.isPart ? 0 : source.nMore;
    },
    get nAll() {
      return source.rows.length + source.nMore;
    },
    get isPart() {
      return source.isPart && !isHeld;
    },
    get isReady() {
      return source.isReady && !isHeld;
    },
    get isStale() {
      if (source instanceof Past) return source.isBusy;
      // Whoever cannot reach the server knows of no panel whether it is still so.
      return link.worst.state === 'lost';
    },
    get failure() {
      return source.failure;
    },
  };
}

/** Asks for a view before the page that shows it is there: what has to be loaded for the page comes meanwhile. */
export function warm(view: ViewName): void {
  const one = share(view, { limit: ROWS_MAX });
  if (machine.at === null) one.follower.follow('stream');
  else one.past.show(machine.at);
  one.timer = setTimeout(() => settle(one), LINGER_MS);
}

/** A view as it is now, for whoever counts it or waits for what is new. */
export interface LiveReading<Row> {
  readonly rows: Row[];
  readonly nAll: number;
  /** Whether all rows are there. */
  readonly isWhole: boolean;
}

/** Follows a view as it is now, whatever moment the page shows and whether or not somebody looks: for the inbox. */
export function useLiveView<View extends ViewName>(view: View): LiveReading<ViewRows[View]> {
  const one = share(view, { limit: ROWS_MAX });
  use(() => one, 'nWatchers');
  return {
    get rows() {
      return one.follower.rows as ViewRows[View][];
    },
    get nAll() {
      return one.follower.rows.length + one.follower.nMore;
    },
    get isWhole() {
      return one.follower.isReady && !one.follower.isPart;
    },
  };
}
