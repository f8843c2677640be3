// Which part of a picture is seen: moving and zooming it, within limits. Pure.

/** A point of the picture is at `x * scale + left` of the screen. */
export interface Sight {
  left: number;
  top: number;
  scale: number;
}

export interface Extent {
  width: number;
  height: number;
}

export const SCALE_MIN = 0.1;
export const SCALE_MAX = 2.5;
/** Smaller than this, names cannot be read. */
const SCALE_READ = 0.7;
const MARGIN = 16;

/** Shows all of the picture, but no larger than it is; small ones stand at the top left. */
export function fit(picture: Extent, screen: Extent): Sight {
  const room = { width: Math.max(1, screen.width - 2 * MARGIN), height: Math.max(1, screen.height - 2 * MARGIN) };
  const whole = Math.min(room.width / Math.max(1, picture.width), room.height / Math.max(1, picture.height));
  const scale = Math.min(1, Math.max(SCALE_MIN, whole));
  return { scale, left: Math.max(MARGIN, (screen.width - picture.width * scale) / 2), top: MARGIN };
}

/** Shows as much of the picture as can be read, from its top left on. */
export function begin(picture: Extent, screen: Extent): Sight {
  const whole = fit(picture, screen);
  return whole.scale >= SCALE_READ ? whole : { scale: SCALE_READ, left: MARGIN, top: MARGIN };
}

/** Zooms so that what is at a place of the screen stays there. */
export function zoomAt(sight: Sight, factor: number, x: number, y: number): Sight {
  const scale = Math.min(SCALE_MAX, Math.max(SCALE_MIN, sight.scale * factor));
  const by = scale / sight.scale;
  return { scale, left: x - (x - sight.left) * by, top: y - (y - sight.top) * by };
}

/** Moves so little that a box of the picture is wholly in sight. */
export function reveal(sight: Sight, box: Extent & { x: number; y: number }, screen: Extent): Sight {
  return {
    scale: sight.scale,
    left: sight.left + nudge(box.x * sight.scale + sight.left, box.width * sight.scale, screen.width),
    top: sight.top + nudge(box.y * sight.scale + sight.top, box.height * sight.scale, screen.height),
  };
}

function nudge(start: number, length: number, room: number): number {
  if (start < MARGIN) return MARGIN - start;
  const beyond = start + length + MARGIN - room;
  return beyond > 0 ? -Math.min(beyond, start - MARGIN) : 0;
}
