/** What the browser says of the screen and of its owner's wishes. */
import { type ReadonlySignal, signal } from '@preact/signals';

function matching(query: string): ReadonlySignal<boolean> {
  const list = matchMedia(query);
  const matches = signal(list.matches);
  list.addEventListener('change', () => {
    matches.value = list.matches;
  });
  return matches;
}

/** The width below which a detail is opened under its row. */
export const isNarrow = matching('(max-width: 900px)');
export const isPhone = matching('(max-width: 600px)');
