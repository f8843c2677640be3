import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Stream } from './stream';

/** What a connection is asked for, and what answers it. */
interface Connection {
  lastId: string | undefined;
  send(text: string): void;
  close(): void;
}

let connections: Connection[] = [];
let refusal: Response | null = null;

beforeEach(() => {
  vi.useFakeTimers();
  connections = [];
  refusal = null;
  vi.stubGlobal('sessionStorage', { getItem: () => null });
  vi.stubGlobal('fetch', (_address: string, { headers, signal }: { headers: Record<string, string>; signal: AbortSignal }) => {
    let into: ReadableStreamDefaultController<Uint8Array>;
    const body = new ReadableStream<Uint8Array>({ start: (controller) => void (into = controller) });
    signal.addEventListener('abort', () => into.error(new DOMException('given up', 'AbortError')));
    connections.push({
      lastId: headers['Last-Event-ID'],
      send: (text) => into.enqueue(new TextEncoder().encode(text)),
      close: () => into.close(),
    });
    return Promise.resolve(refusal ?? new Response(body));
  });
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Opens a stream and writes down what it tells. */
function open(isResumed = true): { told: string[]; stream: Stream } {
  const told: string[] = [];
  const stream = new Stream({
    address: () => '/v1/stream',
    isResumed,
    event: ({ data }) => told.push(data),
    state: (state, failure) => told.push(failure === null ? `[${state}]` : `[${state}: ${failure.code}]`),
  });
  return { told, stream };
}

const settle = (ms = 0): Promise<void> => vi.advanceTimersByTimeAsync(ms).then(() => undefined);

describe('a stream', () => {
  it('goes on behind the last id when it is cut off', async () => {
    const { told, stream } = open();
    await settle();
    connections[0]!.send('id: s:7\ndata: seven\n\nid: s:8\ndata: ei');
    await settle();
    connections[0]!.close();
    await settle(1_000);
    expect(told).toEqual(['[connecting]', '[open]', 'seven', '[lost: ended]', '[connecting]', '[open]']);
    expect(connections[1]!.lastId).toBe('s:7');
    stream.end();
  });

  it('begins anew where it is not to be resumed, or the id leads nowhere any more', async () => {
    // Pauses of 500 and 1,000 ms: with shorter ones both tries are made before the refusal is taken back.
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    const whole = open(false);
    await settle();
    connections[0]!.send('id: s:7\ndata: seven\n\n');
    await settle();
    connections[0]!.close();
    await settle(1_000);
    expect(connections[1]!.lastId).toBeUndefined();
    whole.stream.end();

    connections = [];
    const { told, stream } = open();
    await settle();
    connections[0]!.send('id: s:7\ndata: seven\n\n');
    await settle();
    refusal = new Response('{"error":{"code":"other_store","message":"another store"}}', { status: 410 });
    connections[0]!.close();
    await settle(1_000);
    refusal = null;
    await settle(4_000);
    expect(told).toContain('[lost: other_store]');
    expect(connections.map((one) => one.lastId)).toEqual([undefined, 's:7', undefined]);
    stream.end();
  });

  it('is lost when nothing comes for longer than heartbeats do, and not before', async () => {
    const { told, stream } = open();
    await settle(30_000);
    connections[0]!.send(': alive\n\n');
    await settle(30_000);
    expect(told).toEqual(['[connecting]', '[open]']);
    await settle(11_000);
    expect(told.slice(2)).toContain('[lost: silent]');
    stream.end();
  });

  it('comes again at longer and longer intervals, and at once when it is told to hurry', async () => {
    refusal = new Response('', { status: 503 });
    const { stream } = open();
    await settle(120_000);
    expect(connections.length).toBeGreaterThan(6);
    expect(connections.length).toBeLessThan(25);
    const before = connections.length;
    stream.hurry();
    await settle();
    expect(connections.length).toBe(before + 1);
    stream.end();
  });

  it('asks no more once it is ended', async () => {
    const { told, stream } = open();
    await settle();
    stream.end();
    await settle(60_000);
    expect(connections.length).toBe(1);
    expect(told).toEqual(['[connecting]', '[open]']);
  });
});
