import { describe, expect, it } from 'vitest';
import { readPlace } from '../route/place';
import { firstAddress } from './parts';
import type { ViewName } from './views';

const first = (address: string, view?: ViewName): string | undefined => {
  const { pathname, search } = new URL(address, 'http://weft');
  return firstAddress(readPlace(pathname, search), view);
};

describe('what a page asks for first', () => {
  it('is a screen of its view, now or at the moment that is shown', () => {
    expect(first('/fleet?sort=actor', 'fleet')).toBe('/v1/views/fleet?limit=120');
    expect(first('/fleet?at=12', 'fleet')).toBe('/v1/views/fleet?limit=120&at=12');
    expect(first('/fleet?at=never', 'fleet')).toBe('/v1/views/fleet?limit=120');
  });

  it('is the end of the log, up to that moment, unless it is filtered', () => {
    expect(first('/log')).toBe('/v1/events?limit=200');
    expect(first('/log?at=12')).toBe('/v1/events?limit=200&before=13');
    expect(first('/log?filter=actor%3Da')).toBeUndefined();
  });

  it('is not known where the page shows something else, or needs all rows', () => {
    expect(first('/sessions/s-1', 'sessions')).toBeUndefined();
    expect(first('/work', 'work')).toBeUndefined();
    expect(first('/timeline')).toBeUndefined();
  });
});
