/** Addresses: `#/lanes/KEY?run=NAME`, each of which stays valid as long as what it names is there. */
import { computed, signal } from '@preact/signals';

/** The views in the order of the rail, each with the letter that opens it after `g`, and what tells the same. */
export const VIEWS = {
  needs: { title: 'Needs you', letter: 'n', command: 'lanehold status' },
  lanes: { title: 'Lanes', letter: 'l', command: 'lanehold orchestrate status' },
  hold: { title: 'Hold', letter: 'h', command: 'lanehold feature pending' },
  sessions: { title: 'Sessions', letter: 's', command: 'lanehold session list' },
  memory: { title: 'Memory', letter: 'm', command: 'lanehold note list' },
  health: { title: 'Health', letter: 'd', command: 'lanehold doctor' },
} as const;

export type ViewName = keyof typeof VIEWS;

export const VIEW_NAMES = Object.keys(VIEWS) as ViewName[];

interface Route {
  readonly view: ViewName;
  /** What is shown of the view: a lane, a feature, a session. */
  readonly name: string | null;
  readonly params: URLSearchParams;
}

/** These stay in the address from one view to the next. */
const KEPT = ['project', 'run'];

const address = signal(location.hash);
addEventListener('hashchange', () => {
  address.value = location.hash;
});

export const route = computed(() => parseAddress(address.value));

/** The project of this page as the server calls it; `-` is the one that the terminal stands in. */
export const project = computed(() => route.value.params.get('project') ?? '-');

function parseAddress(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const [first = '', ...rest] = path.split('/');
  const view = VIEW_NAMES.find((it) => it === first) ?? 'needs';
  const name = rest.filter((it) => it !== '').map(decoded);
  return {
    view,
    name: view === first && name.length > 0 ? name.join('/') : null,
    params: new URLSearchParams(query),
  };
}

/** Text that is no valid escape is taken as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

type Params = Readonly<Record<string, string | undefined>>;

/** The address of a view in the same project and run, if `params` name no other. */
export function addressOf(view: ViewName, name?: string | null, params: Params = {}): string {
  const all = new URLSearchParams();
  for (const key of KEPT) {
    const value = route.value.params.get(key);
    if (value !== null) all.set(key, value);
  }
  for (const [key, value] of Object.entries(params)) {
    if (value === undefined) all.delete(key);
    else all.set(key, value);
  }
  const query = all.toString().replaceAll(/=(?=&|$)/g, '');
  const path = name ? `${view}/${encodeURIComponent(name)}` : view;
  return `#/${path}${query && `?${query}`}`;
}

/** Changes what is chosen within a view, which its address keeps. */
export function choose(change: Params): void {
  const { view, name, params } = route.value;
  go(addressOf(view, name, { ...Object.fromEntries(params), ...change }), 'replace');
}

export function go(to: string, how: 'push' | 'replace' = 'push'): void {
  if (how === 'push') location.hash = to;
  else location.replace(to);
}
