import { describe, expect, it } from 'vitest';
import { asSpan, pan, PRESETS, readShown, refreshMs, spanOf, spanText, stretchOf, writeShown, zoom, type Shown } from './window';

const NOW = Date.UTC(2026, 10, 16, 9, 30);
const MINUTE = 60_000;
const standing = (from: number, to: number): Shown => ({ isLive: false, from: NOW + from, to: NOW + to });

describe('the address', () => {
  it('keeps what is shown, whether it moves or stands', () => {
    const all: Shown[] = [{ isLive: true, spanMs: 5 * MINUTE }, { isLive: true, spanMs: 15 * MINUTE }, standing(-9_000, -4_250)];
    for (const shown of all) {
      const { from, to } = writeShown(shown);
      expect(readShown(from, to)).toEqual(shown);
    }
  });

  it('leaves the usual stretch out', () => {
    expect(writeShown(readShown('', ''))).toEqual({ from: '', to: '' });
  });

  it('shows the usual stretch where it makes no sense', () => {
    for (const [from, to] of [['soon', ''], ['0m', ''], ['2026-11-16T10:00:00Z', '2026-11-16T09:00:00Z'], ['15m', 'x'], ['2026-11-16T10:00:00Z', '']] as const) {
      expect(readShown(from, to)).toEqual(readShown('', ''));
    }
  });

  it('has a word for every preset', () => {
    for (const preset of PRESETS) expect(spanText(asSpan(preset)!)).toBe(preset);
    expect(spanText(90_000)).toBe('90s');
    expect(spanText(1_500)).toBe('1500ms');
  });
});

describe('zoom', () => {
  it('follows now if it did before', () => {
    expect(zoom({ isLive: true, spanMs: 10 * MINUTE }, NOW, 0.5, 0.2)).toEqual({ isLive: true, spanMs: 5 * MINUTE });
  });

  it('leaves the moment under the pointer where it is', () => {
    expect(zoom(standing(-4_000, 0), NOW, 0.5, 0.25)).toEqual(standing(-3_500, -1_500));
  });

  it('goes from hours to milliseconds and no further', () => {
    let shown: Shown = { isLive: true, spanMs: 6 * 60 * MINUTE };
    for (let n = 0; n < 60; n++) shown = zoom(shown, NOW, 0.5, 0.5);
    expect(shown.isLive).toBe(false);
    expect(spanOf(shown)).toBeCloseTo(20, 3);
    for (let n = 0; n < 60; n++) shown = zoom(shown, NOW, 2, 0.5);
    expect(spanOf(shown)).toBeCloseTo(31 * 24 * 60 * MINUTE, 3);
  });
});

it('is dragged by less than a millisecond at a time', () => {
  let shown = standing(-50, -30);
  for (let n = 0; n < 10; n++) shown = pan(shown, NOW, -0.4);
  expect(shown).toMatchObject({ isLive: false, from: expect.closeTo(NOW - 54, 2) as number });
});

describe('going to earlier and later', () => {
  it('stands still once it is away from now', () => {
    expect(pan({ isLive: true, spanMs: MINUTE }, NOW, -5_000)).toEqual(standing(-65_000, -5_000));
  });

  it('follows now again once it is there', () => {
    expect(pan(standing(-65_000, -5_000), NOW, 5_000)).toEqual({ isLive: true, spanMs: MINUTE });
    expect(pan(standing(-65_000, -5_000), NOW, 4_999).isLive).toBe(false);
  });
});

it('ends now while it is live', () => {
  expect(stretchOf({ isLive: true, spanMs: 1_000 }, NOW)).toEqual({ from: NOW - 1_000, to: NOW });
});

it('asks calmly: about every two pixels, and no less than every fifteen seconds', () => {
  expect([10_000, 900_000, 86_400_000].map((ms) => refreshMs(ms, 900))).toEqual([1_000, 2_000, 15_000]);
});
