// A layered drawing of a graph: what comes first stands left of what comes of it. Pure, and safe for circles: an edge that
// would close one is drawn, but decides nothing. Cost grows with nodes, edges and layers; whoever calls it bounds them.
import type { Box } from '../../lib/ui/spatial';

export interface Edge {
  from: string;
  to: string;
}

export interface Drawing {
  boxes: Map<string, Box>;
  /** The way of each edge, from the right of its first to the left of its second box. */
  ways: { x: number; y: number }[][];
  width: number;
  height: number;
}

export interface Sizes {
  width: number;
  height: number;
  /** Between layers, and between boxes of a layer. */
  gapX: number;
  gapY: number;
}

/** Edges over more layers than these go straight. */
const BENDS_MAX = 16;
const SWEEPS = 6;

/** Draws one connected graph. Edges to unknown nodes, and from a node to itself, have no way. */
export function drawLayers(ids: readonly string[], edges: readonly Edge[], sizes: Sizes): Drawing {
  const index = new Map(ids.map((id, idx) => [id, idx]));
  const arcs = edges.map(({ from, to }) => [index.get(from) ?? -1, index.get(to) ?? -1] as const);
  const layer = layersOf(ids.length, arcs);
  const net = netOf(layer, arcs);
  const order = orderOf(net);
  const y = heightsOf(net, order, sizes);
  const x = (vertex: number): number => (net.layer[vertex] ?? 0) * (sizes.width + sizes.gapX);

  const boxes = new Map<string, Box>();
  for (const [idx, id] of ids.entries()) boxes.set(id, { x: x(idx), y: y[idx] ?? 0, width: sizes.width, height: sizes.height });
  const middle = (vertex: number): number => (y[vertex] ?? 0) + sizes.height / 2;
  const ways = arcs.map(([from, to], nth) => {
    if (from < 0 || to < 0 || from === to) return [];
    const bends = (net.bends[nth] ?? []).map((bend) => ({ x: x(bend) + sizes.width / 2, y: middle(bend) }));
    const isBack = (layer[to] ?? 0) <= (layer[from] ?? 0);
    const start = { x: x(from) + (isBack ? 0 : sizes.width), y: middle(from) };
    const end = { x: x(to) + (isBack ? sizes.width : 0), y: middle(to) };
    return [start, ...bends, end];
  });
  const nLayers = Math.max(0, ...layer) + 1;
  const deepest = Math.max(0, ...y) + sizes.height;
  return { boxes, ways, width: nLayers * (sizes.width + sizes.gapX) - sizes.gapX, height: deepest };
}

type Arc = readonly [from: number, to: number];

/** Returns the layer of each node: one more than the last of those that come before it. */
function layersOf(nNodes: number, arcs: readonly Arc[]): number[] {
  const forward = withoutCircles(nNodes, arcs);
  const next: number[][] = Array.from({ length: nNodes }, () => []);
  const nBefore = new Array<number>(nNodes).fill(0);
  for (const [from, to] of forward) {
    next[from]?.push(to);
    nBefore[to] = (nBefore[to] ?? 0) + 1;
  }
  const layer = new Array<number>(nNodes).fill(0);
  const free = nBefore.flatMap((n, idx) => (n === 0 ? [idx] : []));
  for (let at = 0; at < free.length; at++) {
    const node = free[at]!;
    for (const to of next[node] ?? []) {
      layer[to] = Math.max(layer[to] ?? 0, (layer[node] ?? 0) + 1);
      nBefore[to] = (nBefore[to] ?? 0) - 1;
      if (nBefore[to] === 0) free.push(to);
    }
  }
  return layer;
}

/** Returns the edges without those that close a circle, found by a walk that goes as deep as it can. */
function withoutCircles(nNodes: number, arcs: readonly Arc[]): Arc[] {
  const next: number[][] = Array.from({ length: nNodes }, () => []);
  for (const [from, to] of arcs) if (from >= 0 && to >= 0 && from !== to) next[from]?.push(to);
  const OPEN = 1;
  const LEFT = 2;
  const mark = new Array<number>(nNodes).fill(0);
  const kept: Arc[] = [];
  for (let start = 0; start < nNodes; start++) {
    if (mark[start] !== 0) continue;
    const path: { node: number; nth: number }[] = [{ node: start, nth: 0 }];
    mark[start] = OPEN;
    while (path.length > 0) {
      const top = path.at(-1)!;
      const to = next[top.node]?.[top.nth++];
      if (to === undefined) {
        mark[top.node] = LEFT;
        path.pop();
      } else if (mark[to] !== OPEN) {
        kept.push([top.node, to]);
        if (mark[to] === 0) {
          mark[to] = OPEN;
          path.push({ node: to, nth: 0 });
        }
      }
    }
  }
  return kept;
}

