/**
 * Starts the supervisor of an attempt: a process of its own session, from a copy of the program, so
 * that an update of the package changes nothing under it.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { packageRoot } from '../package.ts';
import { makePrivateFolder } from '../private-folder.ts';
import { startDetached } from '../process/detached.ts';
import { type Attempt, attemptStore } from '../store/attempts.ts';
import type { Home } from '../store/home.ts';
import type { Environment, LaneWorld } from './world.ts';

/** Two ticks do not start the same supervisor twice; one that died at its start is started again. */
const LAUNCH_EVERY_MS = 1_500;

/**
 * There may be many, and all they do is look: V8 would let sixteen megabytes of leftovers pile up
 * before it clears them away. Measured: 20 MB less, no other difference.
 */
const FRUGAL = ['--max-semi-space-size=1'];

/** True if this call started one; the lock decides which of several goes on. */
export function launchSupervisor(world: LaneWorld, attempt: Attempt): boolean {
  const { store } = world;
  const mine = store.write(() =>
    attemptStore(store).claimLaunch(attempt.id, LAUNCH_EVERY_MS, world.now()),
  );
  if (!mine) return false;
  start(world, [attempt.id], { folder: attempt.dir, log: 'sup.log' });
  return true;
}

export const TICK = '--tick';

/** A tick in a process of its own, for those who may not wait for one. */
export function launchTick(world: LaneWorld): void {
  start(world, [TICK], { folder: join(world.store.home.runs, 'lanes'), log: 'tick.log' });
}

function start(
  { store, env }: LaneWorld,
  args: readonly string[],
  { folder, log }: { readonly folder: string; readonly log: string },
): void {
  makePrivateFolder(folder);
  const program = supervisorProgram(store.home, env);
  startDetached(process.execPath, [...FRUGAL, program.file, ...args], {
    cwd: folder,
    env: {
      LANEHOLD_NODE_PATH: env.NODE_PATH ?? '',
      ...ownEnvironment(env),
      ...program.env,
      LANEHOLD_HOME: store.home.root,
    },
    logFile: join(folder, log),
  });
}

interface Program {
  readonly file: string;
  /** How the copy finds the library with a native part. */
  readonly env: Readonly<Record<string, string>>;
}

function supervisorProgram(home: Home, env: Environment): Program {
  // A supervisor starts others from the very copy that it runs from.
  if (env.LANEHOLD_SUPERVISOR && existsSync(env.LANEHOLD_SUPERVISOR)) {
    return programAt(env.LANEHOLD_SUPERVISOR, env.LANEHOLD_MODULES ?? '');
  }
  const source = readFileSync(join(packageRoot(), 'dist', 'supervisor.cjs'));
  const digest = createHash('sha256').update(source).digest('hex').slice(0, 16);
  const folder = join(home.root, 'runtime', digest);
  const file = join(folder, 'supervisor.cjs');
  // A power cut may have left a file without its content.
  if (statSync(file, { throwIfNoEntry: false })?.size !== source.length) {
    makePrivateFolder(folder);
    const next = `${file}.${process.pid}.tmp`;
    writeFileSync(next, source);
    renameSync(next, file);
  }
  ensureShim(join(folder, 'bin'));
  return programAt(file, modulesFolder());
}

function programAt(file: string, modules: string): Program {
  return {
    file,
    env: { NODE_PATH: modules, LANEHOLD_SUPERVISOR: file, LANEHOLD_MODULES: modules },
  };
}

/** Workers speak through `lanehold`, wherever it was started from: a folder for the end of PATH. */
function ensureShim(folder: string): void {
  const file = join(folder, 'lanehold');
  const cli = join(packageRoot(), 'bin', 'lanehold.js');
  const text = `#!/bin/sh\nexec ${quoted(process.execPath)} ${quoted(cli)} "$@"\n`;
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return;
  makePrivateFolder(folder);
  const next = `${file}.${process.pid}.tmp`;
  writeFileSync(next, text, { mode: 0o700 });
  renameSync(next, file);
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function modulesFolder(): string {
  const resolve = createRequire(join(packageRoot(), 'package.json'));
  return dirname(dirname(resolve.resolve('better-sqlite3/package.json')));
}

/**
 * A tick may run inside of a worker: its supervisor must not carry that worker's cookie, or it would
 * be ended with it.
 */
function ownEnvironment(env: Environment): Record<string, string> {
  const entries = Object.entries(env).flatMap(([name, value]) =>
    value === undefined || OF_AN_ATTEMPT.test(name) ? [] : [[name, value] as const],
  );
  return Object.fromEntries(entries);
}

const OF_AN_ATTEMPT = /^LANEHOLD_(?:ATTEMPT|STAGE|LANE|RUN|WORKTREE|PORT_\d+|GUARD|PROJECT|AGENT)$/;
