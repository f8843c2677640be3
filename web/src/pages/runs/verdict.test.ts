import { expect, it } from 'vitest';
import type { RunRow } from '../../lib/api/rows-work';
import { budgetOf, stepOf } from './verdict';

const at = '2026-11-16T09:30:00Z';
const run = (more: Partial<RunRow>): RunRow => ({ run: 'r', is_over: false, n_steps_done: 0, n_steps: 0, n_calls: 0, n_failed_calls: 0, first_seen: at, last_seen: at, quiet_ms: 0, ...more });

it('tells a share of a budget, or the amount where it has no limit', () => {
  expect(budgetOf(run({}))).toBeUndefined();
  expect(budgetOf(run({ used: 6, limit: 8 }))).toBe('75%');
  expect(budgetOf(run({ used: 6 }))).toBe('6');
  expect(budgetOf(run({ used: 6, limit: 0 }))).toBe('6');
});

it('names the step that a run is at, also where its plan does not have it', () => {
  const steps = [{ id: 's1', title: 'Find it', status: 'running' as const, is_hard_stop: false }];
  expect(stepOf(run({ step: 's1', steps }))).toBe('Find it');
  expect(stepOf(run({ step: 's2', steps }))).toBe('s2');
  expect(stepOf(run({}))).toBeUndefined();
});
