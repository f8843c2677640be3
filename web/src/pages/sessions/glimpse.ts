// A call in one line, the beginning of a long text, and the next of a few places. Pure.
import type { TalkItem } from '../../lib/api/answers';

/** Names of what says most about a call, in the order in which they are looked for. */
const TELLING = ['command', 'cmd', 'pattern', 'query', 'url', 'description', 'prompt', 'file_path', 'path', 'message', 'subject', 'title', 'name'];
const CHARS_MAX = 240;

/** Returns what a call is about, in a line. */
export function callLine(item: Pick<TalkItem, 'path' | 'input'>): string {
  if (item.path !== undefined && item.path !== '') return item.path;
  const input = asObject(item.input);
  for (const name of TELLING) {
    const value = input?.[name];
    const text = Array.isArray(value) ? value.filter((word) => typeof word === 'string').join(' ') : value;
    if (typeof text === 'string' && text !== '') return oneLine(text);
  }
  return item.input === undefined ? '' : oneLine(typeof item.input === 'string' ? item.input : JSON.stringify(item.input));
}

/** Reads what a tool was given, which is a text; only its beginning may be there, and then it is no JSON. */
export function asObject(input: unknown): Record<string, unknown> | null {
  try {
    const value: unknown = typeof input === 'string' ? JSON.parse(input) : input;
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function oneLine(text: string): string {
  return text.slice(0, CHARS_MAX).replace(/\s+/g, ' ').trim();
}

export interface Beginning {
  text: string;
  isCut: boolean;
}

/** Returns as much of a text as fits. */
export function beginning(text: string, linesMax: number, charsMax: number): Beginning {
  let end = Math.min(text.length, charsMax);
  let from = 0;
  for (let line = 0; line < linesMax; line++) {
    const next = text.indexOf('\n', from);
    if (next < 0 || next >= end) return { text: text.slice(0, end).trimEnd(), isCut: end < text.length };
    from = next + 1;
  }
  end = from;
  return { text: text.slice(0, end).trimEnd(), isCut: text.slice(end).trim() !== '' };
}

/** Returns the next place behind or before one; undefined if there is none. The places are in order. */
export function nextPlace(places: readonly number[], from: number, step: 1 | -1): number | undefined {
  return step > 0 ? places.find((place) => place > from) : places.findLast((place) => place < from);
}
