import { describe, expect, it } from 'vitest';
import { readPlace, writePlace } from './place';

describe('an address', () => {
  it('without a page is the inbox', () => {
    expect(readPlace('/', '')).toEqual({ page: 'inbox', item: '', query: {} });
  });

  it('keeps ids with slashes, blanks and signs as they are', () => {
    for (const item of ['s-1', 'a/b c', '@backend', '100%', 'é?#']) {
      const written = writePlace('sessions', item, { at: '12' });
      const url = new URL(written, 'http://weft');
      expect(readPlace(url.pathname, url.search)).toEqual({ page: 'sessions', item, query: { at: '12' } });
    }
  });

  it('leaves out what is empty and puts the rest in order', () => {
    expect(writePlace('fleet', '', { sort: '-since', q: '', group: 'host', at: null })).toBe('/fleet?group=host&sort=-since');
  });

  it('that was typed badly is read all the same', () => {
    expect(readPlace('/sessions/%E0%A4%A', '').item).toBe('%E0%A4%A');
  });
});
