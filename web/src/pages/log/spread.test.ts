import { expect, it } from 'vitest';
import type { LogRecord } from '../../lib/api/answers';
import { spread } from './spread';

const at = (second: number): LogRecord => ({
  position: second + 1,
  cursor: `s:${second + 1}`,
  received: new Date(Date.UTC(2026, 10, 16, 9, 30, second)).toISOString(),
  event: {},
});

it('counts every record once, the oldest first', () => {
  const found = spread([at(40), at(39), at(1), at(0), at(0)]);
  expect(found?.ms).toBe(40_000);
  expect(found?.counts.reduce((sum, n) => sum + n)).toBe(5);
  expect([found?.counts[0], found?.counts[1], found?.counts.at(-1)]).toEqual([2, 1, 2]);
});

it('is nothing without records, and without time between them', () => {
  expect(spread([])).toBeNull();
  expect(spread([at(1), at(1)])).toBeNull();
});

it('leaves out what has no time', () => {
  const timeless: LogRecord = { position: 2, cursor: 's:2', event: null };
  expect(spread([at(10), timeless, at(0)])?.counts.reduce((sum, n) => sum + n)).toBe(2);
});
