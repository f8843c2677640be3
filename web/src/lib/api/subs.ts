// Subscriptions: what the server says of them, and the requests that look at them and change them.
import { get, post } from './client';
import type { At } from './words';

export interface Subscription {
  name: string;
  kind?: 'webhook' | 'otlp' | 'command' | 'pull';
  /** `unreadable`: this server cannot read it. */
  state: 'active' | 'paused' | 'unreadable';
  /** Why it is paused, or cannot be read. */
  why?: string;
  filter?: string;
  url?: string;
  command?: string[];
  /** Values that were too large for their events are put back. */
  blobs?: true;
  created?: At;
  retry?: { attempts_max: number; backoff_min_ms: number; backoff_max_ms: number; timeout_ms: number; parallel_max: number };
  progress: { position: number; delivered: number; lost: number };
  /** How many events could not be delivered. */
  dead: number;
  /** How it is doing; left out where it does not run. */
  live?: { acknowledged: number; delivered: number; held: number; busy_sessions: number; away: boolean; error?: string };
}

/** An event that could not be delivered. */
export interface DeadEvent {
  position: number;
  event_id: string;
  attempts: number;
  error: string;
  dead_at: At;
  /** `replayed`: it is being delivered again. */
  fate: 'kept' | 'replayed';
}

/** Which events of the list of the dead. */
export type Which = { positions: number[] } | { all: true };

const at = (name: string, action = ''): string => `/v1/subscriptions/${encodeURIComponent(name)}${action}`;

export async function subscriptions(signal?: AbortSignal): Promise<Subscription[]> {
  return (await get<{ subscriptions: Subscription[] }>('/v1/subscriptions', {}, signal)).subscriptions;
}

export async function deadEvents(name: string, signal?: AbortSignal): Promise<DeadEvent[]> {
  return (await get<{ dead: DeadEvent[] }>(at(name, '/dead'), {}, signal)).dead;
}

export function pauseSubscription(name: string): Promise<unknown> {
  return post(at(name, '/pause'));
}

export function resumeSubscription(name: string): Promise<unknown> {
  return post(at(name, '/resume'));
}

export function replaySubscription(name: string, from: number | 'start'): Promise<unknown> {
  return post(at(name, '/replay'), { from });
}

export async function replayDead(name: string, which: Which): Promise<number> {
  return (await post<{ changed: number }>(at(name, '/dead/replay'), which)).changed;
}

export async function dropDead(name: string, which: Which): Promise<number> {
  return (await post<{ changed: number }>(at(name, '/dead/drop'), which)).changed;
}
