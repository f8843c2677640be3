import { describe, expect, it } from 'vitest';
import { LINES_SHOWN_MAX, lineDiff, PAIRS_MAX } from './diff';

const SIGNS = { same: ' ', old: '-', new: '+', gap: '@' };
const drawn = (old: string, new_: string): string[] => lineDiff(old, new_).lines.map((line) => SIGNS[line.kind] + line.text);
const numbers = (from: number, to: number): string => Array.from({ length: to - from }, (_, n) => String(from + n)).join('\n');

describe('a diff', () => {
  it('shows what was taken out and put in', () => {
    expect(drawn('a\nb\nc', 'a\nx\nc')).toEqual([' a', '-b', '+x', ' c']);
    expect(drawn('a\nb\nc\nd', 'b\nc\ne\nd')).toEqual(['-a', ' b', ' c', '+e', ' d']);
  });

  it('shows a new file as put in, and an emptied one as taken out', () => {
    expect(drawn('', 'a\nb\n')).toEqual(['+a', '+b']);
    expect(drawn('a\n', '')).toEqual(['-a']);
    expect(drawn('', '')).toEqual([]);
  });

  it('counts both sides', () => {
    expect(lineDiff('a\nb\nc', 'a\nx\ny\nc')).toMatchObject({ nOld: 1, nNew: 2, isRough: false, nCut: 0 });
  });

  it('leaves out what is far from every change', () => {
    const shown = drawn(numbers(0, 30), numbers(0, 30).replace('15', 'x'));
    expect(shown).toEqual(['@12', ' 12', ' 13', ' 14', '-15', '+x', ' 16', ' 17', ' 18', '@11']);
  });

  it('says nothing changed by showing one gap', () => {
    expect(drawn(numbers(0, 9), numbers(0, 9))).toEqual(['@9']);
  });

  it('gives both sides back, whatever they are', () => {
    let seed = 7;
    const word = (): string => 'abcd'[(seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) % 4]!;
    for (let n = 0; n < 200; n++) {
      const [old, new_] = [n % 13, n % 11].map((length) => Array.from({ length }, word).join('\n')) as [string, string];
      const lines = lineDiff(old, new_).lines.filter((line) => line.kind !== 'gap');
      if (lines.length < lineDiff(old, new_).lines.length) continue;
      expect(lines.filter((line) => line.kind !== 'new').map((line) => line.text).join('\n')).toBe(old);
      expect(lines.filter((line) => line.kind !== 'old').map((line) => line.text).join('\n')).toBe(new_);
    }
  });

  it('does not compare more pairs of lines than it may, and shows a part of a long one', () => {
    const side = Math.ceil(Math.sqrt(PAIRS_MAX)) + 1;
    const rough = lineDiff(numbers(0, side), numbers(10_000, 10_000 + side));
    expect(rough).toMatchObject({ isRough: true, nOld: side, nNew: side });
    expect(rough.lines).toHaveLength(LINES_SHOWN_MAX);
    expect(rough.nCut).toBe(2 * side - LINES_SHOWN_MAX);
  });
});
