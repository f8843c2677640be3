import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { askEarly, takeEarly } from './early';

let nAsked = 0;
let answer: () => Promise<Response>;

beforeEach(() => {
  vi.useFakeTimers();
  nAsked = 0;
  answer = () => Promise.resolve(new Response('rows'));
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
    expect(await (await takeEarly('/v1/views/fleet?limit=120'))?.text()).toBe('rows');
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
