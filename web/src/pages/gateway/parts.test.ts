import { describe, expect, it } from 'vitest';
import type { GatewayPeer, GatewayRow } from '../../lib/api/rows-work';
import { TABLES, isOf, lookOf, tenants } from './parts';

const at = '2026-11-16T09:30:00Z';
const peer: GatewayPeer = { part: 'peer', pairing: 'p', phase: 'completed', since: at, position: 1 };
const ROWS: GatewayRow[] = [
  { part: 'component', component: 'c', kind: 'tool_host', last_seen: at, quiet_ms: 0, is_silent: false, n_events: 1 },
  { part: 'session', tenant: 'harbor', session: 's', n_turns: 1, n_failed_turns: 0, n_mails: 0, n_replies: 0, n_calls: 0, last_seen: at, quiet_ms: 0 },
  { part: 'reply', id: 'r', tenant: 'depot', is_last_active: true, since: at, position: 2 },
  peer,
  { part: 'job', job: 'j', last_run: at, scheduled: [], n_runs: 1, position: 3 },
  { part: 'revision', revision: 'v', is_current: true, is_reverted: false, component: 'c', position: 4 },
];

describe('the tables of a gateway', () => {
  it('have every row in one of them, and tool hosts in two', () => {
    for (const row of ROWS) expect(TABLES.filter((table) => table.has(row)).length).toBe(row.part === 'component' ? 2 : 1);
  });

  it('can show every row in every column', () => {
    for (const table of TABLES) {
      for (const row of ROWS.filter(table.has)) for (const column of table.columns) expect(() => [column.text?.(row), column.sort?.(row)]).not.toThrow();
    }
  });

  it('have no column twice', () => {
    for (const { columns } of TABLES) expect(new Set(columns.map((column) => column.key)).size).toBe(columns.length);
  });
});

it('warns where a certificate is not the one it was', () => {
  expect(lookOf(peer)?.tone).toBe('good');
  expect(lookOf({ ...peer, fingerprint_before: 'sha256:1' })).toMatchObject({ tone: 'warn', sign: '≠' });
});

it('tells tenants apart', () => {
  expect(tenants(ROWS)).toEqual(['depot', 'harbor']);
  expect(ROWS.filter((row) => isOf(row, 'harbor'))).toHaveLength(1);
  expect(ROWS.filter((row) => isOf(row, ''))).toHaveLength(ROWS.length);
});
