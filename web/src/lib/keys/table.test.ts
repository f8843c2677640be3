import { expect, it } from 'vitest';
import { KEYS } from './table';

it('gives no key two meanings, and no action two rows', () => {
  const keys = KEYS.flatMap((row) => row.keys);
  expect(new Set(keys).size).toBe(keys.length);
  const actions = KEYS.map((row) => row.action);
  expect(new Set(actions).size).toBe(actions.length);
});

it('leaves the key that begins a way to a page free', () => {
  expect(KEYS.flatMap((row) => row.keys)).not.toContain('g');
});
