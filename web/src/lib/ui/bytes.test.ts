import { expect, it } from 'vitest';
import { byteOf, idxOf } from './bytes';

it('finds the same place in bytes and in the text', () => {
  const text = 'actor=é 𝒳 ok';
  for (let idx = 0; idx <= text.length; idx++) {
    const isInside = /[\udc00-\udfff]/.test(text[idx] ?? '');
    if (!isInside) expect(idxOf(text, byteOf(text, idx))).toBe(idx);
  }
});

it('takes the beginning of a character for a place inside it, and the end for one beyond it', () => {
  expect(idxOf('é', 1)).toBe(0);
  expect(idxOf('ab', 99)).toBe(2);
});
