import { describe, expect, it } from 'vitest';
import { nextIn, type Box } from './spatial';

const at = (x: number, y: number): Box => ({ x, y, width: 10, height: 10 });
/** Three in a row, and one below the middle. */
const BOXES = [at(0, 0), at(20, 0), at(40, 0), at(20, 20)];

describe('the arrow keys', () => {
  it('go to the nearest in their direction', () => {
    expect(nextIn(BOXES, 0, 'right')).toBe(1);
    expect(nextIn(BOXES, 2, 'left')).toBe(1);
    expect(nextIn(BOXES, 1, 'down')).toBe(3);
    expect(nextIn(BOXES, 3, 'up')).toBe(1);
  });

  it('go nowhere beyond the edge', () => {
    expect(nextIn(BOXES, 0, 'left')).toBeNull();
    expect(nextIn([], 0, 'left')).toBeNull();
  });

  it('begin with the first where none was chosen', () => {
    expect(nextIn(BOXES, -1, 'down')).toBe(0);
  });
});
