// Going from one thing of a picture to the next by arrow keys: which one lies in that direction. Pure.

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export type Direction = 'left' | 'right' | 'up' | 'down';

/** How much more it counts to be off the line than to be far along it. */
const ASIDE = 2.5;

/** Returns the index of the nearest box in a direction, by their centres; null where there is none. */
export function nextIn(boxes: readonly Box[], from: number, direction: Direction): number | null {
  const here = boxes[from];
  if (here === undefined) return boxes.length > 0 ? 0 : null;
  let [best, least]: [number | null, number] = [null, Number.POSITIVE_INFINITY];
  for (const [idx, box] of boxes.entries()) {
    if (idx === from) continue;
    const across = centre(box.x, box.width) - centre(here.x, here.width);
    const along = centre(box.y, box.height) - centre(here.y, here.height);
    const [ahead, aside] = turned(across, along, direction);
    if (ahead <= 0) continue;
    const cost = ahead + ASIDE * Math.abs(aside);
    if (cost < least) [best, least] = [idx, cost];
  }
  return best;
}

function centre(start: number, length: number): number {
  return start + length / 2;
}

function turned(across: number, along: number, direction: Direction): [ahead: number, aside: number] {
  switch (direction) {
    case 'left':
      return [-across, along];
    case 'right':
      return [across, along];
    case 'up':
      return [-along, across];
    case 'down':
      return [along, across];
  }
}
