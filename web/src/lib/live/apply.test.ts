import { describe, expect, it } from 'vitest';
import type { ViewChange } from '../api/views';
import { NOTHING, apply, rowsOf, type Shown } from './apply';

type Row = { n: number };

const change = (more: Partial<ViewChange<Row>>): ViewChange<Row> => ({
  view: 'fleet',
  position: 1,
  at: '2026-11-16T09:30:00Z',
  is_whole: false,
  rows: [],
  gone: [],
  n_more: 0,
  ...more,
});
const whole = (...ids: string[]): ViewChange<Row> =>
  change({ is_whole: true, rows: ids.map((id, n) => ({ id, row: { n } })) });

describe('the changes of a view', () => {
  const first: Shown<Row> = apply(NOTHING, whole('a', 'b', 'c'));

  it('begin with all rows, in order', () => {
    expect(first.ids).toEqual(['a', 'b', 'c']);
    expect(rowsOf(first)).toEqual([{ n: 0 }, { n: 1 }, { n: 2 }]);
  });

  it('replace the rows that changed and leave the others as they are', () => {
    const next = apply(first, change({ rows: [{ id: 'b', row: { n: 9 } }] }));
    expect(rowsOf(next)).toEqual([{ n: 0 }, { n: 9 }, { n: 2 }]);
    expect(next.byId.get('a')).toBe(first.byId.get('a'));
  });

  it('take away what is gone and put what moved at its place', () => {
    const next = apply(first, change({ gone: ['a'], rows: [{ id: 'd', row: { n: 4 } }], moved: [{ id: 'd', nth: 0 }, { id: 'c', nth: 1 }] }));
    expect(rowsOf(next)).toEqual([{ n: 4 }, { n: 2 }, { n: 1 }]);
    expect(next.byId.has('a')).toBe(false);
  });

  it('put what is new last where that is its place, and between others', () => {
    const next = apply(first, change({ rows: ['y', 'z'].map((id) => ({ id, row: { n: 7 } })), moved: [{ id: 'y', nth: 1 }, { id: 'z', nth: 4 }] }));
    expect(next.ids).toEqual(['a', 'y', 'b', 'c', 'z']);
  });

  it('leave all as it is where only time or the count of what is not shown has changed', () => {
    expect(apply(first, change({ n_more: 3 }))).toBe(first);
  });

  it('forget everything where all rows come again', () => {
    expect(apply(first, whole('z')).ids).toEqual(['z']);
  });
});
