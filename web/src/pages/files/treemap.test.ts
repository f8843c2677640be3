import { describe, expect, it } from 'vitest';
import type { Box } from '../../lib/ui/spatial';
import { file } from './testing';
import { STEPS, TILES_MAX, mapOf, rootOf, squarify } from './treemap';

const PLACE = { x: 0, y: 0, width: 600, height: 400 };
const area = (box: Box): number => box.width * box.height;

function isApart(one: Box, two: Box): boolean {
  const slack = 0.001;
  return one.x + one.width <= two.x + slack || two.x + two.width <= one.x + slack || one.y + one.height <= two.y + slack || two.y + two.height <= one.y + slack;
}

describe('areas', () => {
  it('are as large as what they stand for, fill the place, and lie apart', () => {
    const sizes = [6, 6, 4, 3, 2, 2, 1];
    const boxes = squarify(sizes, PLACE);
    for (const [nth, box] of boxes.entries()) {
      expect(area(box)).toBeCloseTo(((sizes[nth] ?? 0) / 24) * area(PLACE));
      for (const other of boxes.slice(nth + 1)) expect(isApart(box, other)).toBe(true);
    }
  });

  it('are near to squares', () => {
    for (const box of squarify([6, 6, 4, 3, 2, 2, 1], PLACE)) expect(Math.max(box.width / box.height, box.height / box.width)).toBeLessThan(3);
  });

  it('are nothing in no place, and for nothing', () => {
    expect(squarify([], PLACE)).toEqual([]);
    for (const box of squarify([1, 2], { ...PLACE, width: 0 })) expect(area(box)).toBe(0);
    for (const box of squarify([0, 0], PLACE)) expect(area(box)).toBe(0);
  });
});

describe('the map of files', () => {
  it('has the folder that all are in on top, and the others below it', () => {
    expect(rootOf(['/a/b/c.rs', '/a/b/d/e.rs'])).toBe('/a/b/');
    expect(rootOf(['/a/bc/x', '/a/bd/x'])).toBe('/a/');
    for (const paths of [['x', '/a'], ['/a', 'x'], ['/a/b', ''], ['//a', 'b']]) expect(rootOf(paths)).toBe('');
    expect(rootOf([])).toBe('');
    const map = mapOf([file('/r/src/a.rs', { n_reads: 3 }), file('/r/src/b.rs', { n_writes: 1 }), file('/r/README.md')], 'touches', 600, 400);
    expect(map.root).toBe('/r/');
    expect(map.folders.map((folder) => [folder.name, folder.tiles.map((tile) => tile.name)])).toEqual([['src', ['a.rs', 'b.rs']], ['', ['README.md']]]);
  });

  it('sizes files by what is asked for', () => {
    const rows = [file('/r/often', { n_reads: 9, n_writes: 1 }), file('/r/changed', { n_writes: 8 })];
    const largest = (size: 'touches' | 'changes'): string | undefined => mapOf(rows, size, 600, 400).folders[0]?.tiles.toSorted((a, b) => area(b.box) - area(a.box))[0]?.name;
    expect(largest('touches')).toBe('often');
    expect(largest('changes')).toBe('changed');
  });

  it('is hottest where most went on in the last hour, and cold where nothing did', () => {
    const rows = [file('/r/a', { heat: 40 }), file('/r/b', { heat: 1 }), file('/r/c')];
    const steps = new Map(mapOf(rows, 'touches', 600, 400).folders[0]?.tiles.map((tile) => [tile.name, tile.step]));
    expect([steps.get('a'), steps.get('b'), steps.get('c')]).toEqual([STEPS, 1, 0]);
  });

  it('has room for so many, and says how many are left out', () => {
    const rows = Array.from({ length: TILES_MAX + 7 }, (_, nth) => file(`/r/${nth}`, { n_reads: nth }));
    const map = mapOf(rows, 'touches', 600, 400);
    expect(map.nCut).toBe(7);
    expect(map.folders.flatMap((folder) => folder.tiles)).toHaveLength(TILES_MAX);
  });

  it('keeps every file within its folder', () => {
    const rows = Array.from({ length: 40 }, (_, nth) => file(`/r/d${nth % 5}/${nth}`, { n_reads: nth * nth }));
    for (const { box, tiles } of mapOf(rows, 'touches', 600, 400).folders) {
      for (const tile of tiles) {
        expect(tile.box.x).toBeGreaterThanOrEqual(box.x - 0.001);
        expect(tile.box.y + tile.box.height).toBeLessThanOrEqual(box.y + box.height + 0.001);
      }
    }
  });
});