/** Nodes and bends in layers, with edges between neighbouring layers alone. */
interface Net {
  layer: number[];
  before: number[][];
  after: number[][];
  /** The bends of each edge, in its own direction. */
  bends: number[][];
}

function netOf(nodeLayer: readonly number[], arcs: readonly Arc[]): Net {
  const net: Net = { layer: [...nodeLayer], before: nodeLayer.map(() => []), after: nodeLayer.map(() => []), bends: [] };
  const join = (from: number, to: number): void => {
    net.after[from]?.push(to);
    net.before[to]?.push(from);
  };
  for (const [from, to] of arcs) {
    const bends: number[] = [];
    net.bends.push(bends);
    const [first, last] = [nodeLayer[from] ?? 0, nodeLayer[to] ?? 0];
    if (from < 0 || to < 0 || first === last) continue;
    const [low, high] = first < last ? [from, to] : [to, from];
    const [lowLayer, highLayer] = [Math.min(first, last), Math.max(first, last)];
    let behind = low;
    for (let between = lowLayer + 1; between < highLayer && highLayer - lowLayer <= BENDS_MAX; between++) {
      const bend = net.layer.push(between) - 1;
      net.before.push([]);
      net.after.push([]);
      join(behind, bend);
      bends.push(bend);
      behind = bend;
    }
    join(behind, high);
    if (first > last) bends.reverse();
  }
  return net;
}

/** Returns the vertices of each layer from top to bottom, with few crossings: each goes to the middle of its neighbours. */
function orderOf(net: Net): number[][] {
  const order: number[][] = Array.from({ length: Math.max(0, ...net.layer) + 1 }, () => []);
  for (const [vertex, layer] of net.layer.entries()) order[layer]?.push(vertex);
  const place = new Array<number>(net.layer.length).fill(0);
  const settle = (layer: readonly number[]): void => layer.forEach((vertex, nth) => (place[vertex] = nth));
  order.forEach(settle);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const isDown = sweep % 2 === 0;
    const beside = isDown ? net.before : net.after;
    const layers = isDown ? order : [...order].reverse();
    for (const layer of layers) {
      const wish = new Map(layer.map((vertex) => [vertex, mean(beside[vertex] ?? [], place) ?? place[vertex] ?? 0]));
      layer.sort((a, b) => (wish.get(a) ?? 0) - (wish.get(b) ?? 0) || (place[a] ?? 0) - (place[b] ?? 0));
      settle(layer);
    }
  }
  return order;
}

/** Returns how far down each vertex is: near its neighbours, and apart from those above and below it. */
function heightsOf(net: Net, order: readonly number[][], sizes: Sizes): number[] {
  const step = sizes.height + sizes.gapY;
  const y = new Array<number>(net.layer.length).fill(0);
  for (const layer of order) layer.forEach((vertex, nth) => (y[vertex] = nth * step));
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const isDown = sweep % 2 === 0;
    const beside = isDown ? net.before : net.after;
    for (const layer of isDown ? order : [...order].reverse()) spread(layer, (vertex) => mean(beside[vertex] ?? [], y) ?? y[vertex] ?? 0, y, step);
  }
  const least = y.length === 0 ? 0 : Math.min(...y);
  return y.map((value) => value - least);
}

/** Puts the vertices of a layer where they wish to be, no closer than a step, and as a whole neither higher nor lower. */
function spread(layer: readonly number[], wishOf: (vertex: number) => number, y: number[], step: number): void {
  const wishes = layer.map(wishOf);
  const placed: number[] = [];
  for (const [nth, wish] of wishes.entries()) placed.push(nth === 0 ? wish : Math.max(wish, (placed[nth - 1] ?? 0) + step));
  const shift = placed.reduce((sum, value, nth) => sum + value - (wishes[nth] ?? 0), 0) / Math.max(1, placed.length);
  layer.forEach((vertex, nth) => (y[vertex] = (placed[nth] ?? 0) - shift));
}

function mean(vertices: readonly number[], values: readonly number[]): number | null {
  if (vertices.length === 0) return null;
  return vertices.reduce((sum, vertex) => sum + (values[vertex] ?? 0), 0) / vertices.length;
}
