// Work as a graph: which pieces hang together, how, and where each is drawn. Pure; what it may draw is bounded.
import type { WorkRow } from '../../lib/api/rows-work';
import type { WorkOrigin, WorkState } from '../../lib/api/words';
import type { Box } from '../../lib/ui/spatial';
import { drawLayers, type Sizes } from './layers';

export interface GraphNode extends Box {
  id: string;
  title: string;
  state: WorkState;
  isReady: boolean;
  actor?: string;
  /** Whether it is one of those that were asked for, and not only beside one. */
  isFound: boolean;
}

export interface GraphEdge {
  from: string;
  to: string;
  /** `needs`: the first has to be done before the second. Else the second came of the first. */
  kind: 'needs' | Exclude<WorkOrigin, 'child'>;
  /** Whether the second still waits for the first. */
  isOpen: boolean;
  way: { x: number; y: number }[];
}

export interface Graph {
  nodes: GraphNode[];
  edges: GraphEdge[];
  width: number;
  height: number;
  /** How many of those asked for hang together with nothing. */
  nAlone: number;
  /** How many are not drawn because there are too many. */
  nCut: number;
}

export const NODES_MAX = 300;
export const SIZES: Sizes = { width: 188, height: 40, gapX: 56, gapY: 12 };
const GAP = 36;
/** How much wider than high the whole is, about. */
const ASPECT = 1.8;

type Link = Omit<GraphEdge, 'way'>;

/** Draws those of `rows` that are in `found`, with what each hangs together with. The order of `rows` decides who comes first. */
export function graphOf(rows: readonly WorkRow[], found: ReadonlySet<string>): Graph {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const links = linksOf(rows, byId);
  const near = neighboursOf(links);
  const wanted = new Set<string>();
  let nAlone = 0;
  for (const row of rows) {
    if (!found.has(row.id)) continue;
    const beside = near.get(row.id);
    if (beside === undefined) nAlone++;
    else for (const id of [row.id, ...beside]) wanted.add(id);
  }
  const drawnLinks = links.filter((link) => wanted.has(link.from) && wanted.has(link.to));
  const groups = groupsOf([...byId.keys()].filter((id) => wanted.has(id)), neighboursOf(drawnLinks));
  const kept: string[][] = [];
  let nKept = 0;
  for (const group of groups) {
    if (nKept + group.length > NODES_MAX) continue;
    kept.push(group);
    nKept += group.length;
  }
  return { ...place(kept, drawnLinks, byId, found), nAlone, nCut: wanted.size - nKept };
}

/** Parts come before the whole; whatever else came of a piece of work comes behind it. */
function linksOf(rows: readonly WorkRow[], byId: ReadonlyMap<string, WorkRow>): Link[] {
  const links = new Map<string, Link>();
  const add = (link: Link): void => {
    if (link.from === link.to || !byId.has(link.from) || !byId.has(link.to)) return;
    const key = JSON.stringify([link.from, link.to]);
    const known = links.get(key);
    if (known === undefined) links.set(key, link);
    else known.isOpen ||= link.isOpen;
  };
  const came = (whole: string, part: string, origin: WorkOrigin | undefined): void => {
    if (origin === 'child' || origin === undefined) add({ from: part, to: whole, kind: 'needs', isOpen: byId.get(whole)?.blocked_by.includes(part) ?? false });
    else add({ from: whole, to: part, kind: origin, isOpen: false });
  };
  for (const row of rows) {
    for (const child of row.children) came(row.id, child.id, child.origin);
    if (row.parent !== undefined) came(row.parent, row.id, row.origin);
    for (const blocker of row.blocked_by) add({ from: blocker, to: row.id, kind: 'needs', isOpen: true });
  }
  return [...links.values()];
}

function neighboursOf(links: readonly Link[]): Map<string, string[]> {
  const near = new Map<string, string[]>();
  const add = (one: string, two: string): void => {
    const known = near.get(one);
    if (known === undefined) near.set(one, [two]);
    else known.push(two);
  };
  for (const { from, to } of links) {
    add(from, to);
    add(to, from);
  }
  return near;
}

/** Returns what hangs together, in the order of the first of each. */
function groupsOf(ids: readonly string[], near: ReadonlyMap<string, string[]>): string[][] {
  const seen = new Set<string>();
  const groups: string[][] = [];
  for (const id of ids) {
    if (seen.has(id)) continue;
    seen.add(id);
    const group = [id];
    for (let at = 0; at < group.length; at++) {
      for (const beside of near.get(group[at]!) ?? []) {
        if (seen.has(beside)) continue;
        seen.add(beside);
        group.push(beside);
      }
    }
    groups.push(group);
  }
  return groups;
}

/** Draws each group and puts them beside and below each other. */
function place(groups: readonly string[][], links: readonly Link[], byId: ReadonlyMap<string, WorkRow>, found: ReadonlySet<string>): Omit<Graph, 'nAlone' | 'nCut'> {
  const groupOf = new Map(groups.flatMap((group, nth) => group.map((id) => [id, nth] as const)));
  const linksIn: Link[][] = groups.map(() => []);
  for (const link of links) linksIn[groupOf.get(link.from) ?? -1]?.push(link);
  const drawings = groups.map((group, nth) => drawLayers(group, linksIn[nth] ?? [], SIZES));
  const area = drawings.reduce((sum, one) => sum + (one.width + GAP) * (one.height + GAP), 0);
  const lineWidth = Math.max(Math.sqrt(area * ASPECT), ...drawings.map((one) => one.width));

  const nodes: GraphNode[] = [];
  const edges: GraphEdge[] = [];
  let [x, y, lineHeight, width] = [0, 0, 0, 0];
  for (const [nth, drawing] of drawings.entries()) {
    if (x > 0 && x + drawing.width > lineWidth) [x, y, lineHeight] = [0, y + lineHeight + GAP, 0];
    for (const [id, box] of drawing.boxes) {
      const row = byId.get(id);
      if (row !== undefined) nodes.push(nodeOf(row, { ...box, x: box.x + x, y: box.y + y }, found.has(id)));
    }
    for (const [at, link] of (linksIn[nth] ?? []).entries()) {
      const way = (drawing.ways[at] ?? []).map((point) => ({ x: point.x + x, y: point.y + y }));
      edges.push({ ...link, way });
    }
    width = Math.max(width, x + drawing.width);
    lineHeight = Math.max(lineHeight, drawing.height);
    x += drawing.width + GAP;
  }
  return { nodes, edges, width, height: nodes.length === 0 ? 0 : y + lineHeight };
}

function nodeOf(row: WorkRow, box: Box, isFound: boolean): GraphNode {
  const node = { ...box, id: row.id, title: row.title ?? '', state: row.state, isReady: row.is_ready, isFound };
  return row.actor === undefined ? node : { ...node, actor: row.actor };
}

/** Returns the path of an edge as an SVG path draws it: level where it leaves and where it arrives. */
export function pathOf(way: readonly { x: number; y: number }[]): string {
  const [start, ...rest] = way;
  if (start === undefined) return '';
  let [path, from] = [`M${start.x} ${start.y}`, start];
  for (const to of rest) {
    const half = (from.x + to.x) / 2;
    path += `C${half} ${from.y} ${half} ${to.y} ${to.x} ${to.y}`;
    from = to;
  }
  return path;
}
