import { describe, expect, it } from 'vitest';
import { drawLayers, type Edge } from './layers';

const SIZES = { width: 100, height: 30, gapX: 50, gapY: 10 };
const edge = (text: string): Edge => ({ from: text[0] ?? '', to: text[1] ?? '' });
const draw = (ids: string, edges: string[]) => drawLayers([...ids], edges.map(edge), SIZES);
const layerOf = (drawing: ReturnType<typeof draw>, id: string): number => (drawing.boxes.get(id)?.x ?? -1) / 150;

/** Boxes that lie on each other. */
function overlaps(drawing: ReturnType<typeof draw>): string[] {
  const boxes = [...drawing.boxes];
  return boxes.flatMap(([a, one], nth) =>
    boxes.slice(nth + 1).filter(([, two]) => one.x === two.x && Math.abs(one.y - two.y) < SIZES.height).map(([b]) => a + b),
  );
}

describe('a layered drawing', () => {
  it('has what comes first on the left, by the longest way', () => {
    const drawing = draw('abcd', ['ab', 'bc', 'ac', 'cd']);
    expect([...'abcd'].map((id) => layerOf(drawing, id))).toEqual([0, 1, 2, 3]);
    expect(drawing.width).toBe(4 * 150 - 50);
  });

  it('keeps boxes of one layer apart', () => {
    const drawing = draw('abcdefgh', ['ab', 'ac', 'ad', 'ae', 'bf', 'cf', 'dg', 'eg', 'ah']);
    expect(overlaps(drawing)).toEqual([]);
    for (const box of drawing.boxes.values()) expect(box.y).toBeGreaterThanOrEqual(0);
  });

  it('lets edges of neighbours not cross where they need not', () => {
    const drawing = draw('abxy', ['ay', 'bx']);
    const y = (id: string): number => drawing.boxes.get(id)?.y ?? 0;
    expect(Math.sign(y('a') - y('b'))).toBe(Math.sign(y('y') - y('x')));
  });

  it('ends with circles, and draws the edges that close them', () => {
    const drawing = draw('abc', ['ab', 'bc', 'ca', 'aa']);
    expect(overlaps(drawing)).toEqual([]);
    expect(drawing.ways[2]).toHaveLength(3);
    expect(drawing.ways[3]).toEqual([]);
  });

  it('leads long edges through the layers between', () => {
    const drawing = draw('abc', ['ab', 'bc', 'ac']);
    const way = drawing.ways[2] ?? [];
    expect(way).toHaveLength(3);
    expect(way[1]?.x).toBe(200);
    const middle = (drawing.boxes.get('b')?.y ?? 0) + 15;
    expect(Math.abs((way[1]?.y ?? 0) - middle)).toBeGreaterThanOrEqual(SIZES.height);
  });

  it('passes over edges to what is not there', () => {
    expect(draw('a', ['az']).ways).toEqual([[]]);
    expect(drawLayers([], [], SIZES).boxes.size).toBe(0);
  });

  it('is the same each time', () => {
    const edges = ['ab', 'ac', 'bd', 'cd', 'da'];
    expect(draw('abcd', edges)).toEqual(draw('abcd', edges));
  });

  it('draws a long chain and a wide fan at once', () => {
    const ids = Array.from({ length: 400 }, (_, nth) => `n${nth}`);
    const chain = ids.slice(1, 200).map((id, nth) => ({ from: ids[nth]!, to: id }));
    const fan = ids.slice(200).map((id) => ({ from: ids[0]!, to: id }));
    expect(drawLayers(ids, [...chain, ...fan], SIZES).boxes.size).toBe(400);
  });
});
