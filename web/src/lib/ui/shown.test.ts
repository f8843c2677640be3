import { expect, it } from 'vitest';
import { countOf, shownOf } from './shown';

const loading = { isReady: false, nAll: 0 };
const part = { isReady: true, isPart: true, nAll: 1_200 };
const whole = { isReady: true, isPart: false, nAll: 1_200 };
const empty = { isReady: true, nAll: 0 };

it('counts nothing before all is there', () => {
  expect([loading, part, whole, empty].map((reading) => countOf(0, reading))).toEqual(['…', '…', '0', '0']);
  expect(countOf(1_200, whole)).toBe('1,200');
});

it('says how many of how many are shown as soon as it is known', () => {
  expect(shownOf(0, loading)).toBe('…');
  expect(shownOf(120, part)).toBe('first 120 of 1,200');
  expect(shownOf(7, whole)).toBe('7 of 1,200');
  expect(shownOf(0, empty)).toBe('0 of 0');
});
