// The columns of the board. Rows are sorted as actors, before they are arranged as lines.
import type { FleetRow } from '../../lib/api/rows';
import { STATUS_ORDER } from '../../lib/look/status';
import { count } from '../../lib/time/format';
import type { Column } from '../../lib/ui/table';
import type { Line } from './arrange';

const PRESENCES: FleetRow['presence'][] = ['alive_by_events', 'alive_by_heartbeat', 'silent', 'gone'];

export const ROW_COLUMNS: Column<FleetRow>[] = [
  { key: 'actor', title: 'Actor', width: 'minmax(8rem, 2fr)', isRich: true, sort: (row) => row.actor },
  {
    key: 'status',
    title: 'Status',
    width: '7.4rem',
    isRich: true,
    sort: (row) => (row.status === undefined ? undefined : STATUS_ORDER.indexOf(row.status)),
  },
  { key: 'since', title: 'For', about: 'How long it has had this status', width: '4.5rem', align: 'end', isRich: true, sort: (row) => row.since },
  { key: 'on', title: 'On', about: 'What it is on', width: 'minmax(8rem, 2fr)', isRich: true, sort: (row) => row.on, from: 460 },
  { key: 'message', title: 'Last words', width: 'minmax(8rem, 2fr)', text: (row) => row.message, from: 860 },
  { key: 'presence', title: 'Presence', width: '6.5rem', isRich: true, sort: (row) => PRESENCES.indexOf(row.presence), from: 600 },
  { key: 'host', title: 'Host', width: '6rem', text: (row) => row.host, sort: (row) => row.host, from: 1_180 },
  { key: 'last_seen', title: 'Seen', about: 'When it was last seen', width: '4.5rem', align: 'end', isRich: true, sort: (row) => row.last_seen, isDownFirst: true, from: 760 },
  { key: 'n_events', title: 'Events', width: '4rem', align: 'end', text: (row) => count(row.n_events), sort: (row) => row.n_events, isDownFirst: true, from: 760 },
];

/** The same for lines, of which headings have no cells. */
export const columns: Column<Line>[] = ROW_COLUMNS.map(({ text, sort, ...column }) => ({
  ...column,
  ...(text && { text: (line: Line) => (line.kind === 'actor' ? text(line.row) : '') }),
  ...(sort && { sort: (line: Line) => (line.kind === 'actor' ? sort(line.row) : undefined) }),
}));
