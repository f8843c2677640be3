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

/** Asks something of the loop of a session, or of the one that none has taken up; of this run alone, should another have taken its place. */
export function controlLoop(session: string | undefined, run: string, command: LoopCommand): Promise<LoopAnswer> {
  const path = session === undefined ? '/v1/loops/control' : `/v1/loops/${encodeURIComponent(session)}/control`;
  return post(path, { command, run_id: run });
}
