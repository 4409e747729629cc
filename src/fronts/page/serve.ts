/** Starts the page's server, tends what runs meanwhile, and ends it when nobody looks any more. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type AppContext, openProject } from '../../app/context.ts';
import { whyOnlyLooking } from '../../app/lanes/coordinator.ts';
import { servedProjects } from '../../app/served-projects.ts';
import { codeOf, ExplainedError } from '../../base/errors.ts';
import { homeOf } from '../../base/files/home.ts';
import { packageRoot } from '../../base/files/package.ts';
import { openStore } from '../../store/open.ts';
import { hasOpenRun } from '../../store/projects.ts';
import { access } from './access.ts';
import { changeFeed } from './changes.ts';
import { pageFiles } from './files.ts';
import { pageRoutes } from './routes.ts';

export interface PageWish {
  /** Every project of this machine. */
  readonly all: boolean;
  /** 0: one that is free. */
  readonly port: number;
  /** Ends it, with what is still being done. */
  readonly signal: AbortSignal;
  readonly onDefect: (stack: string) => void;
  /** How long it stays without a reader. */
  readonly idleMs?: number;
  /** How long a browser waits for what it has begun. */
  readonly answerMs?: number;
  /** Where the built page is. */
  readonly folder?: string;
}

const IDLE_MS = 3_600_000;
const ANSWER_MS = 3_000;
const TEND_MS = 5_000;
const HOST = '127.0.0.1';
/** A browser opens six. */
const MOST_CONNECTIONS = 200;

/** Comes back once it listens. @throws {ExplainedError} if the page is not built, or the port is taken. */
export async function servePage(context: AppContext, wish: PageWish) {
  const { signal, onDefect, idleMs = IDLE_MS, answerMs = ANSWER_MS } = wish;
  const files = pageFiles(wish.folder ?? join(packageRoot(), 'dist/page'));
  const projects = await servedProjects(context, wish.all);
  const readOnly = (await whyOnlyLooking(context)) ?? null;
  const { promise: over, resolve: end, reject: fail } = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => end());
  const watched = await openStore(homeOf(context.env));
  const feed = changeFeed(watched, fail);
  const keys = access();
  const work = new Set<Promise<unknown>>();
  let lastReader = performance.now();
  let use: 'asked' | 'pausing' | 'resting' = 'asked';
  const onReader = () => {
    use = 'asked';
  };
  const contextAt = (cwd: string): AppContext => ({ ...context, cwd, progress: () => undefined });
  const port = () => (server.address() as AddressInfo).port;
  const { http } = await import('./http.ts');
  const { fetch } = pageRoutes(http, {
    contextAt,
    projects,
    readOnly,
    files,
    access: keys,
    feed,
    port,
    signal,
    answerMs,
    work,
    onReader,
    onDefect,
  });
  const server = http.serve({ fetch, hostname: HOST, port: wish.port }) as Server;
  await once(server, 'listening').catch((error) => {
    watched.close();
    throw notListening(error, wish.port);
  });
  server.maxConnections = MOST_CONNECTIONS;
  for (const flag of SMALL) setFlagsFromString(flag);

  const tend = async () => {
    try {
      for (const { folder } of projects) await tendIfOpen(contextAt(folder));
    } catch (error) {
      // A project that is gone is said by its views.
      if (!(error instanceof ExplainedError)) onDefect(String(error));
    }
  };
  let tending: Promise<void> | undefined;
  const timer = setInterval(
    () => {
      if (use === 'asked' || feed.readers() > 0) lastReader = performance.now();
      if (performance.now() - lastReader > idleMs) end();
      if (use === 'pausing') giveMemoryBack();
      use = use === 'asked' ? 'pausing' : 'resting';
      if (readOnly === null) tending ??= tend().finally(() => (tending = undefined));
    },
    Math.min(TEND_MS, idleMs),
  );
  return {
    readOnly,
    port: port(),
    /** With a new token: the address before is void. */
    address: () => `http://${HOST}:${port()}/#${keys.newToken()}`,
    /** Comes back once it has ended: interrupted, or without a reader for too long. */
    ended: over.finally(async () => {
      clearInterval(timer);
      feed.end();
      server.close();
      server.closeAllConnections();
      await Promise.allSettled([tending, ...work]);
      watched.close();
    }),
  };
}

/**
 * A look a second needs no optimised code: its compilers and what they make take 13 MB. And a heap that grows less
 * keeps less of what a large look has needed, for an eighth more of processor time.
 */
const SMALL = ['--no-opt', '--no-maglev', '--optimize-for-size'];

/** Left alone, V8 keeps what a look has needed until the next ones need it. */
function giveMemoryBack(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

/** Starts what may start and takes over what nobody supervises. Nothing is loaded for it before a run is open. */
async function tendIfOpen(context: AppContext): Promise<void> {
  const { store, projectId } = await openProject(context);
  if (!hasOpenRun(store, projectId)) return;
  const { tendRuns } = await import('../../app/lanes/runs.ts');
  await tendRuns(context);
}

function notListening(error: unknown, port: number): unknown {
  const why = { EADDRINUSE: 'is taken', EACCES: 'may not be used' }[codeOf(error)];
  if (why === undefined) return error;
  return new ExplainedError(`port ${port} ${why}`, {
    code: 'NO_SUCH_PORT',
    hint: 'give another one with --port, or none for one that is free',
    cause: error,
  });
}
