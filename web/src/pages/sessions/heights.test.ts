import { describe, expect, it } from 'vitest';
import { Heights } from './heights';

function made(n: number, measured: Record<number, number> = {}): Heights {
  const heights = new Heights(10);
  heights.resize(n);
  for (const [line, height] of Object.entries(measured)) heights.set(Number(line), height);
  return heights;
}

describe('heights', () => {
  it('are supposed until they are measured', () => {
    const heights = made(5);
    expect([heights.total, heights.topOf(3), heights.lineAt(29), heights.lineAt(30)]).toEqual([50, 30, 2, 3]);
    expect(heights.set(1, 25)).toBe(15);
    expect([heights.total, heights.topOf(3), heights.lineAt(29), heights.lineAt(34), heights.lineAt(35)]).toEqual([65, 45, 1, 1, 2]);
    expect(heights.set(1, 10)).toBe(-15);
    expect(heights.total).toBe(50);
  });

  it('have an answer beyond both ends, and for no line at all', () => {
    const heights = made(3);
    expect([heights.lineAt(-5), heights.lineAt(1_000), heights.topOf(-1), heights.topOf(99)]).toEqual([0, 2, 0, 30]);
    expect([made(0).lineAt(5), made(0).total, made(0).set(0, 9)]).toEqual([0, 0, 0]);
  });

  it('stay when the list grows, and go with the lines that go', () => {
    const heights = made(3, { 1: 40 });
    heights.resize(100);
    expect([heights.topOf(2), heights.total]).toEqual([50, 1_030]);
    heights.resize(1);
    heights.resize(3);
    expect(heights.total).toBe(30);
  });

  it('are the same as adding up every line', () => {
    let seed = 3;
    const next = (below: number): number => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) % below;
    const plain = new Array<number>(777).fill(10);
    const heights = made(777);
    for (let n = 0; n < 2_000; n++) {
      const [line, height] = [next(777), 1 + next(90)];
      plain[line] = height;
      heights.set(line, height);
    }
    let top = 0;
    plain.forEach((height, line) => {
      expect(heights.topOf(line)).toBe(top);
      expect(heights.lineAt(top)).toBe(line);
      expect(heights.lineAt(top + height - 0.5)).toBe(line);
      top += height;
    });
    expect(heights.total).toBe(top);
  });

  it('go where their lines go', () => {
    const moved = made(5, { 1: 20, 3: 30, 4: 40 }).moved(3, (line) => (line === 3 ? null : line > 3 ? line - 2 : line));
    expect([0, 1, 2, 3].map((line) => moved.topOf(line))).toEqual([0, 10, 30, 70]);
  });
});
