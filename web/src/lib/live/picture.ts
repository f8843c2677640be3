// The first picture is what a person waits for. While it is made, nothing else is asked for that can wait: answers that come
// meanwhile would be taken in before it is painted.

/** However long it takes, the rest waits no longer. */
const WAIT_MS_MAX = 1_000;

/** A promise, and what settles it; it settles by itself before long. */
function promised(): [Promise<void>, () => void] {
  let tell: () => void = () => undefined;
  const told = new Promise<void>((resolve) => {
    tell = resolve;
    setTimeout(resolve, WAIT_MS_MAX);
  });
  return [told, tell];
}

const [pageThere, tellPage] = promised();
const [picture, tellPicture] = promised();

/** Settles when the first picture is painted. */
export const firstPicture = picture;

/** Says that the file of the first page is loaded. */
export const pageLoaded = tellPage;

/** Says that the first picture is there, or that there is none to wait for. */
export const pictureDrawn = tellPicture;

/** Waits until what was changed is painted, on the page that shows it; where nobody looks, nothing is. */
export async function drawn(): Promise<void> {
  await pageThere;
  if (document.visibilityState === 'hidden') return;
  await new Promise<void>((resolve) => {
    // A task behind the frame: within it the picture is still to be made.
    requestAnimationFrame(() => setTimeout(resolve));
    setTimeout(resolve, WAIT_MS_MAX);
  });
}
