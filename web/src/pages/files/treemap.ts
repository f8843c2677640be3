// Files as areas: folders side by side, in each its files, the larger the more often they were touched. Pure.
import type { FileRow } from '../../lib/api/rows-work';
import type { Box } from '../../lib/ui/spatial';

export type Size = 'touches' | 'heat' | 'changes';

export interface Tile {
  row: FileRow;
  /** Its name within its folder. */
  name: string;
  box: Box;
  /** How hot it is: 0 was not touched in the last hour, `STEPS` is the hottest of all. */
  step: number;
}

export interface Folder {
  /** Below what all have in common. */
  name: string;
  box: Box;
  hasTitle: boolean;
  tiles: Tile[];
}

export interface FileMap {
  /** The folder that all files are in. */
  root: string;
  folders: Folder[];
  /** How many files had no room. */
  nCut: number;
}

export const STEPS = 4;
export const TILES_MAX = 250;
const TITLE = 18;
const GAP = 2;

export function weightOf(row: FileRow, size: Size): number {
  switch (size) {
    case 'touches':
      return row.n_reads + row.n_writes + row.n_others;
    case 'heat':
      return row.heat;
    case 'changes':
      return row.n_writes;
  }
}

/** Lays files out in a place. What weighs nothing has the area of what weighs one. */
export function mapOf(rows: readonly FileRow[], size: Size, width: number, height: number): FileMap {
  const root = rootOf(rows.map((row) => row.path));
  const kept = [...rows].sort((a, b) => weightOf(b, size) - weightOf(a, size)).slice(0, TILES_MAX);
  const hottest = Math.max(1, ...kept.map((row) => row.heat));
  const byFolder = new Map<string, FileRow[]>();
  for (const row of kept) {
    const folder = folderOf(row.path.slice(root.length));
    const members = byFolder.get(folder);
    if (members === undefined) byFolder.set(folder, [row]);
    else members.push(row);
  }
  const area = (row: FileRow): number => Math.max(1, weightOf(row, size));
  const total = (members: readonly FileRow[]): number => members.reduce((sum, row) => sum + area(row), 0);
  const groups = [...byFolder].sort(([, a], [, b]) => total(b) - total(a));
  const boxes = squarify(groups.map(([, members]) => total(members)), { x: 0, y: 0, width, height });
  const folders = groups.map(([name, members], nth): Folder => {
    const box = inset(boxes[nth] ?? { x: 0, y: 0, width: 0, height: 0 }, GAP);
    const hasTitle = box.height > 3 * TITLE && box.width > 48;
    const inner = hasTitle ? { ...box, y: box.y + TITLE, height: box.height - TITLE } : box;
    const places = squarify(members.map(area), inner);
    const tiles = members.map((row, at) => ({
      row,
      name: row.path.slice(row.path.lastIndexOf('/') + 1) || row.path,
      box: places[at] ?? { x: 0, y: 0, width: 0, height: 0 },
      step: row.heat === 0 ? 0 : Math.max(1, Math.ceil((row.heat / hottest) * STEPS)),
    }));
    return { name, box, hasTitle, tiles };
  });
  return { root, folders, nCut: rows.length - kept.length };
}

function inset(box: Box, by: number): Box {
  return { x: box.x + by, y: box.y + by, width: Math.max(0, box.width - 2 * by), height: Math.max(0, box.height - 2 * by) };
}

/** Returns the folder that all paths are below, with its slash at the end; empty where they have none in common. */
export function rootOf(paths: readonly string[]): string {
  const [first, ...rest] = paths;
  if (first === undefined) return '';
  let root = first.slice(0, first.lastIndexOf('/') + 1);
  for (const path of rest) {
    while (root !== '' && !path.startsWith(root)) root = root.slice(0, root.slice(0, -1).lastIndexOf('/') + 1);
  }
  return root;
}

function folderOf(path: string): string {
  const end = path.lastIndexOf('/');
  return end < 0 ? '' : path.slice(0, end);
}

/** Cuts a place into areas of these sizes, greatest first, each as near to a square as it can be. */
export function squarify(sizes: readonly number[], place: Box): Box[] {
  const all = sizes.reduce((sum, size) => sum + size, 0);
  const scale = all === 0 ? 0 : (place.width * place.height) / all;
  const boxes: Box[] = [];
  let rest = place;
  let strip: number[] = [];
  for (const size of sizes) {
    const area = size * scale;
    const side = Math.min(rest.width, rest.height);
    if (strip.length > 0 && worst([...strip, area], side) > worst(strip, side)) {
      rest = lay(strip, rest, boxes);
      strip = [area];
    } else strip.push(area);
  }
  if (strip.length > 0) lay(strip, rest, boxes);
  return boxes;
}

/** How far from a square the worst area of a strip is. */
function worst(strip: readonly number[], side: number): number {
  const sum = strip.reduce((a, b) => a + b, 0);
  if (sum === 0 || side === 0) return Number.POSITIVE_INFINITY;
  const [greatest, least] = [Math.max(...strip), Math.min(...strip)];
  return Math.max((side * side * greatest) / (sum * sum), (sum * sum) / (side * side * least));
}

/** Lays a strip along the shorter side and returns what is left of the place. */
function lay(strip: readonly number[], place: Box, boxes: Box[]): Box {
  const sum = strip.reduce((a, b) => a + b, 0);
  const isTall = place.width >= place.height;
  const depth = isTall ? (place.height === 0 ? 0 : sum / place.height) : place.width === 0 ? 0 : sum / place.width;
  let at = 0;
  for (const area of strip) {
    const length = depth === 0 ? 0 : area / depth;
    boxes.push(
      isTall
        ? { x: place.x, y: place.y + at, width: depth, height: length }
        : { x: place.x + at, y: place.y, width: length, height: depth },
    );
    at += length;
  }
  return isTall
    ? { ...place, x: place.x + depth, width: Math.max(0, place.width - depth) }
    : { ...place, y: place.y + depth, height: Math.max(0, place.height - depth) };
}
