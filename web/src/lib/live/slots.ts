// A browser holds six connections to a server without encryption, for all tabs together, and a stream holds one for good.
// Slots say who may stream: four for all tabs, so that requests still get through. Who has none asks now and then instead.

const SLOTS_MAX = 4;
/** Where tabs cannot tell each other, each takes no more than these. */
const SLOTS_ALONE_MAX = 2;

let nAlone = 0;

/** Takes a slot if one is free, and returns what gives it back. */
export async function takeSlot(): Promise<(() => void) | null> {
  if (!('locks' in navigator)) {
    if (nAlone >= SLOTS_ALONE_MAX) return null;
    nAlone++;
    return () => void nAlone--;
  }
  for (let slot = 0; slot < SLOTS_MAX; slot++) {
    const release = await tryLock(`weft-stream-${slot}`);
    if (release !== null) return release;
  }
  return null;
}

function tryLock(name: string): Promise<(() => void) | null> {
  return new Promise((answer) => {
    void navigator.locks.request(name, { ifAvailable: true }, (lock) => {
      if (lock === null) {
        answer(null);
        return undefined;
      }
      return new Promise<void>((release) => answer(() => release()));
    });
  });
}
