/**
 * What the server tells: views as JSON, and one stream that says when they have changed. The page never polls. A
 * view that is shown is fetched again after each change, and after each gap of the stream.
 */
import { computed, effect, type Signal, signal, untracked } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { project } from './route.ts';
import { say } from './say.ts';

/** `refused`: the server is there and does not know this browser; `unknown`: nor the project of the address. */
export type Connection = 'connecting' | 'live' | 'lost' | 'refused' | 'unknown';

export interface Problem {
  readonly error: string;
  readonly hint?: string;
}

export interface Loaded<Data> {
  /** The last known state, also while the server is away; `null` before the first answer. */
  readonly data: Data | null;
  readonly problem: Problem | null;
}

interface View {
  readonly url: string;
  readonly loaded: Signal<Loaded<unknown>>;
  /** The last answer as text: an equal one changes nothing on the screen. */
  text: string;
  readers: number;
  state: 'idle' | 'loading' | 'outdated';
}

const RETRY_MS = [500, 1_000, 2_000, 4_000] as const;
/** After such a pause the machine has slept, and the stream may be dead without a word. */
const ASLEEP_MS = 15_000;
const WATCH_MS = 5_000;
const MOST_VIEWS = 60;

export const connection = signal<Connection>('connecting');

/** Nothing is received or sent: what is shown is the last that is known. */
export const isCutOff = computed(() => ['lost', 'refused'].includes(connection.value));

/** The size of the log that is followed, as the stream last said. */
const logSize = signal<number | null>(null);
/** The query that asks the stream for it. */
const followedLog = signal<string | null>(null);

const views = new Map<string, View>();

/** The view at this path below the project, or of all projects after a `/`: kept current as long as it is shown. */
export function useView<Data>(path: string): Loaded<Data> {
  const view = viewAt(path.startsWith('/') ? `/api${path}` : urlOf(path));
  useEffect(() => {
    view.readers += 1;
    void refresh(view);
    return () => {
      view.readers -= 1;
    };
  }, [view]);
  return view.loaded.value as Loaded<Data>;
}

/** Follows the growth of one log through the stream, as long as the component is there. */
export function useLogSize(run: string, log: string | null): number | null {
  useEffect(() => {
    followedLog.value = log && `?${new URLSearchParams({ log, run })}`;
    return () => {
      followedLog.value = null;
    };
  }, [run, log]);
  return logSize.value;
}

export function refreshAll(): void {
  for (const view of views.values()) if (view.readers > 0) void refresh(view);
}

/** Fetches below the project; fails with a `Problem`. */
export async function request(path: string, init?: RequestInit): Promise<Response> {
  return await answer(urlOf(path), init);
}

const urlOf = (path: string): string => `/api/${encodeURIComponent(project.value)}/${path}`;

function viewAt(url: string): View {
  const known = views.get(url);
  if (known !== undefined) return known;
  for (const [old, view] of views) {
    if (views.size < MOST_VIEWS) break;
    if (view.readers === 0) views.delete(old);
  }
  const view: View = {
    url,
    loaded: signal<Loaded<unknown>>({ data: null, problem: null }),
    text: '',
    readers: 0,
    state: 'idle',
  };
  views.set(url, view);
  return view;
}

async function refresh(view: View): Promise<void> {
  if (view.state !== 'idle') {
    view.state = 'outdated';
    return;
  }
  do {
    view.state = 'loading';
    await load(view);
  } while (isOutdated(view));
  view.state = 'idle';
}

/** Another change may have come while the answer was read. */
const isOutdated = ({ state }: View): boolean => state === 'outdated';

async function load(view: View): Promise<void> {
  try {
    const text = await (await answer(view.url)).text();
    if (text !== view.text || view.loaded.value.problem !== null) {
      view.text = text;
      view.loaded.value = { data: JSON.parse(text), problem: null };
    }
  } catch (cause) {
    view.loaded.value = { data: view.loaded.value.data, problem: problemOf(cause) };
  }
}

async function answer(url: string, init?: RequestInit): Promise<Response> {
  const streamThen = source;
  const response = await fetch(url, {
    ...init,
    headers: { accept: 'application/json', ...init?.headers },
  }).catch(() => {
    if (source === null || connection.value === 'unknown') connection.value = 'lost';
    checkStream();
    throw { error: 'The server does not answer', hint: 'lanehold ui' } satisfies Problem;
  });
  const isRefused = response.status === 401 || response.status === 403;
  // What was asked before this browser was let in says nothing of now.
  if (isRefused && source === streamThen) connection.value = 'refused';
  if (response.ok) {
    if (source === null) connection.value = 'live';
    return response;
  }
  const said = await response.json().catch(() => ({}));
  // What was asked before the address named another project says nothing of that one.
  const isOfThis = url.startsWith(urlOf(''));
  if (isOfThis && said.code === 'NO_SUCH_PROJECT') connection.value = 'unknown';
  throw { error: `The server answered ${response.status}`, ...said };
}

