// The token, where the server asks for one: it comes behind `#token=` of the address and stays in this tab.
// It is never in a request's address, because logs and histories keep addresses.

const NAME = 'weft-token';

/** Takes the token out of the address, if one is there, so that it is not shared with the link. */
export function takeToken(): void {
  const given = new URLSearchParams(location.hash.slice(1)).get('token');
  if (given === null) return;
  sessionStorage.setItem(NAME, given);
  history.replaceState(history.state, '', location.pathname + location.search);
}

export function keepToken(token: string): void {
  sessionStorage.setItem(NAME, token);
}

/** Returns the headers that say who asks. */
export function authorization(): Record<string, string> {
  const token = sessionStorage.getItem(NAME);
  return token === null ? {} : { Authorization: `Bearer ${token}` };
}
