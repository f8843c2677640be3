import { describe, expect, it } from 'vitest';
import { clockTicks, elapsedTicks, momentOf, pixelOf, stepFor } from './scale';

const at = (hours: number, minutes = 0, seconds = 0, ms = 0): number => new Date(2026, 10, 16, hours, minutes, seconds, ms).getTime();
const labels = (from: number, to: number, n = 5): string[] => clockTicks({ from, to }, n).map((tick) => tick.label);

describe('a scale', () => {
  it('finds the pixel of a moment, and the moment of that pixel', () => {
    const stretch = { from: at(9), to: at(10) };
    expect(pixelOf(at(9, 30), stretch, 800)).toBe(400);
    expect(momentOf(400, stretch, 800)).toBe(at(9, 30));
    expect(pixelOf(at(8, 30), stretch, 800)).toBe(-400);
  });

  it('does not divide by nothing', () => {
    expect(pixelOf(5, { from: 5, to: 5 }, 800)).toBe(0);
    expect(momentOf(10, { from: 5, to: 9 }, 0)).toBe(5);
  });

  it('has no more lines than there is room for', () => {
    for (const ms of [3, 40, 700, 9_000, 61_000, 3_600_000, 86_400_000, 30 * 86_400_000]) {
      expect(ms / stepFor({ from: 0, to: ms }, 6)).toBeLessThanOrEqual(6);
    }
  });
});

describe('an axis of the clock', () => {
  it('counts in steps that people count in, from hours to milliseconds', () => {
    expect(labels(at(9, 7), at(13, 7))).toEqual(['10:00', '11:00', '12:00', '13:00']);
    expect(labels(at(9, 7, 31), at(9, 8, 31))).toEqual(['09:07:45', '09:08:00', '09:08:15', '09:08:30']);
    expect(labels(at(9, 7, 31), at(9, 7, 31, 9))).toEqual(['09:07:31.000', '09:07:31.002', '09:07:31.004', '09:07:31.006', '09:07:31.008']);
  });

  it('names the day at midnight', () => {
    expect(labels(at(20), at(28))).toEqual(['20:00', '22:00', '11-17', '02:00', '04:00']);
  });
});

it('an axis of what went by begins at nothing', () => {
  expect(elapsedTicks({ from: 1_003, to: 9_003 }, 4).map((tick) => tick.label)).toEqual(['0', '2s', '4s', '6s', '8s']);
});
