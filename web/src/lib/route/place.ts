// An address of the dashboard as a value: which page, what of it, and its query. Pure.

/** Where the dashboard is: `/sessions/s-1?at=12` is the page `sessions`, the item `s-1`, and a query. */
export interface PagePlace {
  page: string;
  /** What of the page, such as a session's id; empty for the page itself. */
  item: string;
  query: Readonly<Record<string, string>>;
}

export function readPlace(path: string, search: string): PagePlace {
  const [page = '', ...rest] = path.replace(/^\/+|\/+$/g, '').split('/');
  return {
    page: page === '' ? 'inbox' : decode(page),
    item: rest.map(decode).join('/'),
    query: Object.fromEntries(new URLSearchParams(search)),
  };
}

/** Writes an address; what is empty is left out, so that equal places have equal addresses. */
export function writePlace(page: string, item = '', query: Readonly<Record<string, string | null | undefined>> = {}): string {
  const path = item === '' ? `/${page}` : `/${page}/${encodeURIComponent(item)}`;
  const given = Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1]));
  const search = new URLSearchParams(given.sort(([a], [b]) => (a < b ? -1 : 1))).toString();
  return search === '' ? path : `${path}?${search}`;
}

/** Reads a position; null if it is none. */
export function asPosition(text: string): number | null {
  const position = /^\d{1,15}$/.test(text) ? Number(text) : 0;
  return position > 0 ? position : null;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
