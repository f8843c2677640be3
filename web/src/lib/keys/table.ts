// Every key and what it does, in one table: no key means two things. Pages bind what they do to an action, never to a key.
import { PAGES } from '../route/pages';

export type Action =
  | 'help'
  | 'palette'
  | 'search'
  | 'escape'
  | 'theme'
  | 'copy'
  | 'follow'
  | 'live'
  | 'play'
  | 'step-back'
  | 'step-on'
  | 'down'
  | 'up'
  | 'page-down'
  | 'page-up'
  | 'first'
  | 'last'
  | 'open'
  | 'fold'
  | 'unfold'
  | 'zoom-in'
  | 'zoom-out'
  | 'zoom-fit'
  | 'earlier'
  | 'later'
  | 'next-span'
  | 'previous-span'
  | `next-${Mark}`
  | `previous-${Mark}`
  | `go-${string}`;

/** What one can go to within a session, or a trace. */
export type Mark = 'error' | 'decision' | 'edit' | 'turn';

export interface KeyRow {
  action: Action;
  /** As `KeyboardEvent.key` says it; `Ctrl+` before it, or `g ` for the second of two. */
  keys: string[];
  about: string;
  group: 'Everywhere' | 'In a list' | 'In a picture' | 'On a timeline' | 'In a session or a trace' | 'Time' | 'Go to';
}

export const KEYS: KeyRow[] = [
  { action: 'help', keys: ['?'], about: 'Show the keys', group: 'Everywhere' },
  { action: 'palette', keys: ['Ctrl+k'], about: 'Find a page, an actor, a session or a record', group: 'Everywhere' },
  { action: 'search', keys: ['/'], about: 'Search or filter this page', group: 'Everywhere' },
  { action: 'escape', keys: ['Escape'], about: 'Close what is open', group: 'Everywhere' },
  { action: 'copy', keys: ['c'], about: 'Copy the command of the chosen row, else of the page', group: 'Everywhere' },
  { action: 'theme', keys: ['D'], about: 'Switch between light and dark', group: 'Everywhere' },
  { action: 'down', keys: ['j', 'ArrowDown'], about: 'Next row', group: 'In a list' },
  { action: 'up', keys: ['k', 'ArrowUp'], about: 'Row before', group: 'In a list' },
  { action: 'page-down', keys: ['PageDown'], about: 'A screen down', group: 'In a list' },
  { action: 'page-up', keys: ['PageUp'], about: 'A screen up', group: 'In a list' },
  { action: 'first', keys: ['Home'], about: 'First row', group: 'In a list' },
  { action: 'last', keys: ['End'], about: 'Last row', group: 'In a list' },
  { action: 'open', keys: ['Enter'], about: 'Open the row', group: 'In a list' },
  { action: 'fold', keys: ['h', 'ArrowLeft'], about: 'Fold what stands below the row; on a board or a picture, go left', group: 'In a list' },
  { action: 'unfold', keys: ['l', 'ArrowRight'], about: 'Unfold it; on a board or a picture, go right', group: 'In a list' },
  { action: 'follow', keys: ['f'], about: 'Follow what comes, or pause', group: 'In a list' },
  { action: 'zoom-in', keys: ['+', '='], about: 'Larger; on a timeline, less time', group: 'In a picture' },
  { action: 'zoom-out', keys: ['-'], about: 'Smaller; on a timeline, more time', group: 'In a picture' },
  { action: 'zoom-fit', keys: ['0'], about: 'All of it', group: 'In a picture' },
  { action: 'earlier', keys: ['<', ','], about: 'Go to earlier', group: 'On a timeline' },
  { action: 'later', keys: ['>'], about: 'Go to later', group: 'On a timeline' },
  { action: 'next-span', keys: ['n'], about: 'Next span of the chosen lane', group: 'On a timeline' },
  { action: 'previous-span', keys: ['N'], about: 'Span before', group: 'On a timeline' },
  { action: 'next-error', keys: ['e'], about: 'Next error', group: 'In a session or a trace' },
  { action: 'previous-error', keys: ['E'], about: 'Error before', group: 'In a session or a trace' },
  { action: 'next-decision', keys: ['m'], about: 'Next decision', group: 'In a session or a trace' },
  { action: 'previous-decision', keys: ['M'], about: 'Decision before', group: 'In a session or a trace' },
  { action: 'next-edit', keys: ['w'], about: 'Next edit', group: 'In a session or a trace' },
  { action: 'previous-edit', keys: ['W'], about: 'Edit before', group: 'In a session or a trace' },
  { action: 'next-turn', keys: ['t'], about: 'Next turn', group: 'In a session or a trace' },
  { action: 'previous-turn', keys: ['T'], about: 'Turn before', group: 'In a session or a trace' },
  { action: 'play', keys: ['P'], about: 'Play forward, or pause', group: 'Time' },
  { action: 'step-back', keys: ['['], about: 'One record back', group: 'Time' },
  { action: 'step-on', keys: [']'], about: 'One record on', group: 'Time' },
  { action: 'live', keys: ['.'], about: 'Back to live', group: 'Time' },
  ...PAGES.map((page): KeyRow => ({
    action: `go-${page.name}`,
    keys: [`g ${page.key}`],
    about: `${page.title}: ${page.about.toLowerCase()}`,
    group: 'Go to',
  })),
];

/** Returns how a key is written for people. */
export function keyName(key: string): string {
  const arrows: Record<string, string> = { ArrowDown: '↓', ArrowUp: '↑', ArrowLeft: '←', ArrowRight: '→', Escape: 'Esc' };
  return arrows[key] ?? key.replace('Ctrl+k', 'Ctrl-K');
}
