// The columns that a record can be shown with, and those that are chosen.
import type { LogRecord } from '../../lib/api/answers';
import { isTexts, kept } from '../../lib/look/kept.svelte';
import { glance, type Glance } from '../../lib/ui/glance';
import type { Column } from '../../lib/ui/table';

const glances = new WeakMap<LogRecord, Glance>();

/** Reads an event once, however often its row is drawn. */
function glanceOf(record: LogRecord): Glance {
  const known = glances.get(record);
  if (known !== undefined) return known;
  const made = glance(record.event, record.dialect);
  glances.set(record, made);
  return made;
}

const orUndefined = (text: string): string | undefined => (text === '' ? undefined : text);

export const COLUMNS: Column<LogRecord>[] = [
  { key: 'position', title: 'Position', width: '4.8rem', align: 'end', isRich: true, text: (row) => String(row.position) },
  { key: 'received', title: 'Received', width: '9.2rem', isRich: true, from: 530 },
  { key: 'dialect', title: 'Dialect', width: '5rem', text: (row) => row.dialect, from: 740 },
  { key: 'via', title: 'Via', width: '4.5rem', text: (row) => row.via },
  { key: 'type', title: 'Type', width: 'minmax(7rem, 1fr)', text: (row) => glanceOf(row).type || row.topic },
  { key: 'actor', title: 'Actor', width: 'minmax(7rem, 1fr)', text: (row) => orUndefined(glanceOf(row).actor), from: 650 },
  { key: 'session', title: 'Session', width: 'minmax(7rem, 1fr)', text: (row) => orUndefined(glanceOf(row).session) },
  { key: 'topic', title: 'Topic', width: '8rem', text: (row) => row.topic },
  { key: 'text', title: 'What it says', width: 'minmax(8rem, 2.5fr)', text: (row) => orUndefined(glanceOf(row).text), from: 340 },
  { key: 'event', title: 'Event', width: 'minmax(14rem, 4fr)', isVerbatim: true, text: (row) => JSON.stringify(row.event).slice(0, 400) },
];

/** What times without a date leave to the other columns. */
const SPARED_PX = 74;

/** Returns the chosen columns; the one with times is as wide as they are, and the others come when there is room for them. */
export function columnsOf(chosen: readonly string[], isOfToday: boolean): Column<LogRecord>[] {
  const columns = COLUMNS.filter((column) => chosen.includes(column.key));
  if (!isOfToday) return columns;
  return columns.map((column) => ({
    ...column,
    ...(column.from !== undefined && { from: column.from - SPARED_PX }),
    ...(column.key === 'received' && { width: '4.6rem' }),
  }));
}

const USUAL = ['position', 'received', 'dialect', 'type', 'actor', 'text'];

export const chosenColumns = kept('weft-log-columns', USUAL, isTexts);
export const savedFilters = kept<string[]>('weft-filters', [], isTexts);
