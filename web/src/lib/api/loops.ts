// Loops: what is asked of them, and what they answer.
import { post } from './client';
import type { LoopCommand } from './words';

/** What came of it. */
export interface LoopAnswer {
  request_id: string;
  run_id?: string;
  result: 'ok';
  /** How it is with the loop then. */
  state?: 'running' | 'paused' | 'ended';
  /** The same in words. */
  why: string;
}

/** Asks something of the loop of a session; of this run alone, should another have taken its place. */
export function controlLoop(session: string, run: string, command: LoopCommand): Promise<LoopAnswer> {
  return post(`/v1/loops/${encodeURIComponent(session)}/control`, { command, run_id: run });
}
