import { describe, expect, it } from 'vitest';
import { SCALE_MAX, SCALE_MIN, begin, fit, reveal, zoomAt } from './pan';

const SCREEN = { width: 800, height: 600 };

describe('what is seen of a picture', () => {
  it('is all of it, and never larger than it is', () => {
    const small = fit({ width: 100, height: 50 }, SCREEN);
    expect(small.scale).toBe(1);
    const large = fit({ width: 6_000, height: 600 }, SCREEN);
    expect(6_000 * large.scale + large.left).toBeLessThanOrEqual(800);
  });

  it('is what can be read, to begin with', () => {
    expect(begin({ width: 6_000, height: 4_000 }, SCREEN)).toEqual({ left: 16, top: 16, scale: 0.7 });
    expect(begin({ width: 100, height: 50 }, SCREEN)).toEqual(fit({ width: 100, height: 50 }, SCREEN));
  });

  it('stays under the pointer while it grows', () => {
    const before = { left: 10, top: 20, scale: 1 };
    const after = zoomAt(before, 2, 300, 200);
    const under = (sight: typeof before): [number, number] => [(300 - sight.left) / sight.scale, (200 - sight.top) / sight.scale];
    expect(under(after)).toEqual(under(before));
  });

  it('grows and shrinks within limits', () => {
    expect(zoomAt({ left: 0, top: 0, scale: 1 }, 1_000, 0, 0).scale).toBe(SCALE_MAX);
    expect(zoomAt({ left: 0, top: 0, scale: 1 }, 0.0001, 0, 0).scale).toBe(SCALE_MIN);
  });

  it('moves no further than it has to', () => {
    const sight = { left: 0, top: 0, scale: 1 };
    expect(reveal(sight, { x: 100, y: 100, width: 50, height: 50 }, SCREEN)).toEqual(sight);
    expect(reveal(sight, { x: 900, y: 100, width: 50, height: 50 }, SCREEN).left).toBe(-166);
    expect(reveal(sight, { x: -100, y: 100, width: 50, height: 50 }, SCREEN).left).toBe(116);
  });
});
