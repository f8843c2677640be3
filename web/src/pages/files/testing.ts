// Files for tests.
import type { FileRow } from '../../lib/api/rows-work';

export const file = (path: string, more: Partial<FileRow> = {}): FileRow => ({
  path,
  heat: 0,
  n_reads: 0,
  n_writes: 0,
  n_others: 0,
  readers: [],
  writers: [],
  positions: [],
  ...more,
});
