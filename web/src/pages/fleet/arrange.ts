// The fleet as lines: in groups, and within each who was started below whoever started it. Pure.
import type { FleetRow } from '../../lib/api/rows';

/** A line of the board: a heading over a group, or an actor. */
export type Line = { kind: 'group'; name: string; n: number } | ActorLine<FleetRow>;

/** An actor at its place below whoever started it. */
export interface ActorLine<Row> {
  kind: 'actor';
  row: Row;
  depth: number;
  nBelow: number;
  isFolded: boolean;
}

export const GROUPS = ['none', 'host', 'session', 'dialect', 'status', 'presence', 'model', 'folder', 'tenant', 'task'] as const;
export type Group = (typeof GROUPS)[number];

/** Who is deeper than this is drawn at this depth. */
export const DEPTH_MAX = 8;

/** Arranges rows that are already in order; the order holds among those who stand at one place. */
export function arrange(rows: readonly FleetRow[], group: Group, folded: ReadonlySet<string>): Line[] {
  if (group === 'none') return tree(rows, folded);
  const groups = new Map<string, FleetRow[]>();
  for (const row of rows) {
    const name = row[group] ?? '';
    const members = groups.get(name);
    if (members === undefined) groups.set(name, [row]);
    else members.push(row);
  }
  const names = [...groups.keys()].sort((a, b) => (a === '' ? 1 : b === '' ? -1 : a < b ? -1 : 1));
  return names.flatMap((name) => {
    const members = groups.get(name) ?? [];
    const title = name === '' ? `no ${group}` : name.replaceAll('_', ' ');
    return [{ kind: 'group' as const, name: title, n: members.length }, ...tree(members, folded)];
  });
}

/**
 * Of the lines of the first rows alone, returns those that stand where they will stand among all: up to the first one that belongs
 * below somebody who is not there yet, or has somebody below it who is not.
 */
export function certain(lines: readonly Line[]): Line[] {
  const rows = lines.flatMap((line) => (line.kind === 'actor' ? [line.row] : []));
  const here = new Set(rows.map(({ actor }) => actor));
  const isOpen = (line: Line): boolean => {
    if (line.kind === 'group') return true;
    const { actor, parent, children = [] } = line.row;
    return (line.depth === 0 && (parent ?? actor) !== actor) || children.some((child) => !here.has(child));
  };
  const end = lines.findIndex(isOpen);
  return lines.slice(0, end < 0 ? lines.length : end);
}

/** Puts those who were started below whoever started them; nobody is left out, and nobody is there twice. */
export function tree<Row extends { actor: string; parent?: string }>(rows: readonly Row[], folded: ReadonlySet<string>): ActorLine<Row>[] {
  const here = new Set(rows.map((row) => row.actor));
  const below = new Map<string, Row[]>();
  const tops: Row[] = [];
  for (const row of rows) {
    if (row.parent === undefined || row.parent === row.actor || !here.has(row.parent)) tops.push(row);
    else {
      const siblings = below.get(row.parent);
      if (siblings === undefined) below.set(row.parent, [row]);
      else siblings.push(row);
    }
  }
  const lines: ActorLine<Row>[] = [];
  const seen = new Set<string>();
  const add = (row: Row, depth: number): void => {
    if (seen.has(row.actor)) return;
    seen.add(row.actor);
    const children = below.get(row.actor) ?? [];
    const isFolded = folded.has(row.actor);
    lines.push({ kind: 'actor', row, depth: Math.min(depth, DEPTH_MAX), nBelow: children.length, isFolded });
    if (isFolded) markBelow(row.actor);
    else for (const child of children) add(child, depth + 1);
  };
  const markBelow = (actor: string): void => {
    for (const child of below.get(actor) ?? []) {
      if (seen.has(child.actor)) continue;
      seen.add(child.actor);
      markBelow(child.actor);
    }
  };
  for (const row of tops) add(row, 0);
  // Whoever is left started each other in a circle: nobody is above them.
  for (const row of rows) add(row, 0);
  return lines;
}
