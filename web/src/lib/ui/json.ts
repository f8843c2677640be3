// JSON in parts, so that each kind can be shown in its own tone. Own and small: it only has to read what JSON.stringify writes.

export type JsonKind = 'name' | 'text' | 'number' | 'word' | 'mark';

export interface JsonPart {
  kind: JsonKind;
  text: string;
}

const PARTS = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d[\d.eE+-]*)|(true|false|null)|([\s{}[\],:]+)/g;

/** Texts of a value beyond this are cut: a page cannot show megabytes, and the address of the record is beside it. */
const CHARS_MAX = 200_000;

export interface JsonShown {
  parts: JsonPart[];
  isCut: boolean;
}

export function jsonParts(value: unknown): JsonShown {
  const whole = JSON.stringify(value, null, 2) ?? 'null';
  const text = whole.slice(0, CHARS_MAX);
  const parts: JsonPart[] = [];
  for (const [all, quoted, colon, number, word] of text.matchAll(PARTS)) {
    if (quoted !== undefined) {
      parts.push({ kind: colon === undefined ? 'text' : 'name', text: quoted });
      if (colon !== undefined) parts.push({ kind: 'mark', text: colon });
    } else if (number !== undefined) parts.push({ kind: 'number', text: number });
    else if (word !== undefined) parts.push({ kind: 'word', text: word });
    else parts.push({ kind: 'mark', text: all });
  }
  return { parts, isCut: text.length < whole.length };
}
