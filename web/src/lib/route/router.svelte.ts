// Where the dashboard is. The address is the state: everything a page lets a person choose is in it, so that it can be shared
// and survives a reload. Links are plain links; a click on one of ours is taken without loading the page anew.
import { readPlace, writePlace, type PagePlace } from './place';

/** Browsers refuse addresses that change too often, as with a slider that is drawn along: only where it rests is written. */
const WRITE_AFTER_MS = 150;

type Changes = Readonly<Record<string, string | null | undefined>>;

class Router {
  place: PagePlace = $state.raw(readPlace(location.pathname, location.search));
  readonly page = $derived(this.place.page);
  readonly item = $derived(this.place.item);

  /** Where we are, also while it is not yet written. */
  #address = location.pathname + location.search;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    window.addEventListener('popstate', () => {
      this.#settle();
      this.#show(location.pathname + location.search);
    });
    window.addEventListener('pagehide', () => this.#write());
    document.addEventListener('click', (click) => this.#clicked(click));
  }

  /** Goes to a page. The moment that is shown stays the same. */
  go(page: string, item = '', query: Changes = {}): void {
    this.#visit(this.href(page, item, query), false);
  }

  /** Returns the address of a page at the moment that is shown. */
  href(page: string, item = '', query: Changes = {}): string {
    return writePlace(page, item, { at: this.place.query['at'], ...query });
  }

  /** Changes the query of this page. `replace` leaves no step to go back to: for what changes with every key. */
  change(changes: Changes, how: 'push' | 'replace' = 'push'): void {
    const { page, item, query } = this.place;
    this.#visit(writePlace(page, item, { ...query, ...changes }), how === 'replace');
  }

  query(name: string): string {
    return this.place.query[name] ?? '';
  }

  #visit(address: string, isReplaced: boolean): void {
    if (address === this.#address) return;
    if (isReplaced) {
      this.#show(address);
      this.#timer ??= setTimeout(() => this.#write(), WRITE_AFTER_MS);
      return;
    }
    this.#write();
    history.pushState(null, '', address);
    this.#show(address);
  }

  #show(address: string): void {
    this.#address = address;
    const { pathname, search } = new URL(address, location.origin);
    this.place = readPlace(pathname, search);
  }

  /** Writes down where we are, if that is still to be done. */
  #write(): void {
    if (this.#timer !== undefined) history.replaceState(null, '', this.#address);
    this.#settle();
  }

  #settle(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #clicked(click: MouseEvent): void {
    if (click.defaultPrevented || click.button !== 0 || click.metaKey || click.ctrlKey || click.shiftKey || click.altKey) return;
    const anchor = (click.target as Element | null)?.closest('a');
    if (!anchor || anchor.target !== '' || anchor.origin !== location.origin || anchor.hasAttribute('download')) return;
    if (anchor.pathname.startsWith('/v1/') || anchor.getAttribute('href')?.startsWith('#')) return;
    click.preventDefault();
    this.#visit(anchor.pathname + anchor.search, false);
  }
}

export const router = new Router();
