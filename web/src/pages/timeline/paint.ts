// The picture of the timeline: axis, lanes, spans, and what is chosen. It draws what it is given, and only what is in sight.
import { clockTicks, pixelOf, type Stretch } from '../../lib/time/scale';
import { fillBox, spanLook, type Box, type Palette } from './fills';
import { lastBefore, type LaneLine, type Span } from './lanes';

export const AXIS_HEIGHT = 28;
export const LANE_HEIGHT = 26;
const BAR_HEIGHT = 16;
/** A bar is never thinner than this, however short its span. */
const BAR_WIDTH_MIN = 3;
/** A bar has words in it from this width on. */
const WORDS_WIDTH_MIN = 34;
/** So much of a pattern stays in sight beside the words. */
const PATTERN_WIDTH_MIN = 26;
const CHARACTER_WIDTH = 6.4;
const TICK_WIDTH = 92;

export interface Scene {
  width: number;
  height: number;
  /** Pixels of the screen for each of the page. */
  density: number;
  scrollTop: number;
  stretch: Stretch;
  /** What the server's answer covers; nothing is known of the rest. */
  known: Stretch | null;
  now: number;
  lines: readonly LaneLine[];
  /** The actor of the chosen lane. */
  chosen: string;
  marked: { actor: string; span: Span } | null;
  /** From one pixel to another, while time is being selected. */
  selection: { from: number; to: number } | null;
  palette: Palette;
}

export function paint(pen: CanvasRenderingContext2D, scene: Scene): void {
  const { width, height, density, palette } = scene;
  pen.setTransform(density, 0, 0, density, 0, 0);
  pen.fillStyle = palette.surface;
  pen.fillRect(0, 0, width, height);
  pen.font = `11px ${palette.font}`;
  pen.textBaseline = 'middle';
  paintUnknown(pen, scene);
  paintTicks(pen, scene);
  pen.save();
  pen.beginPath();
  pen.rect(0, AXIS_HEIGHT, width, height - AXIS_HEIGHT);
  pen.clip();
  const first = Math.max(0, Math.floor(scene.scrollTop / LANE_HEIGHT));
  const end = Math.min(scene.lines.length, Math.ceil((scene.scrollTop + height) / LANE_HEIGHT));
  for (let idx = first; idx < end; idx++) paintLane(pen, scene, scene.lines[idx]!, AXIS_HEIGHT + idx * LANE_HEIGHT - scene.scrollTop);
  paintMarked(pen, scene);
  pen.restore();
  paintNow(pen, scene);
  paintSelection(pen, scene);
}

/** Where a span is drawn in a lane whose top is at `top`. */
export function boxOf(span: Span, top: number, stretch: Stretch, width: number): Box {
  const from = pixelOf(span.from, stretch, width);
  const to = pixelOf(span.to, stretch, width);
  const [left, right] = [Math.max(from, -2), Math.min(Math.max(to, from + BAR_WIDTH_MIN), width + 2)];
  return { x: left, y: top + (LANE_HEIGHT - BAR_HEIGHT) / 2, width: Math.max(right - left, BAR_WIDTH_MIN), height: BAR_HEIGHT };
}

function paintUnknown(pen: CanvasRenderingContext2D, { known, stretch, width, height, palette }: Scene): void {
  pen.fillStyle = palette.sunk;
  const from = known === null ? width : pixelOf(known.from, stretch, width);
  const to = known === null ? width : pixelOf(known.to, stretch, width);
  if (from > 1) pen.fillRect(0, AXIS_HEIGHT, Math.min(from, width), height);
  if (to < width - 1) pen.fillRect(Math.max(to, 0), AXIS_HEIGHT, width - to, height);
}

function paintTicks(pen: CanvasRenderingContext2D, { stretch, width, height, palette }: Scene): void {
  pen.fillStyle = palette.line;
  pen.fillRect(0, AXIS_HEIGHT - 1, width, 1);
  for (const { at, label } of clockTicks(stretch, Math.max(1, width / TICK_WIDTH))) {
    const x = Math.round(pixelOf(at, stretch, width));
    pen.fillStyle = palette.line;
    pen.globalAlpha = 0.6;
    pen.fillRect(x, AXIS_HEIGHT - 6, 1, height);
    pen.globalAlpha = 1;
    pen.fillStyle = palette.soft;
    const room = pen.measureText(label).width;
    pen.fillText(label, Math.min(Math.max(x - room / 2, 2), width - room - 2), AXIS_HEIGHT / 2 - 1);
  }
}

