import { describe, expect, it } from 'vitest';
import { beginning, callLine, nextPlace } from './glimpse';

describe('a call in a line', () => {
  it('is its file, else what says most', () => {
    expect(callLine({ path: 'src/a.rs', input: '{"command":"ls"}' })).toBe('src/a.rs');
    expect(callLine({ input: '{"timeout":5,"command":"cargo test\\n  -p weft"}' })).toBe('cargo test -p weft');
    expect(callLine({ input: { query: 'how' } })).toBe('how');
    expect(callLine({ input: '{"id":"tool-1","command":["cargo","test"]}' })).toBe('cargo test');
  });

  it('is what was given where that is no JSON, or cut off', () => {
    expect(callLine({ input: '{"odd":1, "command":"ls -' })).toBe('{"odd":1, "command":"ls -');
    expect(callLine({ input: '[1,2]' })).toBe('[1,2]');
    expect(callLine({})).toBe('');
  });
});

describe('a long text', () => {
  it('is shown up to so many lines and characters', () => {
    expect(beginning('a\nb\nc', 2, 99)).toEqual({ text: 'a\nb', isCut: true });
    expect(beginning('abcdef', 2, 4)).toEqual({ text: 'abcd', isCut: true });
    expect(beginning('a\nb', 2, 99)).toEqual({ text: 'a\nb', isCut: false });
    expect(beginning('a\nb\n\n', 2, 99)).toEqual({ text: 'a\nb', isCut: false });
    expect(beginning('', 2, 9)).toEqual({ text: '', isCut: false });
  });
});

it('the next place is the nearest one on that side', () => {
  const places = [2, 5, 9];
  expect([nextPlace(places, 5, 1), nextPlace(places, 5, -1), nextPlace(places, 9, 1), nextPlace(places, 0, -1)]).toEqual([9, 2, undefined, undefined]);
});
