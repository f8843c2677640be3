import { describe, expect, it } from 'vitest';
import { Failure } from '../../lib/api/failure';
import type { Subscription } from '../../lib/api/subs';
import { lagOf, readFrom, standingOf, whyNot } from './standing';

const sub = (more: Partial<Subscription> = {}): Subscription => ({ name: 's', state: 'active', progress: { position: 90, delivered: 3, lost: 0 }, dead: 0, ...more });
const live = (acknowledged: number, away = false): Subscription['live'] => ({ acknowledged, delivered: 0, held: 0, busy_sessions: 0, away });

describe('a subscription', () => {
  it('is behind by what it has not dealt with', () => {
    expect(lagOf(sub(), 100)).toBe(10);
    expect(lagOf(sub({ live: live(97)! }), 100)).toBe(3);
    expect(lagOf(sub({ live: live(120)! }), 100)).toBe(0);
  });

  it('stands as the worst of what is known', () => {
    expect(standingOf(sub({ state: 'paused', live: live(1, true)! }), 100)).toBe('paused');
    expect(standingOf(sub({ state: 'unreadable' }), 100)).toBe('unreadable');
    expect(standingOf(sub(), 100)).toBe('stopped');
    expect(standingOf(sub({ live: live(100, true)! }), 100)).toBe('away');
    expect(standingOf(sub({ live: live(100)!, dead: 2 }), 100)).toBe('dead');
    expect(standingOf(sub({ live: live(99)! }), 100)).toBe('behind');
    expect(standingOf(sub({ live: live(100)! }), 100)).toBe('upToDate');
  });
});

describe('an action that failed', () => {
  it('says what is missing where it is not allowed', () => {
    expect(whyNot(new Failure('wrong_scope', 'this needs admin', 403))).toContain('scope admin');
    expect(whyNot(new Failure('no_token', 'no token', 401))).toContain('token');
  });

  it('says whether anything was changed', () => {
    expect(whyNot(new Failure('changed_meanwhile', 'it was changed meanwhile', 409))).toContain('Nothing was changed');
    expect(whyNot(new Failure('behind', 'try again', 503))).toContain('in a moment');
    expect(whyNot(new TypeError('failed to fetch'))).toContain('not known');
  });
});

it('reads where to replay from', () => {
  expect([' start ', '12', '101', '0', '102', 'x', ''].map((text) => readFrom(text, 100))).toEqual(['start', 12, 101, null, null, null, null]);
});
