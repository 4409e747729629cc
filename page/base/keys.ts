/** The keyboard: each view says what its keys do, and the bar at the bottom and `?` show that table. */
import { computed, signal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { copyNearest } from './copy.ts';
import { addressOf, go, VIEW_NAMES, VIEWS } from './route.ts';

export interface Key {
  /** As it is shown, with a space between keys that are alternatives: `j k`, `ctrl ↵`. */
  readonly shown: string;
  readonly does: string;
  /** `KeyboardEvent.key` of each, with what it does; absent for what the browser does by itself. */
  readonly press?: Readonly<Record<string, () => void>>;
}

/** Moves between the rows of a view; a row with `data-follow` is opened at once. */
export const MOVE: Key = {
  shown: 'j k',
  does: 'move',
  press: { j: () => move(1), k: () => move(-1) },
};
export const OPEN: Key = { shown: '↵', does: 'open' };
export const COPY: Key = { shown: 'c', does: 'copy the command', press: { c: copyNearest } };

/** Opens the table of all keys; the frame has its dialog. */
export const isHelpOpen = signal(false);
/** `g` was pressed: the next letter names a view. */
export const isGoing = signal(false);

const EVERYWHERE: readonly Key[] = [
  { shown: '/', does: 'search the memory', press: { '/': search } },
  { shown: 'g', does: 'then a letter: view', press: { g: () => undefined } },
  {
    shown: '?',
    does: 'all keys',
    press: {
      '?': () => {
        isHelpOpen.value = true;
      },
    },
  },
];

const ofView = signal<readonly Key[]>([]);

export const shownKeys = computed(() => [...ofView.value, ...EVERYWHERE]);

/** The keys of the view that is there; `keys` is made anew with each drawing, and the last one counts. */
export function useKeys(keys: readonly Key[]): void {
  useLayoutEffect(() => {
    ofView.value = keys;
  });
  useLayoutEffect(
    () => () => {
      ofView.value = [];
    },
    [],
  );
}

export function listenToKeys(): void {
  addEventListener('keydown', (event) => {
    const { target, key } = event;
    if (event.ctrlKey || event.metaKey || event.altKey) return submitBy(event);
    if (document.querySelector('dialog[open]') !== null) return;
    if (target instanceof Element && target.matches('input, textarea, select')) {
      if (key === 'Escape') (target as HTMLElement).blur();
      return;
    }
    const handled = isGoing.value ? goTo(key) : press(key);
    if (handled) event.preventDefault();
  });
}

function goTo(letter: string): boolean {
  isGoing.value = false;
  const view = VIEW_NAMES.find((it) => VIEWS[it].letter === letter);
  if (view !== undefined) go(addressOf(view));
  return view !== undefined;
}

function press(key: string): boolean {
  isGoing.value = key === 'g';
  const found = shownKeys.value.find(
    ({ press: does }) => does !== undefined && Object.hasOwn(does, key),
  );
  found?.press?.[key]?.();
  return found !== undefined;
}

/** Control and Enter send what stands in a field of several lines. */
function submitBy({ target, key, ctrlKey, metaKey }: KeyboardEvent): void {
  if (key !== 'Enter' || !(ctrlKey || metaKey)) return;
  if (target instanceof HTMLTextAreaElement) target.form?.requestSubmit();
}

const SELECTED = '[aria-current="true"]';

function move(by: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>('#main [data-row]')];
  const focused = rows.indexOf(document.activeElement as HTMLElement);
  const selected = rows.findIndex((it) => it.matches(SELECTED));
  const from = focused >= 0 ? focused : selected;
  const row = rows[Math.min(rows.length - 1, Math.max(0, from + by))];
  row?.focus();
  row?.scrollIntoView({ block: 'nearest' });
  // A link in a drawing is no HTMLAnchorElement.
  if (row?.matches('a[data-follow]')) go(row.getAttribute('href') ?? '', 'replace');
}

/** The field of this view; where it has none, that of the memory, which is drawn first. */
function search(): void {
  const field = () => document.querySelector<HTMLElement>('#main input[type="search"]');
  if (field() === null) go(addressOf('memory'));
  let tries = 20;
  const focus = () => {
    const found = field();
    if (found === null && tries-- > 0) setTimeout(focus, 25);
    else found?.focus();
  };
  focus();
}
