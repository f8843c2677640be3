// Times, durations, amounts and counts as people read them. Pure; the widths stay calm while figures change.

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Returns a duration with its two largest units: `340ms`, `4.2s`, `3m 10s`, `2h 5m`, `4d 3h`. */
export function duration(ms: number): string {
  if (!Number.isFinite(ms)) return '–';
  const whole = Math.max(0, ms);
  if (whole < SECOND) return `${Math.round(whole)}ms`;
  if (whole < 10 * SECOND) return `${(Math.floor(whole / 100) / 10).toFixed(1)}s`;
  if (whole < MINUTE) return `${Math.floor(whole / SECOND)}s`;
  if (whole < HOUR) return two(whole, MINUTE, 'm', SECOND, 's');
  if (whole < DAY) return two(whole, HOUR, 'h', MINUTE, 'm');
  return two(whole, DAY, 'd', HOUR, 'h');
}

/** Returns how long ago a moment was, with no less than seconds: it is read while it ticks. */
export function age(ms: number): string {
  return ms < SECOND ? 'now' : duration(ms < MINUTE ? Math.floor(ms / SECOND) * SECOND : ms).replace('.0s', 's');
}

function two(ms: number, unit: number, name: string, part: number, partName: string): string {
  const [whole, rest] = [Math.floor(ms / unit), Math.floor((ms % unit) / part)];
  return rest === 0 ? `${whole}${name}` : `${whole}${name} ${rest}${partName}`;
}

/** Returns a count with its thousands apart. */
export function count(n: number): string {
  return apart(String(n));
}

/** Sets thousands apart. A browser that is asked to do it loads what it knows of languages first, which the first picture waits for. */
function apart(digits: string): string {
  const [whole = '', ...rest] = digits.split('.');
  return [whole.replace(/\B(?=(\d{3})+$)/g, ','), ...rest].join('.');
}

/** Returns a large count in three digits: `950`, `12.3k`, `4.56M`. */
export function short(n: number): string {
  const steps: [number, string][] = [
    [1e9, 'G'],
    [1e6, 'M'],
    [1e3, 'k'],
  ];
  const step = steps.find(([unit]) => Math.abs(n) >= unit);
  if (step === undefined) return String(Math.round(n));
  const value = n / step[0];
  // Rounded down: a figure is never shown greater than it is.
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  const factor = 10 ** digits;
  return `${(Math.floor(value * factor) / factor).toFixed(digits)}${step[1]}`;
}

/** Returns an amount in US dollars; what is less than a cent keeps its first two digits. */
export function money(usd: number): string {
  if (usd === 0) return '$0';
  if (Math.abs(usd) < 0.01) return `$${Number(usd.toPrecision(2))}`;
  return `$${apart(usd.toFixed(2))}`;
}

/** Returns a share of one as a whole percentage. */
export function percent(share: number): string {
  return `${Math.floor(share * 100)}%`;
}

/** Returns a moment of today as a time, any other with its date; in the reader's own zone. */
export function moment(at: string | number, now: number): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return '–';
  const time = clockTime(date);
  return date.toDateString() === new Date(now).toDateString() ? time : `${dayOf(date)} ${time}`;
}

/** Returns a moment in full, with milliseconds and the zone. */
export function momentInFull(at: string | number): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return '–';
  const ms = String(date.getMilliseconds()).padStart(3, '0');
  const zone = -date.getTimezoneOffset();
  const sign = zone < 0 ? '-' : '+';
  const [hours, minutes] = [Math.floor(Math.abs(zone) / 60), Math.abs(zone) % 60];
  const written = zone === 0 ? 'UTC' : `${sign}${pad(hours)}:${pad(minutes)}`;
  return `${dayOf(date)} ${clockTime(date)}.${ms} ${written}`;
}

function dayOf(date: Date): string {
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
}

function clockTime(date: Date): string {
  return `${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}`;
}

function pad(n: number): string {
  return String(n).padStart(2, '0');
}
