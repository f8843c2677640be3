// What can be asked of a loop, and how it is said. Pure.
import { asFailure } from '../../lib/api/failure';
import type { LoopRow } from '../../lib/api/rows-work';
import type { LoopCommand } from '../../lib/api/words';
import { command as commandLine } from '../../lib/look/command';

/** What its button says, and what it does. */
export const WISHES: Record<LoopCommand, { title: string; about: string }> = {
  pause: { title: 'Pause', about: 'Let the agent stop, and keep the loop' },
  resume: { title: 'Resume', about: 'Go on when the agent stops next' },
  escalate: { title: 'Escalate', about: 'Ask a person to look at it; the agent may stop until then' },
  cancel: { title: 'Cancel …', about: 'End the loop' },
};

export const COMMANDS = Object.keys(WISHES) as LoopCommand[];

const WAITS: Record<string, string> = {
  asked: 'somebody paused it',
  escalated: 'somebody asked a person to look at it',
  review: 'its reviews did not pass',
};

/** Says why a loop waits for a person. */
export function waitsFor(row: LoopRow): string | undefined {
  return row.paused === undefined ? undefined : (WAITS[row.paused] ?? row.paused);
}

/** Whether a loop has not ended. */
export function isOpen(row: LoopRow): boolean {
  return row.state === 'running' || row.state === 'paused' || row.state === 'stale';
}

/** Says why nothing can be asked of a loop now; null if something can. */
export function whyLocked(at: number | null): string | null {
  return at === null ? null : 'A moment of the past is shown: go back to live to change anything.';
}

/** Whether a loop as it is can be asked for this. */
export function canBe(row: LoopRow, command: LoopCommand): boolean {
  switch (command) {
    case 'pause':
      return row.state !== 'paused';
    case 'resume':
      return row.state !== 'running';
    case 'cancel':
    case 'escalate':
      return true;
  }
}

/** Returns the command that asks for the same. */
export function lineOf(row: LoopRow, command: LoopCommand): string {
  return commandLine('loop', command, ...(row.session === undefined ? [] : ['--session', row.session]));
}

/** Says why it was not done, and what would help. */
export function whyNot(thrown: unknown): string {
  const failure = asFailure(thrown);
  if (failure.code === 'wrong_scope') return 'Your token lets you look, and change nothing: it needs the scope write.';
  if (failure.needsToken) return `The server wants a token for this: ${failure.message}.`;
  if (failure.status === 0) return `${failure.message}. Whether it was done is not known: look at the loop again.`;
  if (failure.isPassing || failure.code === 'changed_meanwhile') return `${failure.message}. Nothing was changed: try again in a moment.`;
  return `${failure.message}. Nothing was changed.`;
}
