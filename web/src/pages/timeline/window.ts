// The stretch of time that the timeline shows: one that ends now and moves on, or one that stands still. Pure.
import type { Stretch } from '../../lib/time/scale';

export type Shown = { isLive: true; spanMs: number } | { isLive: false; from: number; to: number };

const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Events are told to the millisecond. */
export const SPAN_MS_MIN = 20;
export const SPAN_MS_MAX = 31 * UNITS.d;
/** What moves on faster than this cannot be read. */
const LIVE_MS_MIN = UNITS.s;
const USUAL_MS = 15 * UNITS.m;

export const PRESETS = ['10s', '1m', '5m', '15m', '1h', '6h', '1d', '7d'] as const;

/** Reads `from` and `to` of an address: a span such as `15m` ends now, two moments stand still. */
export function readShown(from: string, to: string): Shown {
  const spanMs = asSpan(from);
  if (spanMs !== null && to === '') return { isLive: true, spanMs: within(spanMs, LIVE_MS_MIN) };
  const [begin, end] = [Date.parse(from), Date.parse(to)];
  if (begin < end) return still(begin, end);
  return { isLive: true, spanMs: USUAL_MS };
}

/** Writes it as it stands in an address; the usual one is left out. */
export function writeShown(shown: Shown): { from: string; to: string } {
  if (!shown.isLive) return { from: momentText(shown.from), to: momentText(shown.to) };
  return { from: shown.spanMs === USUAL_MS ? '' : spanText(shown.spanMs), to: '' };
}

export function momentText(at: number): string {
  return new Date(Math.round(at)).toISOString();
}

/** Returns the span in milliseconds; null if the text is none. */
export function asSpan(text: string): number | null {
  const [, n, unit] = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text) ?? [];
  return n === undefined || Number(n) === 0 ? null : Number(n) * UNITS[unit as keyof typeof UNITS];
}

/** Writes a span in the largest unit that has it whole. */
export function spanText(ms: number): string {
  const whole = Math.max(1, Math.round(ms));
  const [name, unit] = (Object.entries(UNITS).reverse() as [string, number][]).find(([, one]) => whole % one === 0)!;
  return `${whole / unit}${name}`;
}

export function stretchOf(shown: Shown, now: number): Stretch {
  return shown.isLive ? { from: now - shown.spanMs, to: now } : { from: shown.from, to: shown.to };
}

export function spanOf(shown: Shown): number {
  return shown.isLive ? shown.spanMs : shown.to - shown.from;
}

/** Shows so many times the time, around a place from 0 to 1; what follows now goes on to. */
export function zoom(shown: Shown, now: number, factor: number, place: number): Shown {
  const spanMs = within(spanOf(shown) * factor, SPAN_MS_MIN);
  if (shown.isLive) {
    const rounded = Math.round(spanMs / 1_000) * 1_000;
    return spanMs < LIVE_MS_MIN ? still(now - spanMs, now) : { isLive: true, spanMs: rounded };
  }
  const at = shown.from + (shown.to - shown.from) * place;
  return still(at - spanMs * place, at + spanMs * (1 - place));
}

/** Goes to later or earlier; whoever reaches now follows it from there. */
export function pan(shown: Shown, now: number, ms: number): Shown {
  const { from, to } = stretchOf(shown, now);
  if (ms >= 0 && to + ms >= now) return to - from < LIVE_MS_MIN ? still(now - (to - from), now) : { isLive: true, spanMs: to - from };
  return still(from + ms, to + ms);
}

/** Stands still at a stretch, no shorter and no longer than can be shown. */
export function still(from: number, to: number): Shown {
  const spanMs = within(to - from, SPAN_MS_MIN);
  const middle = (from + to) / 2;
  return { isLive: false, from: middle - spanMs / 2, to: middle + spanMs / 2 };
}

/** Returns how long a live picture may stay as it is: until about two pixels are new. */
export function refreshMs(spanMs: number, width: number): number {
  return Math.min(Math.max((2 * spanMs) / Math.max(width, 1), 1_000), 15_000);
}

function within(ms: number, least: number): number {
  return Math.min(Math.max(ms, least), SPAN_MS_MAX);
}
