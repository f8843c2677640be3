// What a table shows and in which order. Pure; DataTable.svelte draws it.
import type { Sort } from '../route/param.svelte';

export interface Column<Row> {
  /** Its name in the address, where rows are sorted by it. */
  key: string;
  title: string;
  /** What it tells, where the title is not enough. */
  about?: string;
  /** The width as a track of a CSS grid: `8rem`, `minmax(10rem, 2fr)`. */
  width: string;
  align?: 'start' | 'end';
  /** The text of a cell. Where `isRich`, the table's `cell` snippet draws it instead, and this is what is searched. */
  text?: (row: Row) => string | undefined;
  isRich?: boolean;
  isVerbatim?: boolean;
  /** What rows are sorted by; without it they cannot be. */
  sort?: (row: Row) => string | number | undefined;
  /** Whether the first click sorts the greatest first. */
  isDownFirst?: boolean;
  /** How wide the table has to be for the column to show, in pixels. */
  from?: number;
}

/** Returns the rows in order; those without a value come last, whichever way. Equal rows keep their places. */
export function sortRows<Row>(rows: readonly Row[], columns: readonly Column<Row>[], sort: Sort | null): readonly Row[] {
  const by = columns.find((column) => column.key === sort?.key)?.sort;
  if (sort === null || by === undefined) return rows;
  const keyed = rows.map((row) => ({ row, value: by(row) }));
  keyed.sort((a, b) => {
    if (a.value === b.value) return 0;
    if (a.value === undefined) return 1;
    if (b.value === undefined) return -1;
    const order = a.value < b.value ? -1 : 1;
    return sort.isDown ? -order : order;
  });
  return keyed.map(({ row }) => row);
}

/** Returns the order after a click on a column's title: its first way, the other way, the view's own. */
export function nextSort<Row>(column: Column<Row>, sort: Sort | null): Sort | null {
  const isDownFirst = column.isDownFirst ?? false;
  if (sort?.key !== column.key) return { key: column.key, isDown: isDownFirst };
  return sort.isDown === isDownFirst ? { key: column.key, isDown: !isDownFirst } : null;
}

/** Returns the rows in which every word of a search occurs, in any column. */
export function searchRows<Row>(rows: readonly Row[], search: string, texts: (row: Row) => (string | undefined)[]): readonly Row[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return rows;
  return rows.filter((row) => {
    const text = texts(row).join('\n').toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** Which rows are drawn: those in sight and a few around them. */
export interface Span {
  first: number;
  end: number;
}

/** Rows that are drawn beyond each edge, so that scrolling does not show blanks. */
const AROUND = 8;
/** Tables up to this length are drawn whole: the browser's own search finds all of it. */
const WHOLE_MAX = 100;

export function spanOf(nRows: number, rowHeight: number, scrollTop: number, height: number): Span {
  return nRows <= WHOLE_MAX ? { first: 0, end: nRows } : within(nRows, rowHeight, scrollTop, height, AROUND);
}

/** Which rows are drawn first: those in sight alone, because each takes its time; a short table all the same is drawn whole. */
export function firstSpanOf(nRows: number, rowHeight: number, scrollTop: number, height: number): Span {
  return nRows <= WHOLE_MAX ? { first: 0, end: nRows } : within(nRows, rowHeight, scrollTop, height, 0);
}

function within(nRows: number, rowHeight: number, scrollTop: number, height: number, around: number): Span {
  const first = Math.max(0, Math.floor(scrollTop / rowHeight) - around);
  const end = Math.min(nRows, Math.ceil((scrollTop + height) / rowHeight) + around);
  return { first: Math.min(first, nRows), end };
}
