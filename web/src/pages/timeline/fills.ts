// How each status is drawn in a lane: by its tone, and by a pattern of its own, so that no colour stands alone.
import { NEED, PRESENCE, STATUS, ofStatus, type Look, type Tone } from '../../lib/look/status';
import type { SpanStatus } from './lanes';

/** Solid, thin, light with an outline, or a pattern. */
export type Fill = 'solid' | 'thin' | 'light' | 'hatch' | 'cross' | 'lines' | 'dots';

export interface SpanLook extends Look {
  fill: Fill;
}

export const SPAN: Record<SpanStatus, SpanLook> = {
  tool_use: { ...STATUS.tool_use, fill: 'solid' },
  thinking: { ...STATUS.thinking, fill: 'light' },
  progress: { ...STATUS.progress, fill: 'thin' },
  started: { ...STATUS.started, fill: 'light' },
  waiting: { ...STATUS.waiting, fill: 'hatch' },
  stuck: { ...NEED.stuck, fill: 'lines' },
  blocked: { ...STATUS.blocked, fill: 'cross' },
  silent: { ...PRESENCE.silent, tone: 'faint', fill: 'dots' },
  completed: { ...STATUS.completed, fill: 'solid' },
  error: { ...STATUS.error, fill: 'solid' },
};

/** Returns how a status looks that may be newer than this page. */
export function spanLook(status: string): SpanLook {
  return (SPAN as Record<string, SpanLook | undefined>)[status] ?? { ...ofStatus(status), fill: 'light' };
}

/** The colours of the theme that is shown, as the canvas needs them. */
export interface Palette {
  surface: string;
  sunk: string;
  line: string;
  text: string;
  soft: string;
  chosen: string;
  focus: string;
  font: string;
  tones: Record<Tone, { ink: string; ground: string }>;
}

const NAMED: Tone[] = ['good', 'bad', 'warn', 'busy', 'calm', 'accent'];

/** Reads the colours that are in force at an element. */
export function readPalette(element: Element): Palette {
  const style = getComputedStyle(element);
  const read = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  const plain = { ink: read('text-soft'), ground: read('surface-sunk') };
  const tones = Object.fromEntries(NAMED.map((tone) => [tone, { ink: read(tone), ground: read(`${tone}-ground`) }]));
  return {
    surface: read('surface'),
    sunk: read('surface-sunk'),
    line: read('line'),
    text: read('text'),
    soft: read('text-soft'),
    chosen: read('chosen'),
    focus: read('focus'),
    font: style.fontFamily,
    tones: { plain, faint: { ink: read('text-faint'), ground: read('surface') }, ...tones } as Palette['tones'],
  };
}

const TILE = 8;
const tiles = new Map<string, HTMLCanvasElement>();
/** Seven fills in eight tones, in two themes and a few densities. */
const TILES_MAX = 128;

/** Returns the tile that a pattern repeats, as dense as the screen; nothing for fills without a pattern. */
function tileOf(fill: Fill, ink: string, density: number): HTMLCanvasElement | null {
  if (fill === 'solid' || fill === 'thin' || fill === 'light') return null;
  const name = `${fill} ${ink} ${density}`;
  const known = tiles.get(name);
  if (known !== undefined) return known;
  const tile = document.createElement('canvas');
  tile.width = tile.height = Math.round(TILE * density);
  const pen = tile.getContext('2d')!;
  pen.scale(tile.width / TILE, tile.width / TILE);
  pen.strokeStyle = pen.fillStyle = ink;
  pen.lineWidth = 1.6;
  pen.beginPath();
  if (fill === 'hatch' || fill === 'cross') for (const shift of [-TILE, 0, TILE]) line(pen, shift, TILE, shift + TILE, 0);
  if (fill === 'cross') for (const shift of [-TILE, 0, TILE]) line(pen, shift, 0, shift + TILE, TILE);
  if (fill === 'lines') for (const y of [2, 6]) line(pen, 0, y, TILE, y);
  pen.stroke();
  if (fill === 'dots') pen.fillRect(3, 3, 2, 2);
  if (tiles.size >= TILES_MAX) tiles.clear();
  tiles.set(name, tile);
  return tile;
}

function line(pen: CanvasRenderingContext2D, x: number, y: number, toX: number, toY: number): void {
  pen.moveTo(x, y);
  pen.lineTo(toX, toY);
}

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Fills a box as a status looks. */
export function fillBox(pen: CanvasRenderingContext2D, look: SpanLook, box: Box, palette: Palette, density: number): void {
  const { ink, ground } = palette.tones[look.tone];
  // Edges lie between pixels of the screen, never in one.
  const snap = (x: number): number => Math.round(x * density) / density;
  const x = snap(box.x);
  const width = Math.max(snap(box.x + box.width) - x, 1);
  const inset = look.fill === 'thin' ? Math.floor(box.height / 4) : 0;
  const [y, height] = [box.y + inset, box.height - 2 * inset];
  const isSolid = look.fill === 'solid' || look.fill === 'thin' || width < 4;
  pen.fillStyle = isSolid ? ink : ground;
  pen.fillRect(x, y, width, height);
  if (isSolid) return;
  const tile = tileOf(look.fill, ink, density);
  const pattern = tile && pen.createPattern(tile, 'repeat');
  if (pattern) {
    pattern.setTransform(new DOMMatrix().translate(x, y).scale(TILE / tile.width));
    pen.fillStyle = pattern;
    pen.fillRect(x, y, width, height);
  }
  pen.strokeStyle = ink;
  pen.lineWidth = 1;
  pen.setLineDash(look.fill === 'dots' ? [2, 2] : []);
  pen.strokeRect(x + 0.5, y + 0.5, width - 1, height - 1);
  pen.setLineDash([]);
}
