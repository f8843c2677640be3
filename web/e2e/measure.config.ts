// How the dashboard is measured: `npm run measure`. No test of the suite: what it finds depends on the machine.
import { dirname } from 'node:path';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: dirname(import.meta.dirname),
  test: { include: ['e2e/measure.ts'], environment: 'node', pool: 'forks', testTimeout: 24 * 3_600_000, hookTimeout: 3_600_000 },
});
