import { describe, expect, it } from 'vitest';
import type { Dialect } from '../api/words';
import { glance, type Glance } from './glance';

const ROUTED = { source: { component_id: 'gateway-1' }, routing: { agent_id: 'porter', session_id: 'gateway' } };

/** Events of every dialect, with what the server's facts say of them; e2e/glance.e2e.ts compares all that the demo has. */
const EVENTS: [dialect: Dialect, event: object, told: Glance][] = [
  ['collector', { event_type: 'activity.progress', agent_id: '@docs', session_id: 's-1', message: 'Going on' }, { type: 'activity.progress', actor: '@docs', session: 's-1', text: 'Going on' }],
  ['needle', { event_type: 'bead.failed', worker_id: 'alpha', session_id: 'n-1', bead_id: 'bd-1', data: { reason: 'why', error: 'what' } }, { type: 'bead.failed', actor: 'alpha', session: 'n-1', text: 'what' }],
  ['needle', { event: 'worker.idle', worker: 'old', session: 'n-0', data: { poll_s: 10 } }, { type: 'worker.idle', actor: 'old', session: 'n-0', text: 'poll_s 10' }],
  ['engine', { type: 'AgentActionProposed', runId: 'r-1', payload: { action: { type: 'ask', question: 'Which one?' } } }, { type: 'AgentActionProposed', actor: 'r-1', session: 'r-1', text: 'Which one?' }],
  ['engine', { type: 'StateChanged', runId: 'r-1', payload: { from: 'IDLE', to: 'RUNNING', plan: { steps: [] } } }, { type: 'StateChanged', actor: 'r-1', session: 'r-1', text: 'from IDLE, to RUNNING' }],
  ['pinchy', { ...ROUTED, event_type: 'tool.call.failed', payload: { tool_name: 'shell', error: { message: 'no such file' } } }, { type: 'tool.call.failed', actor: 'porter', session: 'gateway', text: 'no such file' }],
  ['pinchy', { ...ROUTED, event_type: 'agent.response.created', payload: { content: [{ type: 'image' }, { type: 'text', text: 'Done' }] } }, { type: 'agent.response.created', actor: 'porter', session: 'gateway', text: 'Done' }],
  ['pinchy', { ...ROUTED, event_type: 'heartbeat.tick', payload: { interval_ms: 10_000 } }, { type: 'heartbeat.tick', actor: 'gateway-1', session: 'gateway', text: 'interval_ms 10000' }],
  ['pinchy', { ...ROUTED, event_type: 'pairing.failed', payload: { error_message: 'nobody listens there' } }, { type: 'pairing.failed', actor: 'gateway-1', session: 'gateway', text: 'nobody listens there' }],
  ['idle', { event: 'DONE', run_id: 'loop-1', session_id: 'i-1', reason: 'COMPLETE' }, { type: 'DONE', actor: 'loop-1', session: 'i-1', text: 'COMPLETE' }],
  ['idle', { event: 'ABORT', loop_kind: 'loop', run_id: 'loop-1', details: { reason: 'USER_CANCELLED' } }, { type: 'trace.ABORT', actor: 'loop-1', session: '', text: 'USER_CANCELLED' }],
  ['idle', { event: 'REQUEST', run_id: 'loop-1', command: 'cancel', reason: 'enough' }, { type: 'control.REQUEST', actor: 'loop-1', session: '', text: 'enough' }],
  ['idle', { goal: 'Port the parser', next_step: 'Run the tests', run_id: 'loop-1' }, { type: 'ANCHOR', actor: 'loop-1', session: '', text: 'Run the tests' }],
  ['idle', { type: 'message', sender: { id: 'grinder', name: 'G' }, body: 'Hear me' }, { type: 'message', actor: 'grinder', session: '', text: 'Hear me' }],
  ['idle', { type: 'topic', name: 'loop:current' }, { type: 'topic', actor: '', session: '', text: 'loop:current' }],
  ['weft', { type: 'lease.changed', data: { owner: 'alpha', key: 'src' } }, { type: 'lease.changed', actor: 'alpha', session: '', text: 'owner alpha, key src' }],
  ['weft', { type: 'issue.changed', data: { issue_id: 'har-1' } }, { type: 'issue.changed', actor: '', session: '', text: 'issue_id har-1' }],
];

describe('a glance', () => {
  it.each(EVENTS)('tells of %s what its facts say: %j', (dialect, event, told) => {
    expect(glance(event, dialect)).toEqual(told);
  });

  it('lets what a translation carries win', () => {
    const carried = { event_type: 'activity.progress', agent_id: 'made-up', session_id: 's-1', message: 'Going on', metadata: { weft: { facts: { actor: 'alpha', session: null } } } };
    expect(glance(carried, 'collector')).toEqual({ type: 'activity.progress', actor: 'alpha', session: '', text: 'Going on' });
  });

  it('takes whatever it is given', () => {
    for (const odd of [null, 7, 'text', [], { type: 3, payload: null }]) {
      for (const dialect of [undefined, 'engine', 'pinchy', 'idle'] as const) expect(glance(odd, dialect)).toEqual({ type: '', actor: '', session: '', text: '' });
    }
  });

  it('names nobody where the dialect is not known', () => {
    expect(glance({ agent_id: 'x', data: { n: 1 } }, undefined)).toEqual({ type: '', actor: '', session: '', text: 'n 1' });
  });
});
