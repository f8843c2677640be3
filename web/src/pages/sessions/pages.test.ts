import { describe, expect, it } from 'vitest';
import { Pages } from './pages';

function filled(...pages: number[]): Pages<string> {
  const made = new Pages<string>(10, 3);
  for (const page of pages) made.put(page, Array.from({ length: 10 }, (_, n) => `item ${page * 10 + n}`));
  return made;
}

describe('pages of a long list', () => {
  it('give an item back by its place', () => {
    const pages = filled(0, 4);
    expect([pages.get(3), pages.get(40), pages.get(49), pages.get(50), pages.get(15)]).toEqual(['item 3', 'item 40', 'item 49', undefined, undefined]);
  });

  it('name those that are not here', () => {
    expect(filled(1, 3).missing(5, 41)).toEqual([0, 2, 4]);
    expect(filled(1).missing(10, 20)).toEqual([]);
    expect(filled().missing(-5, 0)).toEqual([]);
  });

  it('are never more than they may be, and those looked at last stay', () => {
    const pages = filled(0, 1, 2);
    pages.missing(0, 1);
    pages.put(7, ['item 70']);
    expect(pages.nHeld).toBe(3);
    expect([pages.get(0), pages.get(10), pages.get(20), pages.get(70)]).toEqual(['item 0', undefined, 'item 20', 'item 70']);
  });

  it('are shown while they are asked for again', () => {
    const pages = filled(0, 1);
    pages.spoil();
    expect(pages.missing(0, 20)).toEqual([0, 1]);
    expect(pages.get(12)).toBe('item 12');
    pages.put(1, ['new']);
    expect(pages.missing(0, 20)).toEqual([0]);
  });
});
