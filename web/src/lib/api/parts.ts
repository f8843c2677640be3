// What is asked for first. Of views with thousands of rows it is a screen of them, because all of them take longer.
import { asPosition, type PagePlace } from '../route/place';
import { address } from './address';
import type { ViewName, ViewParams } from './views';

/** More than a screen shows, and more than a table draws whole. */
export const FIRST_ROWS = 120;

/** Those that pages show as they come, row by row; of all others a part is of no use. */
const PARTED: ReadonlySet<ViewName> = new Set<ViewName>(['inbox', 'fleet', 'sessions', 'traces', 'decisions', 'errors', 'loops', 'runs']);

export function isParted(view: ViewName): boolean {
  return PARTED.has(view);
}

/** Whether a page shows rows before it has all that it follows. */
export function hasFirst(page: string, view: ViewName | undefined): boolean {
  return page === 'log' || (view !== undefined && isParted(view));
}

/** Returns what to ask for the first rows of a view, now or at a position. */
export function firstPart(params: ViewParams = {}, at?: number): ViewParams & { at?: number | undefined } {
  return { ...params, limit: FIRST_ROWS, ...(at === undefined ? {} : { at }) };
}

/** Returns where a page asks first; undefined where that is not known before it is there. */
export function firstAddress({ page, item, query }: PagePlace, view: ViewName | undefined): string | undefined {
  const at = asPosition(query['at'] ?? '');
  if (page === 'log') return query['filter'] ? undefined : address('/v1/events', firstRecords('', at));
  if (view === undefined || item !== '' || !isParted(view)) return undefined;
  return address(`/v1/views/${view}`, { ...firstPart({}, at ?? undefined) });
}

/** Records that are asked for at once. */
const PAGE_RECORDS = 200;

/** Returns what to ask for the newest records that match, up to a position. */
export function firstRecords(filter: string, at: number | null): { filter: string; limit: number; before: number | undefined } {
  return { filter, limit: PAGE_RECORDS, before: at === null ? undefined : at + 1 };
}
