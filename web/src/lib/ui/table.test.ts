import { describe, expect, it } from 'vitest';
import { firstSpanOf, nextSort, searchRows, sortRows, spanOf, type Column } from './table';

type Row = { name: string; n?: number };
const columns: Column<Row>[] = [
  { key: 'name', title: 'Name', width: '1fr', sort: (row) => row.name },
  { key: 'n', title: 'N', width: '1fr', sort: (row) => row.n, isDownFirst: true },
];
const rows: Row[] = [{ name: 'b', n: 1 }, { name: 'c' }, { name: 'a', n: 2 }];
const names = (sorted: readonly Row[]): string => sorted.map((row) => row.name).join('');

describe('a table', () => {
  it('sorts either way, and puts what has no value last', () => {
    expect(names(sortRows(rows, columns, { key: 'n', isDown: false }))).toBe('bac');
    expect(names(sortRows(rows, columns, { key: 'n', isDown: true }))).toBe('abc');
    expect(names(sortRows(rows, columns, { key: 'name', isDown: true }))).toBe('cba');
  });

  it('keeps the order of the view without a column to sort by, or with an unknown one', () => {
    expect(sortRows(rows, columns, null)).toBe(rows);
    expect(sortRows(rows, columns, { key: 'x', isDown: true })).toBe(rows);
  });

  it('goes through both ways and back with three clicks', () => {
    const n = columns[1]!;
    const first = nextSort(n, { key: 'name', isDown: true });
    const second = nextSort(n, first);
    expect([first, second, nextSort(n, second)]).toEqual([{ key: 'n', isDown: true }, { key: 'n', isDown: false }, null]);
  });

  it('finds rows by every word, in any column', () => {
    const texts = (row: Row): (string | undefined)[] => [row.name, row.n?.toString()];
    expect(names(searchRows(rows, 'A 2', texts))).toBe('a');
    expect(names(searchRows(rows, 'a 1', texts))).toBe('');
    expect(searchRows(rows, '  ', texts)).toBe(rows);
  });

  it('draws only what is in sight of many rows', () => {
    expect(spanOf(100, 30, 0, 300)).toEqual({ first: 0, end: 100 });
    expect(spanOf(5_000, 30, 0, 300)).toEqual({ first: 0, end: 18 });
    expect(spanOf(5_000, 30, 3_000, 300)).toEqual({ first: 92, end: 118 });
    expect(spanOf(5_000, 30, 5_000 * 30, 300).end).toBe(5_000);
  });

  it('draws nothing else at first, unless it is short', () => {
    expect(firstSpanOf(100, 30, 0, 300)).toEqual({ first: 0, end: 100 });
    expect(firstSpanOf(5_000, 30, 0, 300)).toEqual({ first: 0, end: 10 });
    expect(firstSpanOf(5_000, 30, 3_000, 310)).toEqual({ first: 100, end: 111 });
  });
});
