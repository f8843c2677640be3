// What runs first. It is in a file of its own beside the rest of the dashboard, and asks for the file of the page and for its first
// rows while the rest is still on its way. What it imports is in that file as well: it imports little.
import { askEarly } from './lib/api/early';
import { firstAddress } from './lib/api/parts';
import { takeToken } from './lib/api/token';
import { pageOf } from './lib/route/pages';
import { readPlace } from './lib/route/place';

// Before anything is asked: a token in the address goes with the first question.
takeToken();

const place = readPlace(location.pathname, location.search);
const page = pageOf(place.page);
const first = firstAddress(place, page?.view);
if (first !== undefined) askEarly(first);
// Where it cannot be loaded, the shell says so when it asks for it.
page?.load().catch(() => undefined);
