// A stretch of time beside a length in pixels: where a moment is, which moment is where, and where the lines of the axis are. Pure.
import { duration } from './format';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** From one moment to another, in milliseconds since 1970. */
export interface Stretch {
  from: number;
  to: number;
}

/** A line of an axis. */
export interface Tick {
  at: number;
  label: string;
}

/** Steps that people count in. */
const STEPS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((n) => n * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE),
  ...[1, 2, 3, 6, 12].map((n) => n * HOUR),
  ...[1, 2, 7, 14, 28, 91, 364].map((n) => n * DAY),
];

/** Returns how many pixels behind the beginning a moment is; outside of the stretch too. */
export function pixelOf(at: number, { from, to }: Stretch, width: number): number {
  return to > from ? ((at - from) / (to - from)) * width : 0;
}

export function momentOf(pixel: number, { from, to }: Stretch, width: number): number {
  return width > 0 ? from + (pixel / width) * (to - from) : from;
}

/** Returns the smallest step with which no more lines than these fit. */
export function stepFor({ from, to }: Stretch, nLinesMax: number): number {
  const least = (to - from) / Math.max(1, nLinesMax);
  return STEPS.find((step) => step >= least) ?? STEPS.at(-1)!;
}

/** Returns the lines of an axis of clock time, at whole steps of the reader's own day. */
export function clockTicks(stretch: Stretch, nLinesMax: number): Tick[] {
  const step = stepFor(stretch, nLinesMax);
  return linesOf(stretch, step, dayBefore(stretch.from)).map((at) => ({ at, label: clockLabel(at, step) }));
}

/** Returns the lines of an axis of time that went by since the beginning. */
export function elapsedTicks(stretch: Stretch, nLinesMax: number): Tick[] {
  const step = stepFor(stretch, nLinesMax);
  return linesOf(stretch, step, stretch.from).map((at) => ({ at, label: at === stretch.from ? '0' : duration(at - stretch.from).replace('.0s', 's') }));
}

/** A step is never less than a hundredth of what is shown, unless the stretch is longer than the greatest step can divide. */
const LINES_MAX = 400;

function linesOf({ from, to }: Stretch, step: number, origin: number): number[] {
  const lines: number[] = [];
  for (let at = origin + Math.ceil((from - origin) / step) * step; at <= to && lines.length < LINES_MAX; at += step) lines.push(at);
  return lines;
}

/** Steps are counted from midnight where the reader is, so that hours stand at hours in every zone. */
function dayBefore(at: number): number {
  const day = new Date(at);
  day.setHours(0, 0, 0, 0);
  return day.getTime();
}

function clockLabel(at: number, step: number): string {
  const date = new Date(at);
  const two = (n: number): string => String(n).padStart(2, '0');
  const [hours, minutes, seconds, ms] = [date.getHours(), date.getMinutes(), date.getSeconds(), date.getMilliseconds()];
  if (hours + minutes + seconds + ms === 0 || step >= DAY) return `${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  if (step >= MINUTE) return `${two(hours)}:${two(minutes)}`;
  const time = `${two(hours)}:${two(minutes)}:${two(seconds)}`;
  return step >= SECOND ? time : `${time}.${String(ms).padStart(3, '0')}`;
}
