import { expect, it } from 'vitest';
import { jsonParts } from './json';

const VALUE = { type: 'x', n: -1.5e-7, nested: [true, null, 'a "quoted" \\ text: {1}'], empty: {} };

it('loses no character', () => {
  const { parts, isCut } = jsonParts(VALUE);
  expect(parts.map((part) => part.text).join('')).toBe(JSON.stringify(VALUE, null, 2));
  expect(isCut).toBe(false);
});

it('tells names from texts, numbers and words', () => {
  const kinds = (kind: string): string[] => jsonParts(VALUE).parts.filter((part) => part.kind === kind).map((part) => part.text);
  expect(kinds('name')).toEqual(['"type"', '"n"', '"nested"', '"empty"']);
  expect(kinds('text')).toEqual(['"x"', '"a \\"quoted\\" \\\\ text: {1}"']);
  expect(kinds('number')).toEqual(['-1.5e-7']);
  expect(kinds('word')).toEqual(['true', 'null']);
});

it('cuts what no page can show, and says so', () => {
  expect(jsonParts('x'.repeat(300_000)).isCut).toBe(true);
});
