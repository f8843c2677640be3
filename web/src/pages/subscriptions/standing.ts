// How a subscription stands, and why something could not be done. Pure.
import { asFailure } from '../../lib/api/failure';
import type { Subscription } from '../../lib/api/subs';
import type { Look } from '../../lib/look/status';

const look = (sign: string, tone: Look['tone'], word: string): Look => ({ sign, tone, word });

export const STANDINGS = {
  unreadable: look('✗', 'bad', 'unreadable'),
  paused: look('◌', 'warn', 'paused'),
  stopped: look('·', 'faint', 'not running'),
  away: look('○', 'warn', 'away'),
  dead: look('✗', 'bad', 'gave some up'),
  behind: look('▶', 'busy', 'behind'),
  upToDate: look('✓', 'good', 'up to date'),
} satisfies Record<string, Look>;

export type Standing = keyof typeof STANDINGS;

/** The order in which they are sorted: what needs a look first. */
export const STANDING_ORDER = Object.keys(STANDINGS) as Standing[];

/** Returns how many records it has not dealt with. */
export function lagOf(one: Subscription, last: number): number {
  return Math.max(0, last - Math.max(one.live?.acknowledged ?? 0, one.progress.position));
}

export function standingOf(one: Subscription, last: number): Standing {
  if (one.state !== 'active') return one.state;
  if (one.live === undefined) return 'stopped';
  if (one.live.away) return 'away';
  if (one.dead > 0) return 'dead';
  return lagOf(one, last) > 0 ? 'behind' : 'upToDate';
}

/** Returns where its events go, in a few words. */
export function targetOf(one: Subscription): string {
  switch (one.kind) {
    case 'webhook':
    case 'otlp':
      return one.url ?? '';
    case 'command':
      return one.command?.join(' ') ?? '';
    case 'pull':
      return 'whoever asks for them';
    default:
      return '';
  }
}

/** Says why the server did not do it, and what would help. */
export function whyNot(thrown: unknown): string {
  const failure = asFailure(thrown);
  if (failure.code === 'wrong_scope') return 'Your token lets you look, and change nothing: it needs the scope admin.';
  if (failure.needsToken) return `The server wants a token for this: ${failure.message}.`;
  if (failure.code === 'not_dead') return `It is no longer on the list: ${failure.message}.`;
  if (failure.status === 0) return `${failure.message}. Whether it was done is not known: look at it again.`;
  if (failure.isPassing) return `${failure.message}. Nothing was changed: try again in a moment.`;
  return `${failure.message}. Nothing was changed.`;
}

/** Reads where to replay from: a position, or the start; null if it is neither. */
export function readFrom(text: string, last: number): number | 'start' | null {
  const given = text.trim();
  if (given === 'start') return 'start';
  if (!/^\d{1,15}$/.test(given)) return null;
  const position = Number(given);
  return position >= 1 && position <= last + 1 ? position : null;
}
