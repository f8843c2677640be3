import { expect, it } from 'vitest';
import { glance } from './glance';

it('finds type, actor, session and words wherever events have them', () => {
  const spoken = { event_type: 'activity.progress', agent_id: '@docs', session_id: 's-1', message: 'Going on' };
  expect(glance(spoken)).toEqual({ type: 'activity.progress', actor: '@docs', session: 's-1', text: 'Going on' });
  const routed = { event_type: 'tool.call.failed', routing: { agent_id: 'clerk', session_id: 'mail' }, payload: { tool_name: 'shell' } };
  expect(glance(routed)).toEqual({ type: 'tool.call.failed', actor: 'clerk', session: 'mail', text: 'shell' });
});

it('tells what stands in the body where there are no words', () => {
  const changed = { type: 'StateChanged', runId: 'r-1', payload: { from: 'IDLE', to: 'RUNNING', plan: { steps: [] } } };
  expect(glance(changed).text).toBe('from IDLE, to RUNNING');
});

it('takes whatever it is given', () => {
  for (const odd of [null, 7, 'text', [], { type: 3, payload: null }]) {
    expect(glance(odd)).toEqual({ type: '', actor: '', session: '', text: '' });
  }
});
