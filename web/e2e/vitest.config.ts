// How the tests in a browser run: one file after another, because each has a server and a Chromium of its own.
import { dirname } from 'node:path';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: dirname(import.meta.dirname),
  test: {
    include: ['e2e/*.e2e.ts'],
    environment: 'node',
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 40_000,
    hookTimeout: 90_000,
    reporters: ['verbose'],
  },
});
