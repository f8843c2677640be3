import { describe, expect, it } from 'vitest';
import { chipsOf, laneOf, lanes, narrow, troubles } from './board';
import { work } from './testing';

describe('the board', () => {
  it('has what can be begun with in one lane, whatever it is called', () => {
    expect(laneOf(work('a', { is_ready: true }))).toBe('ready');
    expect(laneOf(work('a', { state: 'released', is_ready: true }))).toBe('ready');
  });

  it('has what waits for its parts beside what says that it is blocked', () => {
    expect(laneOf(work('a', { state: 'split', blocked_by: ['b'] }))).toBe('blocked');
    expect(laneOf(work('a', { state: 'blocked' }))).toBe('blocked');
    expect(laneOf(work('a', { state: 'split' }))).toBe('aside');
  });

  it('does not call blocked what somebody is at, or what is done', () => {
    expect(laneOf(work('a', { state: 'working', blocked_by: ['b'] }))).toBe('hands');
    expect(laneOf(work('a', { state: 'done', blocked_by: ['b'] }))).toBe('done');
  });

  it('loses nothing and keeps the order', () => {
    const rows = [work('b', { is_ready: true }), work('x', { state: 'done' }), work('a', { is_ready: true })];
    expect(lanes(rows).ready.map((row) => row.id)).toEqual(['b', 'a']);
    expect(Object.values(lanes(rows)).flat()).toHaveLength(3);
  });

  it('narrows to what its buttons count', () => {
    const rows = [work('a', { is_ready: true }), work('b', { state: 'split', blocked_by: ['a'] }), work('c', { state: 'done', blocked_by: ['a'] })];
    for (const chip of chipsOf(rows)) expect(narrow(rows, chip.word)).toHaveLength(chip.n);
    expect(narrow(rows, '')).toBe(rows);
    expect(narrow(rows, 'nonsense')).toBe(rows);
  });

  it('says what it took, and nothing where it went well', () => {
    expect(troubles(work('a', { n_claims: 1 }))).toBe('');
    expect(troubles(work('a', { n_claims: 2, n_retries: 1, n_failures: 3 }))).toBe('1 retry, 3 failures, 2 claims');
  });
});
