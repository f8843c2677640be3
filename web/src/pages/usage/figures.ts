// The figures of usage: what a bar is made of, what all of it comes to, and the days in a row. Pure.
import type { BudgetRow, UsageRow } from '../../lib/api/rows';
import { count, money, short } from '../../lib/time/format';
import type { Tone } from '../../lib/look/status';

export type Measure = 'cost' | 'tokens';

export interface Part {
  key: keyof UsageRow & `${string}_${'usd' | 'tokens'}`;
  title: string;
  tone: Tone;
  /** Whether it is shown in stripes: it is no more than an estimate. */
  isGuess?: boolean;
}

export const PARTS: Record<Measure, readonly Part[]> = {
  cost: [
    { key: 'reported_usd', title: 'reported', tone: 'busy' },
    { key: 'estimated_usd', title: 'estimated by price', tone: 'accent', isGuess: true },
  ],
  tokens: [
    { key: 'input_tokens', title: 'read', tone: 'busy' },
    { key: 'output_tokens', title: 'written', tone: 'accent' },
    { key: 'cache_read_tokens', title: 'read from a cache', tone: 'calm' },
    { key: 'cache_write_tokens', title: 'written to a cache', tone: 'good' },
    { key: 'unsplit_tokens', title: 'not told apart', tone: 'faint' },
  ],
};

export function figure(value: number, measure: Measure): string {
  return measure === 'cost' ? money(value) : short(value);
}

export function partOf(row: UsageRow, part: Part): number {
  return row[part.key] as number;
}

export function whole(row: UsageRow, measure: Measure): number {
  return measure === 'cost' ? row.cost_usd : row.total_tokens;
}

const SUMS = [
  'input_tokens',
  'output_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'unsplit_tokens',
  'total_tokens',
  'cost_usd',
  'reported_usd',
  'estimated_usd',
  'unpriced_tokens',
  'n_reports',
] as const;

/** Returns what rows come to together. */
export function sum(rows: readonly UsageRow[]): UsageRow {
  const all = Object.fromEntries(SUMS.map((key) => [key, 0])) as unknown as UsageRow;
  for (const row of rows) for (const key of SUMS) all[key] += row[key];
  return all;
}

/** Bars that a chart has room for. */
export const BARS_MAX = 12;

export interface Bar {
  /** The row it is of; none for all that had no room. */
  row: UsageRow;
  title: string;
  isRest: boolean;
}

/** Returns the greatest as bars, and all others as one more. */
export function bars(rows: readonly UsageRow[], measure: Measure, none: string): Bar[] {
  const sorted = rows.filter((row) => whole(row, measure) > 0).sort((a, b) => whole(b, measure) - whole(a, measure));
  const isCut = sorted.length > BARS_MAX;
  const shown = sorted.slice(0, isCut ? BARS_MAX - 1 : BARS_MAX).map((row) => ({ row, title: row.name ?? none, isRest: false }));
  const rest = isCut ? sorted.slice(BARS_MAX - 1) : [];
  return rest.length === 0 ? shown : [...shown, { row: sum(rest), title: `${count(rest.length)} others`, isRest: true }];
}

export interface Day {
  /** Its beginning, in seconds since 1970. */
  time: number;
  name: string;
  /** None where nothing was used that day. */
  row: UsageRow | null;
}

const DAY_S = 86_400;
/** Days that a chart has room for. */
export const DAYS_MAX = 366;

/** Returns the days from the first to the last, those without usage too; the newest where there are too many. */
export function days(rows: readonly UsageRow[]): Day[] {
  const known = new Map<number, UsageRow>();
  for (const row of rows) {
    const ms = Date.parse(`${row.name ?? ''}T00:00:00Z`);
    if (Number.isFinite(ms)) known.set(ms / 1_000, row);
  }
  if (known.size === 0) return [];
  const last = Math.max(...known.keys());
  const first = Math.max(Math.min(...known.keys()), last - (DAYS_MAX - 1) * DAY_S);
  const days: Day[] = [];
  for (let time = first; time <= last; time += DAY_S) {
    days.push({ time, name: new Date(time * 1_000).toISOString().slice(0, 10), row: known.get(time) ?? null });
  }
  return days;
}

/** Returns what a stacked chart draws: the times, then the whole, then the whole without its last part, and so on. */
export function stacks(days: readonly Day[], measure: Measure): number[][] {
  const parts = PARTS[measure];
  const upTo = (row: UsageRow | null, n: number): number => (row === null ? 0 : parts.slice(0, n).reduce((sum, part) => sum + partOf(row, part), 0));
  return [days.map((day) => day.time), ...parts.map((_, nth) => days.map((day) => upTo(day.row, parts.length - nth)))];
}

/** Returns the two ends of the chart: the days with half a day on each side, a week at least. */
export function range(days: readonly Day[]): [number, number] {
  const [first, last] = [days[0]?.time ?? 0, days.at(-1)?.time ?? 0];
  return [Math.min(first, last - 6 * DAY_S) - DAY_S / 2, last + DAY_S / 2];
}

/** Returns an amount of a budget in its own unit. */
export function amount(value: number | undefined, unit: BudgetRow['unit']): string {
  if (value === undefined) return '–';
  if (unit === 'usd') return money(value);
  if (unit === 'tokens') return short(value);
  return count(Number(value.toPrecision(3)));
}

/** Returns whose budget it is. */
export function holder(row: BudgetRow): string {
  switch (row.scope) {
    case 'actor':
      return row.actor ?? '–';
    case 'task':
      return row.task ?? '–';
    case 'session':
      return row.session ?? '–';
    case 'day':
      return row.day ?? 'each day';
  }
}
