import { describe, expect, it } from 'vitest';
import { SseReader } from './sse';

/** Reads pieces and writes down what is told, in order. */
function told(pieces: (string | Uint8Array)[]): string[] {
  const out: string[] = [];
  const reader = new SseReader({
    event: ({ event, data }) => out.push(`${event}: ${data}`),
    id: (id) => out.push(`#${id}`),
    retry: (ms) => out.push(`retry ${ms}`),
  });
  for (const piece of pieces) reader.take(typeof piece === 'string' ? new TextEncoder().encode(piece) : piece);
  return out;
}

const STREAM = 'retry: 1000\n\nevent: rows\nid: s:12\ndata: {"é":1}\n\n: alive\nid: s:17\n\ndata: a\ndata: b\n\n';
const TOLD = ['retry 1000', 'rows: {"é":1}', '#s:12', '#s:17', 'message: a\nb'];

describe('a stream of server-sent events', () => {
  it('is read whole', () => {
    expect(told([STREAM])).toEqual(TOLD);
  });

  it('is the same wherever it is cut, with every line end', () => {
    for (const end of ['\n', '\r\n', '\r']) {
      const bytes = new TextEncoder().encode(STREAM.replaceAll('\n', end));
      for (let cut = 0; cut <= bytes.length; cut++) {
        expect(told([bytes.slice(0, cut), bytes.slice(cut)])).toEqual(TOLD);
      }
      expect(told(Array.from(bytes, (byte) => new Uint8Array([byte])))).toEqual(TOLD);
    }
  });

  it('tells nothing of an event that did not end', () => {
    expect(told(['event: rows\ndata: half'])).toEqual([]);
    expect(told(['event: rows\nid: s:12\ndata: half\n'])).toEqual([]);
  });

  it('passes over comments, unknown fields and events without data', () => {
    expect(told([': hello\n\nevent: rows\n\nother: 1\n\ndata\n\n'])).toEqual(['message: ']);
  });

  it('takes away one blank behind the colon, and no more', () => {
    expect(told(['data:  two\n\ndata:none\n\n'])).toEqual(['message:  two', 'message: none']);
  });

  it('ignores a retry that is no number and an id with a zero byte', () => {
    expect(told(['retry: soon\nid: a\0b\n\n'])).toEqual([]);
  });
});
