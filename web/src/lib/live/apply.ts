// How the events of a view's stream become rows: pure, so that it can be tested without a stream.
import type { ViewChange } from '../api/views';

/** Rows by id, in the view's order. */
export interface Shown<Row> {
  ids: readonly string[];
  byId: ReadonlyMap<string, Row>;
}

export const NOTHING: Shown<never> = { ids: [], byId: new Map<string, never>() };

/** Returns what is shown after a change: the same as before where no row changed. Rows that did not change stay the same objects. */
export function apply<Row>(before: Shown<Row>, change: ViewChange<Row>): Shown<Row> {
  if (change.is_whole) {
    return { ids: change.rows.map(({ id }) => id), byId: new Map(change.rows.map(({ id, row }) => [id, row])) };
  }
  const moved = change.moved ?? [];
  if (change.rows.length + change.gone.length + moved.length === 0) return before;
  const byId = new Map(before.byId);
  for (const id of change.gone) byId.delete(id);
  for (const { id, row } of change.rows) byId.set(id, row);
  if (change.gone.length + moved.length === 0) return { ids: before.ids, byId };
  const elsewhere = new Set(moved.map(({ id }) => id));
  const staying = before.ids.filter((id) => byId.has(id) && !elsewhere.has(id));
  return { ids: placed(staying, moved), byId };
}

/** Puts those that moved, first to last, at their places among those that stay as they stood. */
function placed(staying: readonly string[], moved: readonly { id: string; nth: number }[]): string[] {
  const ids: string[] = [];
  let next = 0;
  for (const { id, nth } of moved) {
    while (ids.length < nth && next < staying.length) ids.push(staying[next++]!);
    ids.push(id);
  }
  return ids.concat(staying.slice(next));
}

/** Returns the rows in order. */
export function rowsOf<Row>({ ids, byId }: Shown<Row>): Row[] {
  const rows: Row[] = [];
  for (const id of ids) {
    const row = byId.get(id);
    if (row !== undefined) rows.push(row);
  }
  return rows;
}
