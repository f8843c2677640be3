import { describe, expect, it } from 'vitest';
import type { BudgetRow } from './rows';
import type { CollisionRow } from './rows-work';
import { rowId } from './views';

describe('the ids of rows', () => {
  it('tell two times that the same actors collide on one file', () => {
    const collision = (positions: number[], actors = ['a', 'b']): CollisionRow => ({
      kind: 'file',
      what: '/src/a.rs',
      actors,
      is_reported: false,
      first_seen: '2026-11-15T08:00:00Z',
      last_seen: '2026-11-15T08:00:01Z',
      positions,
    });
    expect([collision([3, 4]), collision([1, 2]), collision([3, 4, 5], ['a', 'b', 'c'])].map(rowId.collisions)).toEqual([
      'file /src/a.rs 3',
      'file /src/a.rs 1',
      'file /src/a.rs 3',
    ]);
  });

  it('tell budgets that differ in what they allow alone', () => {
    const budget = (more: Partial<BudgetRow>): BudgetRow => ({ mark: 'ok', scope: 'actor', actor: '@a', ...more });
    expect([budget({ unit: 'usd', limit: 2.5 }), budget({ unit: 'usd', limit: 10 }), budget({ limit: 10 })].map(rowId.budgets)).toEqual([
      'actor @a - - - usd 2.5',
      'actor @a - - - usd 10',
      'actor @a - - - -',
    ]);
  });
});