function paintLane(pen: CanvasRenderingContext2D, scene: Scene, line: LaneLine, top: number): void {
  const { stretch, width, palette, density } = scene;
  if (line.row.actor === scene.chosen) {
    pen.fillStyle = palette.chosen;
    pen.globalAlpha = 0.55;
    pen.fillRect(0, top, width, LANE_HEIGHT);
    pen.globalAlpha = 1;
  }
  pen.fillStyle = palette.line;
  pen.globalAlpha = 0.5;
  pen.fillRect(0, Math.round(top) + LANE_HEIGHT - 1, width, 1);
  pen.globalAlpha = 1;
  const { spans } = line.row;
  const last = lastBefore(spans, stretch.to);
  // What began before the left edge may reach into sight, and what comes before that does not.
  const first = Math.max(0, lastBefore(spans, stretch.from) - 1);
  for (let idx = first; idx <= last; idx++) paintSpan(pen, spans[idx]!, boxOf(spans[idx]!, top, stretch, width), palette, density, stretch);
}

function paintSpan(pen: CanvasRenderingContext2D, span: Span, box: Box, palette: Palette, density: number, stretch: Stretch): void {
  if (span.to < stretch.from) return;
  const look = spanLook(span.status);
  // Neighbours stand apart where there is room for it.
  const shown = box.width > 6 ? { ...box, width: box.width - 1 } : box;
  fillBox(pen, look, shown, palette, density);
  if (span.status === 'error') pen.fillRect(box.x, box.y - 4, 2, BAR_HEIGHT + 8);
  if (box.width < WORDS_WIDTH_MIN) return;
  const isPattern = look.fill !== 'solid' && look.fill !== 'light';
  const begin = Math.max(box.x, 0) + (isPattern ? 10 : 6);
  const nCharacters = Math.floor((box.x + box.width - begin - (isPattern ? PATTERN_WIDTH_MIN : 6)) / CHARACTER_WIDTH);
  if (nCharacters < 4) return;
  const text = `${look.sign} ${span.what === '' ? look.word : span.what}`;
  const words = text.length > nCharacters ? `${text.slice(0, nCharacters - 1)}…` : text;
  const middle = box.y + BAR_HEIGHT / 2 + 0.5;
  if (isPattern) {
    pen.fillStyle = look.fill === 'thin' ? palette.tones[look.tone].ink : palette.tones[look.tone].ground;
    pen.fillRect(begin - 3, box.y + 2, pen.measureText(words).width + 6, BAR_HEIGHT - 4);
  }
  pen.fillStyle = look.fill === 'solid' || look.fill === 'thin' ? palette.surface : palette.tones[look.tone].ink;
  pen.fillText(words, begin, middle);
}

function paintMarked(pen: CanvasRenderingContext2D, { marked, lines, scrollTop, stretch, width, palette }: Scene): void {
  const idx = marked === null ? -1 : lines.findIndex((line) => line.row.actor === marked.actor);
  if (marked === null || idx < 0) return;
  const box = boxOf(marked.span, AXIS_HEIGHT + idx * LANE_HEIGHT - scrollTop, stretch, width);
  pen.strokeStyle = palette.text;
  pen.lineWidth = 2;
  pen.strokeRect(box.x - 1, box.y - 2, box.width + 2, box.height + 4);
}

function paintNow(pen: CanvasRenderingContext2D, { now, stretch, width, height, palette }: Scene): void {
  const x = pixelOf(now, stretch, width);
  if (x < 0 || x > width + 1) return;
  pen.fillStyle = palette.tones.good.ink;
  pen.fillRect(Math.min(Math.round(x), width - 2), 0, 2, height);
}

function paintSelection(pen: CanvasRenderingContext2D, { selection, height, palette }: Scene): void {
  if (selection === null) return;
  const [left, right] = [Math.min(selection.from, selection.to), Math.max(selection.from, selection.to)];
  pen.fillStyle = palette.focus;
  pen.globalAlpha = 0.16;
  pen.fillRect(left, 0, right - left, height);
  pen.globalAlpha = 1;
  pen.fillRect(left, 0, 1, height);
  pen.fillRect(right - 1, 0, 1, height);
}
