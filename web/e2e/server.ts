// A real server on a store of its own, and the commands of the same binary beside it. WEFT_BIN names the binary.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { serveDist, type Front } from './front.ts';

/** A folder of built pages to test instead of those in the binary; the server answers everything else. */
const PAGES = process.env['WEFT_PAGES'];
const START_MS_MAX = 30_000;
const CATCH_UP_MS_MAX = 30_000;
const OUTPUT_BYTES_MAX = 256 << 20;

/** One event of an agent, as the collector's dialect has it. */
export interface AgentEvent {
  event_type: string;
  agent_id: string;
  session_id: string;
  message?: string;
  tool?: { tool_name: string };
  correlation?: { trace_id: string; span_id: string };
  metadata?: Record<string, unknown>;
  timestamp?: string;
}

/** Returns an event as a line of JSON, of now unless it says otherwise. */
export function line(event: AgentEvent): string {
  return JSON.stringify({ version: '1.0.0', timestamp: new Date().toISOString(), ...event });
}

function binary(): string {
  const given = process.env['WEFT_BIN'];
  if (!given) throw new Error('WEFT_BIN has to name the binary to test');
  return given;
}

export class Server {
  readonly folder = mkdtempSync(join(tmpdir(), 'weft-e2e-'));
  readonly store = join(this.folder, 'store');
  /** Where the server answers. */
  address = '';
  #child: ChildProcess | null = null;
  #front: Front | null = null;
  readonly #end = (): void => void this.#child?.kill('SIGKILL');

  constructor() {
    process.once('exit', this.#end);
  }

  /** Where pages are opened: at the server itself, or at the folder that is tested instead. */
  get pages(): string {
    return this.#front?.address ?? this.address;
  }

  /** Starts it, the second time at the address that it had. `at` is the host to listen at. */
  async start(at = '127.0.0.1'): Promise<this> {
    const port = this.address === '' ? '0' : new URL(this.address).port;
    const child = spawn(binary(), ['up', '--store', this.store, '--listen', `${at}:${port}`], { stdio: ['ignore', 'pipe', 'pipe'], env: quiet() });
    this.#child = child;
    const said = await spoken(child);
    this.address = said.replace('0.0.0.0', '127.0.0.1');
    if (PAGES && this.#front === null) this.#front = await serveDist(PAGES, this.address);
    return this;
  }

  /** Ends it in the middle of whatever it does. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
    this.#child = null;
  }

  /** Ends it, and takes its store with it. */
  async end(): Promise<void> {
    await this.kill();
    await this.#front?.end();
    process.off('exit', this.#end);
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Runs a command of the binary on the store and returns what it prints. */
  run(words: string[], input?: string): string {
    const { status, stdout, stderr } = spawnSync(binary(), words, {
      input,
      encoding: 'utf8',
      env: { ...quiet(), WEFT_STORE: this.store },
      maxBuffer: OUTPUT_BYTES_MAX,
    });
    if (status !== 0) throw new Error(`weft ${words.join(' ')} ended with ${status}: ${stderr}`);
    return stdout;
  }

  /** Puts lines into the store by a process of its own, whether the server runs or not. */
  ingest(lines: string): void {
    this.run(['ingest', '-'], lines);
  }

  /** Puts a made-up night into the store that ends about now. */
  ingestDemo(nEvents: number, seed = 1): void {
    const minutes = Math.ceil(nEvents / 4 / 60) + 1;
    this.ingest(this.run(['demo', '--events', String(nEvents), '--seed', String(seed), '--start', `${minutes}m`]));
  }

  /** Waits until views have taken in everything: just started, a server answers with what they have so far. */
  async caughtUp(): Promise<void> {
    const { records } = await this.get<{ records: { position: number }[] }>('/v1/events?limit=1');
    await vi.waitFor(async () => {
      const { position } = await this.get<{ position: number }>('/v1/views/sessions?limit=1');
      if (position < (records[0]?.position ?? 0)) throw new Error(`views are at ${position}`);
    }, CATCH_UP_MS_MAX);
  }

  /** Sends events by HTTP; they are stored when this returns. */
  async post(...events: AgentEvent[]): Promise<void> {
    const body = events.map((event) => line(event)).join('\n');
    const answer = await fetch(`${this.address}/v1/events`, { method: 'POST', headers: { 'Content-Type': 'application/x-ndjson' }, body });
    if (answer.status !== 202) throw new Error(`events were refused: ${await answer.text()}`);
  }

  async get<Answer>(path: string): Promise<Answer> {
    const answer = await fetch(this.address + path);
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Answer;
  }
}

/** The environment without what would change what a server does. */
function quiet(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('WEFT_'));
  return Object.fromEntries(kept);
}

/** Waits until a server says where it is. */
function spoken(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let all = '';
    const timer = setTimeout(() => reject(new Error(`the server does not start: ${all}`)), START_MS_MAX);
    const hear = (bytes: Buffer): void => {
      all += bytes.toString();
      const address = /^http\s+(https?:\/\/\S+)$/m.exec(all)?.[1];
      if (address === undefined) return;
      clearTimeout(timer);
      resolve(address);
    };
    child.stdout?.on('data', hear);
    child.stderr?.on('data', hear);
    child.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`the server ended with ${code}: ${all}`));
    });
  });
}
