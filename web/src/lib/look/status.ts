// How each state looks: its sign, its tone and its word. The signs and tones are those of the terminal screen,
// and a tone never stands alone: sign and word say the same.
import type { BudgetMark, Level, LoopState, NeedKind, Presence, SessionState, Status, StepStatus, WorkState } from '../api/words';

/** How something is meant; each has a colour of its own in tokens.css. */
export type Tone = 'plain' | 'faint' | 'good' | 'bad' | 'warn' | 'busy' | 'calm' | 'accent';

export interface Look {
  sign: string;
  tone: Tone;
  word: string;
}

const look = (sign: string, tone: Tone, word: string): Look => ({ sign, tone, word });

export const STATUS: Record<Status, Look> = {
  started: look('▷', 'calm', 'started'),
  thinking: look('◇', 'busy', 'thinking'),
  tool_use: look('◆', 'busy', 'tool use'),
  progress: look('▶', 'busy', 'progress'),
  waiting: look('◌', 'warn', 'waiting'),
  blocked: look('■', 'bad', 'blocked'),
  completed: look('✓', 'good', 'completed'),
  error: look('✗', 'bad', 'error'),
};

/** The order of the statuses where they are sorted: who needs somebody first. */
export const STATUS_ORDER: Status[] = ['error', 'blocked', 'waiting', 'tool_use', 'thinking', 'progress', 'started', 'completed'];

export const PRESENCE: Record<Presence, Look> = {
  alive_by_events: look('●', 'good', 'here'),
  alive_by_heartbeat: look('♥\uFE0E', 'calm', 'heartbeat'),
  silent: look('○', 'warn', 'silent'),
  gone: look('·', 'faint', 'gone'),
};

export const NEED: Record<NeedKind, Look> = {
  permission: look('?', 'warn', 'permission'),
  answer: look('?', 'warn', 'answer'),
  blocked: look('■', 'bad', 'blocked'),
  deadlock: look('∞', 'bad', 'deadlock'),
  over_budget: look('$', 'bad', 'over budget'),
  failed: look('✗', 'bad', 'failed'),
  stuck: look('≡', 'warn', 'stuck'),
  collision: look('×', 'warn', 'collision'),
  idle: look('○', 'calm', 'idle'),
};

export const SESSION: Record<SessionState, Look> = {
  running: look('▶', 'busy', 'running'),
  waiting: look('◌', 'warn', 'waiting'),
  failed: look('✗', 'bad', 'failed'),
  done: look('✓', 'good', 'done'),
};

export const WORK: Record<WorkState, Look> = {
  blocked: look('■', 'bad', 'blocked'),
  failed: look('✗', 'bad', 'failed'),
  exhausted: look('✗', 'bad', 'exhausted'),
  working: look('▶', 'busy', 'working'),
  claimed: look('▷', 'busy', 'claimed'),
  released: look('○', 'warn', 'released'),
  open: look('○', 'calm', 'open'),
  split: look('┬', 'faint', 'split'),
  left: look('·', 'faint', 'left'),
  done: look('✓', 'good', 'done'),
};

export const STEP: Record<StepStatus, Look> = {
  pending: look('○', 'plain', 'pending'),
  running: look('▶', 'busy', 'running'),
  done: look('✓', 'good', 'done'),
  skipped: look('·', 'faint', 'skipped'),
  error: look('✗', 'bad', 'error'),
};

export const LOOP: Record<LoopState, Look> = {
  running: look('▶', 'busy', 'running'),
  paused: look('‖', 'warn', 'paused'),
  stale: look('◌', 'warn', 'stale'),
  done: look('✓', 'good', 'done'),
  aborted: look('✗', 'bad', 'aborted'),
  replaced: look('·', 'faint', 'replaced'),
};

export const BUDGET: Record<BudgetMark, Look> = {
  ok: look('✓', 'good', 'ok'),
  warning: look('◌', 'warn', 'warning'),
  critical: look('■', 'bad', 'critical'),
  exceeded: look('✗', 'bad', 'exceeded'),
};

export const LEVEL: Record<Level, Look> = {
  debug: look('·', 'faint', 'debug'),
  info: look('○', 'plain', 'info'),
  warn: look('◌', 'warn', 'warn'),
  error: look('✗', 'bad', 'error'),
};

/** Returns how an engine's own word for a run's state looks. */
export function ofRun(state: string | undefined): Look {
  switch (state) {
    case 'RUNNING':
      return look('▶', 'busy', 'running');
    case 'PAUSED':
      return look('◌', 'warn', 'paused');
    case 'AWAITING_USER':
      return look('◌', 'warn', 'awaits a person');
    case 'ERROR':
      return look('✗', 'bad', 'error');
    case 'FINISHED':
      return look('✓', 'good', 'finished');
    default:
      return look('○', 'plain', (state ?? 'unknown').toLowerCase());
  }
}

/** Returns how a status looks that may be unknown, or newer than this page. */
export function ofStatus(status: string | undefined): Look {
  return (STATUS as Record<string, Look | undefined>)[status ?? ''] ?? look('○', 'faint', status ?? 'unknown');
}
