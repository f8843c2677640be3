// Built pages before a server: files of a folder under the content policy, everything else from the server. It lets pages be tested
// that no binary holds yet.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, resolve } from 'node:path';
import { policy } from '../policy.ts';

export interface Front {
  address: string;
  end(): Promise<void>;
}

const KINDS: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' };
const OF_SERVER = /^\/(v1|mcp|healthz|readyz|metrics|openapi\.json)(\/|\?|$)/;

export async function serveDist(folder: string, server: string): Promise<Front> {
  const root = resolve(folder);
  const front = createServer((asked, answer) => {
    const address = asked.url ?? '/';
    if (OF_SERVER.test(address)) pass(server, asked, answer);
    else give(root, new URL(address, server).pathname, answer);
  });
  await new Promise<void>((done) => front.listen(0, '127.0.0.1', done));
  const { port } = front.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}`,
    end: () =>
      new Promise((done) => {
        front.close(() => done());
        front.closeAllConnections();
      }),
  };
}

function give(root: string, path: string, answer: ServerResponse): void {
  const wanted = join(root, path);
  const isFile = wanted.startsWith(root) && existsSync(wanted) && statSync(wanted).isFile();
  const file = isFile ? wanted : join(root, 'index.html');
  answer.writeHead(200, {
    'Content-Type': KINDS[extname(file)] ?? 'application/octet-stream',
    'Content-Security-Policy': policy,
    'Cache-Control': 'no-cache',
  });
  answer.end(readFileSync(file));
}

/** Passes a request on. Where the server is gone the connection ends, as it would without a front. */
function pass(server: string, asked: IncomingMessage, answer: ServerResponse): void {
  const to = new URL(asked.url ?? '/', server);
  // To the server it is a page of its own that asks.
  const headers = { ...asked.headers, host: to.host, ...(asked.headers.origin === undefined ? {} : { origin: to.origin }) };
  const passed = request(to, { method: asked.method, headers, agent: false }, (given) => {
    answer.writeHead(given.statusCode ?? 502, given.headers);
    answer.flushHeaders();
    given.pipe(answer);
    given.once('error', () => answer.destroy());
  });
  passed.once('error', () => answer.destroy());
  answer.once('close', () => passed.destroy());
  asked.pipe(passed);
}
