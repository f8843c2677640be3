import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { askEarly, takeEarly } from './early';

let nAsked = 0;
let answer: () => Promise<Response>;
/** What the page brings: the address that its head names, and the data at its end. */
let page: Map<string, { content?: string; textContent?: string }>;

beforeEach(() => {
  vi.useFakeTimers();
  nAsked = 0;
  answer = () => Promise.resolve(new Response('["rows"]'));
  page = new Map();
  const find = (what: string) => (): object | null => {
    const part = page.get(what);
    return part === undefined ? null : { ...part, remove: () => page.delete(what) };
  };
  vi.stubGlobal('document', { querySelector: find('head'), getElementById: find('data') });
  vi.stubGlobal('sessionStorage', { getItem: () => null });
  vi.stubGlobal('fetch', () => {
    nAsked++;
    return answer();
  });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('what is asked for early', () => {
  it('is given once, to whoever asks for the same', async () => {
    askEarly('/v1/views/fleet?limit=120');
    expect(await takeEarly('/v1/views/inbox?limit=120')).toBeUndefined();
    expect(await takeEarly('/v1/views/fleet?limit=120')).toEqual(['rows']);
    expect(await takeEarly('/v1/views/fleet?limit=120')).toBeUndefined();
    expect(nAsked).toBe(1);
  });

  it('is not given where it failed or was refused: it is asked for again', async () => {
    answer = () => Promise.reject(new TypeError('gone'));
    askEarly('/a');
    expect(await takeEarly('/a')).toBeUndefined();
    answer = () => Promise.resolve(new Response('who are you?', { status: 401 }));
    askEarly('/a');
    expect(await takeEarly('/a')).toBeUndefined();
  });

  it('is not given when it is old', async () => {
    askEarly('/a');
    vi.advanceTimersByTime(10_000);
    expect(await takeEarly('/a')).toBeUndefined();
  });
});

describe('what the page brings', () => {
  beforeEach(() => {
    page.set('head', { content: '/a' });
    page.set('data', { textContent: '{"text":"\\u003c/script>"}' });
  });

  it('is not asked for, and given once', async () => {
    askEarly('/a');
    expect(nAsked).toBe(0);
    expect(await takeEarly('/a')).toEqual({ text: '</script>' });
    expect(await takeEarly('/a')).toBeUndefined();
  });

  it('answers no other question', async () => {
    expect(await takeEarly('/b')).toBeUndefined();
    askEarly('/b');
    expect(nAsked).toBe(1);
    expect(await takeEarly('/b')).toEqual(['rows']);
  });

  it('is asked for after all where it did not come', async () => {
    page.delete('data');
    expect(await takeEarly('/a')).toBeUndefined();
  });

  it('is not given when it is old', async () => {
    vi.advanceTimersByTime(10_000);
    expect(await takeEarly('/a')).toBeUndefined();
    askEarly('/a');
    expect(nAsked).toBe(1);
  });
});
