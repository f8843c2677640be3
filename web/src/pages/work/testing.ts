// Pieces of work for tests.
import type { WorkRow } from '../../lib/api/rows-work';

export const work = (id: string, more: Partial<WorkRow> = {}): WorkRow => ({
  id,
  state: 'open',
  is_ready: false,
  blocked_by: [],
  n_claims: 0,
  n_attempts: 0,
  n_retries: 0,
  n_failures: 0,
  children: [],
  last_seen: '2026-11-16T09:30:00Z',
  position: 1,
  ...more,
});
