/** Starts the page's server, tends the runs meanwhile, and ends it when no page is open any more. */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
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
import { pageRoutes } from './routes.ts';

export interface PageWish {
  readonly all: boolean;
  /** 0 selects a free port. */
  readonly port: number;
  /** Ends the server and the running actions. */
  readonly signal: AbortSignal;
  readonly onDefect: (stack: string) => void;
  /** The time that it runs without a reader. */
  readonly idleMs?: number;
  /** The time that a browser waits for the result of an action. */
  readonly answerMs?: number;
  readonly folder?: string;
}

const IDLE_MS = 3_600_000;
const ANSWER_MS = 3_000;
const TEND_MS = 5_000;
const HOST = '127.0.0.1';
/** A browser opens six connections. */
const MOST_CONNECTIONS = 200;

/** Resolves once the server listens. @throws {ExplainedError} if the page is not built, or the port is in use. */
export async function servePage(context: AppContext, wish: PageWish) {
  const { signal, onDefect, idleMs = IDLE_MS, answerMs = ANSWER_MS } = wish;
  const { folder = join(packageRoot(), 'dist/page') } = wish;
  if (!existsSync(join(folder, 'index.html'))) {
    throw new ExplainedError('the page is not built', { hint: 'run `npm run build`' });
  }
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
    folder,
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
      // If a project is gone, its views report that.
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
    /** The address with a new token, which makes the earlier address invalid. */
    address: () => `http://${HOST}:${port()}/#${keys.newToken()}`,
    /** Resolves once the server has ended: interrupted, or without a reader for too long. */
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
 * One reading per second needs no optimised code: the compilers and their results take 13 MB. A heap that grows less
 * keeps less memory after a large reading, for an eighth more of processor time.
 */
const SMALL = ['--no-opt', '--no-maglev', '--optimize-for-size'];

/** Otherwise, V8 keeps the memory of a reading until the next ones need it. */
function giveMemoryBack(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

/** Starts waiting lanes and adopts those without a supervisor. Nothing is loaded for it before a run is open. */
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
