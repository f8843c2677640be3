// What runs first. It is in a file of its own beside the rest of the dashboard, and asks for the file of the page and for its first
// rows, unless the page brings them, while the rest is still on its way. What it imports is in that file as well: it imports little.
import type { Component } from 'svelte';
import { askEarly, isGiven } from './lib/api/early';
import { firstAddress } from './lib/api/parts';
import { takeToken } from './lib/api/token';
import { pageOf } from './lib/route/pages';
import { readPlace } from './lib/route/place';

export interface FirstShown {
  name: string;
  component: Component;
}

// Before anything is asked: a token in the address goes with the first question.
takeToken();

const place = readPlace(location.pathname, location.search);
const page = pageOf(place.page);
const first = firstAddress(place, page?.view);
/** Whether the first rows came with the page: then there are some, and nothing else is needed to show them. */
export const hasRows = first !== undefined && isGiven(first);
if (first !== undefined) askEarly(first);
/** The page that is asked for first, once its file is there. Where it cannot be loaded, the shell says so when it asks for it. */
export const firstShown: Promise<FirstShown | null> = (page?.load() ?? Promise.reject()).then(
  (loaded) => ({ name: place.page, component: loaded.default }),
  () => null,
);
