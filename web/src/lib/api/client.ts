// Requests to the server: one function for each address, and nothing else asks it anything.
import type { FilterHelp, LogRecord, RecordPage, StoreInfo, Talk, Timeline, TraceSpans } from './answers';
import { address, type Query } from './address';
import { takeEarly } from './early';
import { asFailure, failureOf, isAbort } from './failure';
import { authorization } from './token';
import type { ViewName, ViewPage, ViewParams, ViewRows } from './views';

/** Asks for JSON; throws a Failure, or an AbortError where the signal says so. */
export async function get<Answer>(path: string, query: Query = {}, signal?: AbortSignal): Promise<Answer> {
  return send<Answer>('GET', address(path, query), undefined, signal);
}

/** Posts JSON, as changes to subscriptions need it. */
export async function post<Answer>(path: string, body: unknown = {}, signal?: AbortSignal): Promise<Answer> {
  return send<Answer>('POST', path, JSON.stringify(body), signal);
}

async function send<Answer>(method: string, path: string, body?: string, signal?: AbortSignal): Promise<Answer> {
  try {
    const headers = { ...authorization(), ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) };
    const early = method === 'GET' ? await takeEarly(path) : undefined;
    signal?.throwIfAborted();
    if (early !== undefined) return early as Answer;
    const answer = await fetch(path, {
      method,
      headers,
      cache: 'no-store',
      ...(body === undefined ? {} : { body }),
      ...(signal === undefined ? {} : { signal }),
    });
    if (!answer.ok) throw await failureOf(answer);
    return (await answer.json()) as Answer;
  } catch (thrown) {
    if (isAbort(thrown)) throw thrown;
    throw asFailure(thrown);
  }
}

const part = encodeURIComponent;

/** Asks for a view, now or as it was at a position. */
export function view<View extends ViewName>(
  name: View,
  params: ViewParams & { at?: number | undefined } = {},
  signal?: AbortSignal,
): Promise<ViewPage<ViewRows[View]>> {
  return get(`/v1/views/${name}`, { ...params }, signal);
}

export interface RecordsAsk {
  filter?: string | undefined;
  before?: string | number | undefined;
  after?: string | number | undefined;
  order?: 'asc' | 'desc' | undefined;
  limit?: number | undefined;
}

/** Asks for a page of records. */
export function records(ask: RecordsAsk, signal?: AbortSignal): Promise<RecordPage> {
  return get('/v1/events', { ...ask }, signal);
}

/** Asks for one record with its facts. */
export function record(position: number, signal?: AbortSignal): Promise<LogRecord> {
  return get(`/v1/events/${position}`, { facts: 'true' }, signal);
}

/** Asks what there is in the store. */
export function store(signal?: AbortSignal): Promise<StoreInfo> {
  return get('/v1/store', {}, signal);
}

/** Asks what is wrong with a filter and how it can go on; `cursor` counts bytes. */
export function filterHelp(text: string, cursor: number, signal?: AbortSignal): Promise<FilterHelp> {
  return get('/v1/filter', { text: text === '' ? undefined : text, cursor }, signal);
}

export function timeline(
  ask: { from: string; to: string; width?: number; limit?: number; at?: number | undefined },
  signal?: AbortSignal,
): Promise<Timeline> {
  return get('/v1/timeline', { ...ask }, signal);
}

export function talk(
  session: string,
  ask: { from?: number | 'end'; limit?: number; upto?: number | undefined } = {},
  signal?: AbortSignal,
): Promise<Talk> {
  return get(`/v1/sessions/${part(session)}/talk`, { ...ask }, signal);
}

export function traceSpans(trace: string, upto?: number, signal?: AbortSignal): Promise<TraceSpans> {
  return get(`/v1/traces/${part(trace)}/spans`, { upto }, signal);
}