export function problemOf(cause: unknown): Problem {
  if (typeof cause === 'object' && cause !== null && 'error' in cause) {
    const { error, hint } = cause as { error: unknown; hint?: unknown };
    return { error: String(error), ...(hint ? { hint: String(hint) } : {}) };
  }
  return { error: String(cause) };
}

/** The server has said itself why there is no stream. */
const isAnswered = (): boolean => connection.value === 'refused' || connection.value === 'unknown';

/** `null` in a tab in the background, unless it is the one that tells the others. */
let source: EventSource | null = null;
/** Ends its wait for that, or what it does for them. */
let turn = new AbortController();
let openedAt = 0;
let failures = 0;
let retry: ReturnType<typeof setTimeout> | undefined;

/** One answer that did not come may be an accident: the stream tells whether the server is there. */
function checkStream(): void {
  if (connection.value === 'live' && Date.now() - openedAt > RETRY_MS[0]) connect();
}

/** Tabs of this server in the background. */
const tabs = new BroadcastChannel('lanehold');

interface Told {
  readonly project: string;
  readonly kind: 'changed' | 'said' | 'connection';
  readonly data: string;
}

function tellTabs(kind: Told['kind'], data: string): void {
  if (document.visibilityState === 'visible') return;
  tabs.postMessage({ project: project.value, kind, data } satisfies Told);
}

function take(kind: Told['kind'], data: string): void {
  if (kind === 'connection') connection.value = data as Connection;
  if (kind === 'said') sayEnd(data);
  else refreshAll();
}

/** How something ended that took longer than its answer. */
function sayEnd(data: string): void {
  const { said, error, hint } = JSON.parse(data) as { said?: string } & Partial<Problem>;
  if (error === undefined) say(said ?? 'Done');
  else say(error, { tone: 'bad', hint });
}

/**
 * A tab that is looked at has a stream of its own. Of those in the background one has, and tells the others: a browser
 * opens six connections to a server, and with a stream in each of six tabs nothing else would be answered.
 */
export function connect(): void {
  clearTimeout(retry);
  turn.abort();
  turn = new AbortController();
  source?.close();
  source = null;
  const isSeen = document.visibilityState === 'visible' || navigator.locks === undefined;
  if (isSeen) openStream();
  else waitForTurn(turn.signal);
}

function waitForTurn(signal: AbortSignal): void {
  const ended = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  const taken = navigator.locks.request(`lanehold ${project.value}`, { signal }, () => {
    openStream();
    return ended;
  });
  // It was aborted while it waited.
  taken.catch(() => undefined);
}

function openStream(): void {
  openedAt = Date.now();
  const opened = new EventSource(urlOf(`changes${followedLog.value ?? ''}`));
  source = opened;
  logSize.value = null;
  opened.onopen = () => {
    failures = 0;
    connection.value = 'live';
    refreshAll();
    // Whoever told them before may have been closed, and they have missed something.
    tellTabs('changed', '');
  };
  for (const kind of ['changed', 'said'] as const) {
    opened.addEventListener(kind, ({ data }) => {
      take(kind, data);
      tellTabs(kind, data);
    });
  }
  opened.addEventListener('grew', ({ data }) => {
    logSize.value = (JSON.parse(data) as { bytes: number }).bytes;
  });
  opened.onerror = () => {
    if (source !== opened) return;
    opened.close();
    if (!isAnswered()) connection.value = 'lost';
    // Says whether nobody is there, or somebody who does not know this browser.
    refreshAll();
    retry = setTimeout(openStream, RETRY_MS[Math.min(failures, RETRY_MS.length - 1)]);
    failures += 1;
  };
}

/** Opens the stream, and opens it again after each change of the project or the log, a gap or a sleep. */
export function stayConnected(): void {
  effect(() => {
    void project.value;
    void followedLog.value;
    untracked(connect);
  });
  effect(() => {
    const state = connection.value;
    if (source !== null && state !== 'connecting') tellTabs('connection', state);
  });
  tabs.onmessage = ({ data: { project: of, kind, data } }: MessageEvent<Told>) => {
    if (source === null && of === project.value) take(kind, data);
  };
  addEventListener('online', connect);
  let last = Date.now();
  // Timers of a page that nobody looks at are late by themselves, so that only a visible one tells of sleep.
  const look = () => {
    if (document.visibilityState !== 'visible') return;
    const at = Date.now();
    if (at - last > ASLEEP_MS || connection.value === 'lost') connect();
    last = at;
  };
  document.addEventListener('visibilitychange', () => {
    last = Date.now();
    connect();
  });
  setInterval(look, WATCH_MS);
}
