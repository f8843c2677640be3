// How the dashboard is built and served while it is written: WEFT names the server whose answers are shown.
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';
import { policy } from './policy.ts';

const server = process.env['WEFT'] ?? 'http://127.0.0.1:9338';

const proxy = Object.fromEntries(
  ['/v1', '/healthz', '/readyz', '/openapi.json', '/metrics'].map((path) => [path, { target: server, changeOrigin: true, headers: { origin: server } }]),
);

export default defineConfig({
  plugins: [svelte()],
  server: { proxy },
  preview: { proxy, headers: { 'Content-Security-Policy': policy } },
  build: {
    target: 'es2022',
    modulePreload: { polyfill: false },
    // A data: address would be one more thing that the content policy has to allow.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 300,
  },
  test: { include: ['src/**/*.test.ts'], environment: 'node' },
});
