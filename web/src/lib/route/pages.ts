// The pages in the order of the questions that people ask, each with its address, its key and the file that draws it.
import type { Component } from 'svelte';
import type { ViewName } from '../api/views';
import type { IconName } from '../ui/icons';

export interface Page {
  name: PageName;
  title: string;
  /** The question it answers, for the palette and the page itself. */
  about: string;
  icon: IconName;
  /** The key behind `g` that goes there. */
  key: string;
  /** The view that it shows first, asked for while its file is loaded. */
  view?: ViewName;
  load(): Promise<{ default: Component }>;
}

export type PageName =
  | 'inbox'
  | 'fleet'
  | 'timeline'
  | 'sessions'
  | 'traces'
  | 'work'
  | 'usage'
  | 'files'
  | 'decisions'
  | 'errors'
  | 'loops'
  | 'runs'
  | 'gateway'
  | 'subscriptions'
  | 'log';

export const PAGES: readonly Page[] = [
  {
    name: 'inbox',
    title: 'Inbox',
    about: 'What needs a person',
    icon: 'inbox',
    key: 'i',
    view: 'inbox',
    load: () => import('../../pages/Inbox.svelte'),
  },
  {
    name: 'fleet',
    title: 'Fleet',
    about: 'What each agent does',
    icon: 'fleet',
    key: 'f',
    view: 'fleet',
    load: () => import('../../pages/Fleet.svelte'),
  },
  {
    name: 'timeline',
    title: 'Timeline',
    about: 'Who did what when, side by side',
    icon: 'timeline',
    key: 't',
    load: () => import('../../pages/Timeline.svelte'),
  },
  {
    name: 'sessions',
    title: 'Sessions',
    about: 'What was said and done, as a conversation',
    icon: 'sessions',
    key: 's',
    view: 'sessions',
    load: () => import('../../pages/Sessions.svelte'),
  },
  {
    name: 'traces',
    title: 'Traces',
    about: 'What led to what, and how long it took',
    icon: 'traces',
    key: 'r',
    view: 'traces',
    load: () => import('../../pages/Traces.svelte'),
  },
  {
    name: 'work',
    title: 'Work',
    about: 'What is done, what is left, what is blocked',
    icon: 'work',
    key: 'w',
    view: 'work',
    load: () => import('../../pages/Work.svelte'),
  },
  {
    name: 'usage',
    title: 'Usage',
    about: 'What it costs',
    icon: 'usage',
    key: 'u',
    load: () => import('../../pages/Usage.svelte'),
  },
  {
    name: 'files',
    title: 'Files',
    about: 'Who touches which file',
    icon: 'files',
    key: 'p',
    view: 'files',
    load: () => import('../../pages/Files.svelte'),
  },
  {
    name: 'decisions',
    title: 'Decisions',
    about: 'What was decided, and why',
    icon: 'decisions',
    key: 'd',
    view: 'decisions',
    load: () => import('../../pages/Decisions.svelte'),
  },
  {
    name: 'errors',
    title: 'Errors',
    about: 'What failed, grouped by what it says',
    icon: 'errors',
    key: 'e',
    view: 'errors',
    load: () => import('../../pages/Errors.svelte'),
  },
  {
    name: 'loops',
    title: 'Loops',
    about: 'Which loops go round, and how far they are',
    icon: 'loops',
    key: 'o',
    view: 'loops',
    load: () => import('../../pages/Loops.svelte'),
  },
  {
    name: 'runs',
    title: 'Runs',
    about: 'Which runs are on, and what their judge says',
    icon: 'runs',
    key: 'n',
    view: 'runs',
    load: () => import('../../pages/Runs.svelte'),
  },
  {
    name: 'gateway',
    title: 'Gateway',
    about: 'What comes in and goes out',
    icon: 'gateway',
    key: 'g',
    view: 'gateway',
    load: () => import('../../pages/Gateway.svelte'),
  },
  {
    name: 'subscriptions',
    title: 'Subscriptions',
    about: 'Who is told, and who is behind',
    icon: 'subscriptions',
    key: 'b',
    load: () => import('../../pages/Subscriptions.svelte'),
  },
  {
    name: 'log',
    title: 'Log',
    about: 'Every record, by filter',
    icon: 'log',
    key: 'l',
    load: () => import('../../pages/Log.svelte'),
  },
];

export function pageOf(name: string): Page | undefined {
  return PAGES.find((page) => page.name === name);
}
