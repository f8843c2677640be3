import { describe, expect, it } from 'vitest';
import { Failure } from '../../lib/api/failure';
import type { LoopRow } from '../../lib/api/rows-work';
import { COMMANDS, canBe, isOpen, lineOf, waitsFor, whyLocked, whyNot } from './steering';

const row = (more: Partial<LoopRow> = {}): LoopRow => ({
  run: 'loop-1-1',
  state: 'running',
  session: 's 1',
  frames: [],
  since: '2026-11-15T08:00:00Z',
  last_seen: '2026-11-15T08:00:00Z',
  age_ms: 0,
  ...more,
});

describe('a loop', () => {
  it('can be asked for what would change it', () => {
    const open = (state: LoopRow['state']): string[] => COMMANDS.filter((command) => canBe(row({ state }), command));
    expect(open('running')).toEqual(['pause', 'escalate', 'cancel']);
    expect(open('paused')).toEqual(['resume', 'escalate', 'cancel']);
    expect(open('stale')).toEqual(['pause', 'resume', 'escalate', 'cancel']);
    expect((['done', 'aborted', 'replaced', 'paused', 'stale'] as const).map((state) => isOpen(row({ state })))).toEqual([false, false, false, true, true]);
  });

  it('says why it cannot be changed', () => {
    expect(whyLocked(null)).toBeNull();
    expect(whyLocked(7)).toContain('past');
  });

  it('has the command for each wish, and says why it waits', () => {
    expect(lineOf(row(), 'pause')).toBe("weft loop pause --session 's 1'");
    const { session: _session, ...untaken } = row();
    expect(lineOf(untaken, 'pause')).toBe('weft loop pause');
    expect([waitsFor(row()), waitsFor(row({ paused: 'review' })), waitsFor(row({ paused: 'rain' }))]).toEqual([undefined, 'its reviews did not pass', 'rain']);
  });
});

it('says what came of a wish that was not granted', () => {
  expect(whyNot(new Failure('wrong_scope', 'this needs write', 403))).toContain('scope write');
  expect(whyNot(new Failure('invalid_state', 'somebody paused it', 409))).toBe('somebody paused it. Nothing was changed.');
  expect(whyNot(new Failure('changed_meanwhile', 'the loop changes', 409))).toContain('try again');
  expect(whyNot(new TypeError('failed to fetch'))).toContain('not known');
});
