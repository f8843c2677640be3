// What a judge said, how far a budget is used, and which step a run is at. Pure.
import type { RunRow } from '../../lib/api/rows-work';
import type { Look } from '../../lib/look/status';
import { percent } from '../../lib/time/format';

type Verdict = NonNullable<RunRow['verdict']>;

export const VERDICT: Record<Verdict, Look> = {
  fail: { sign: '✗', tone: 'bad', word: 'fail' },
  pending: { sign: '◌', tone: 'warn', word: 'pending' },
  pass: { sign: '✓', tone: 'good', word: 'pass' },
  skip: { sign: '·', tone: 'faint', word: 'skipped' },
};

export const VERDICTS = Object.keys(VERDICT) as Verdict[];

/** Returns how much of its budget a run has used; the amount itself where nothing says how much it may. */
export function budgetOf(row: RunRow): string | undefined {
  if (row.used === undefined) return undefined;
  return row.limit === undefined || row.limit <= 0 ? String(row.used) : percent(row.used / row.limit);
}

/** Returns the title of the step that a run is at; its id where the plan does not have it. */
export function stepOf(row: RunRow): string | undefined {
  return row.steps?.find((step) => step.id === row.step)?.title ?? row.step;
}
