// When the records that are held were received: how many in each part of the time between the first and the last. Pure.
import type { LogRecord } from '../../lib/api/answers';

const PARTS = 40;

export interface Spread {
  /** How many in each part, the oldest first. */
  counts: number[];
  /** How long all parts are together. */
  ms: number;
}

const moments = new WeakMap<LogRecord, number>();

/** Reads a time once, however often the records are counted. */
function momentOf(record: LogRecord): number {
  const known = moments.get(record);
  if (known !== undefined) return known;
  const made = Date.parse(record.received ?? '');
  moments.set(record, made);
  return made;
}

/** Counts records that come with the newest first; null where there is no time between them. */
export function spread(records: readonly LogRecord[]): Spread | null {
  const [newest, oldest] = [records[0], records.at(-1)];
  if (newest === undefined || oldest === undefined) return null;
  const [from, to] = [momentOf(oldest), momentOf(newest)];
  if (!(to > from)) return null;
  const counts = new Array<number>(PARTS).fill(0);
  for (const record of records) {
    const part = Math.floor(((momentOf(record) - from) / (to - from)) * PARTS);
    // The last moment belongs to the last part; what has no time is in none.
    const idx = Math.min(Math.max(part, 0), PARTS - 1);
    if (Number.isFinite(part)) counts[idx] = (counts[idx] ?? 0) + 1;
  }
  return { counts, ms: to - from };
}
