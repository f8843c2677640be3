// How the dashboard is built and served while it is written: WEFT names the server whose answers are shown.
import { svelte } from '@sveltejs/vite-plugin-svelte';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';
import { policy } from './policy.ts';

const server = process.env['WEFT'] ?? 'http://127.0.0.1:9338';

const proxy = Object.fromEntries(
  ['/v1', '/healthz', '/readyz', '/openapi.json', '/metrics'].map((path) => [path, { target: server, changeOrigin: true, headers: { origin: server } }]),
);

/** What runs first, and all that it imports. */
const EARLY = /\/src\/(early|lib\/api\/(address|early|parts|token)|lib\/route\/(pages|place))\.ts$/;

/** The script that shows the dashboard, as it is in the page. */
const MAIN = '<script type="module" ';

/** Lets the page load what runs first beside all else, and run each as soon as it is there: the end of the page may take a moment. */
const early: Plugin = {
  name: 'early',
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    handler(html, { bundle }) {
      const chunk = Object.values(bundle ?? {}).find((file) => file.type === 'chunk' && file.name === 'early');
      if (chunk === undefined) throw new Error('there is no file that runs first');
      if (html.split(MAIN).length !== 2) throw new Error('there is not one script that shows the dashboard');
      return {
        html: html.replace(MAIN, `${MAIN}async `),
        tags: [{ tag: 'script', attrs: { type: 'module', async: true, crossorigin: true, src: `/${chunk.fileName}` }, injectTo: 'head-prepend' }],
      };
    },
  },
};

export default defineConfig({
  plugins: [svelte(), early],
  server: { proxy },
  preview: { proxy, headers: { 'Content-Security-Policy': policy } },
  build: {
    target: 'es2022',
    modulePreload: { polyfill: false },
    // A data: address would be one more thing that the content policy has to allow.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 300,
    // Few files: a browser asks for six at a time, and each costs more than its bytes.
    cssCodeSplit: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'early', test: EARLY, priority: 2 },
            { name: 'base', minShareCount: 2, priority: 1 },
          ],
        },
      },
    },
  },
  test: { include: ['src/**/*.test.ts'], environment: 'node' },
});
