// How a piece of work came of another, in a few words.
import type { WorkOrigin } from '../../lib/api/words';

export const ORIGIN: Record<WorkOrigin, string> = {
  child: 'a part of it',
  alternative: 'another way to do it',
  weave: 'a gap in the documentation',
  pulse: 'a health problem',
};
