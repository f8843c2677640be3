import { describe, expect, it } from 'vitest';
import { Folds } from './folds';

const shown = (folds: Folds, n: number): number[] => Array.from({ length: n - folds.nHidden }, (_, line) => folds.nthOf(line));

describe('folds', () => {
  it('hide nothing where there are none', () => {
    expect(shown(new Folds(), 4)).toEqual([0, 1, 2, 3]);
  });

  it('hide what stands below their heads', () => {
    expect(shown(new Folds([{ head: 1, end: 4 }, { head: 5, end: 7 }]), 9)).toEqual([0, 1, 4, 5, 7, 8]);
  });

  it('hide what is within another once', () => {
    const folds = new Folds([{ head: 1, end: 8 }, { head: 3, end: 5 }]);
    expect(shown(folds, 10)).toEqual([0, 1, 8, 9]);
    expect(shown(folds.without(1), 10)).toEqual([0, 1, 2, 3, 5, 6, 7, 8, 9]);
  });

  it('lead from an item to its line and back', () => {
    const folds = new Folds([{ head: 1, end: 4 }, { head: 5, end: 7 }]);
    for (const nth of [0, 1, 4, 5, 7, 8]) expect(folds.nthOf(folds.lineOf(nth))).toBe(nth);
    expect([2, 3, 6].map((nth) => folds.nthOf(folds.lineOf(nth)))).toEqual([1, 1, 5]);
  });

  it('open for an item that one wants to see, and not otherwise', () => {
    const folds = new Folds([{ head: 1, end: 8 }, { head: 3, end: 5 }]);
    expect(folds.showing(4).nHidden).toBe(0);
    expect(folds.showing(2).all).toEqual([{ head: 3, end: 5 }]);
    expect(folds.showing(1)).toBe(folds);
  });

  it('say how much they hide', () => {
    const folds = new Folds([{ head: 1, end: 8 }]);
    expect([folds.nBelow(1), folds.nBelow(2), folds.has(1), folds.has(2)]).toEqual([6, null, true, false]);
  });

  it('take a branch that grew anew', () => {
    expect(shown(new Folds([{ head: 0, end: 2 }]).with({ head: 0, end: 3 }), 5)).toEqual([0, 3, 4]);
  });
});
