import { describe, expect, it } from 'vitest';
import { age, count, duration, money, moment, percent, short } from './format';

describe('what people read', () => {
  it('has two units of a duration at most', () => {
    const shown = [0, 340, 999, 1_000, 4_250, 59_999, 60_000, 190_000, 7_500_000, 356_400_000].map(duration);
    expect(shown).toEqual(['0ms', '340ms', '999ms', '1.0s', '4.2s', '59s', '1m', '3m 10s', '2h 5m', '4d 3h']);
  });

  it('has an age in whole seconds, and nothing of the future', () => {
    expect([-5, 0, 999, 1_400, 59_000, 61_000].map(age)).toEqual(['now', 'now', 'now', '1s', '59s', '1m 1s']);
  });

  it('never shows a count greater than it is', () => {
    expect([0, 950, 1_000, 12_345, 999_999, 4_567_890].map(short)).toEqual(['0', '950', '1.00k', '12.3k', '999k', '4.56M']);
    expect([0, 999, 1_000, 1_234_567, -1_234, 1_234.5678].map(count)).toEqual(['0', '999', '1,000', '1,234,567', '-1,234', '1,234.5678']);
  });

  it('does not round small amounts of money to nothing', () => {
    expect([0, 0.000123, 0.5, 1234.567].map(money)).toEqual(['$0', '$0.00012', '$0.50', '$1,234.57']);
  });

  it('shows all only where all is used', () => {
    expect([0.999, 1, 1.2].map(percent)).toEqual(['99%', '100%', '120%']);
  });

  it('leaves the date of today out', () => {
    const now = new Date(2026, 10, 16, 12).getTime();
    expect(moment(now, now)).toBe('12:00:00');
    expect(moment(new Date(2026, 10, 15, 9, 5, 7).getTime(), now)).toBe('2026-11-15 09:05:07');
    expect(moment('nonsense', now)).toBe('–');
  });
});
