/** Starts the program of supervisors and reconciles, as a process in a session of its own. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { definedOnly } from '../../base/environment.ts';
import type { Home } from '../../base/files/home.ts';
import { packageRoot } from '../../base/files/package.ts';
import { makePrivateFolder } from '../../base/files/private-folder.ts';
import { replaceFile } from '../../base/files/replace-file.ts';
import { startDetached } from '../../base/process/run.ts';
import { sha256 } from '../../base/text/sha256.ts';
import { shellQuoted } from '../../base/text/shell-quote.ts';
import { type Attempt, attemptStore } from '../../store/attempts.ts';
import { pullRequestStore } from '../../store/pull-requests.ts';
import { laneEnvironment } from '../settings/lane-environment.ts';
import type { LaneContext } from '../spec/context.ts';
import { laneDir } from '../spec/paths.ts';
import { unwatched, WATCHER_EVERY_MS } from './eligibility.ts';

export const RECONCILE = '--reconcile';
export const BASELINE = '--baseline=';
export const PULLS = '--pulls=';
export const NOTIFY = '--notify';

/** Starts a reconcile, or the process that notifies a person. */
export function launch(context: LaneContext, what: typeof RECONCILE | typeof NOTIFY): void {
  startProgram(context, what, join(context.store.home.runs, 'lanes', `${what.slice(2)}.log`));
}

export function launchBaseline(context: LaneContext, laneId: string): void {
  const logFile = join(laneDir(context.store.home, laneId), 'base.log');
  startProgram(context, `${BASELINE}${laneId}`, logFile);
}

/** Starts a watcher for each run with pull requests and no watcher. */
export function launchPulls(context: LaneContext): void {
  const { store, now } = context;
  for (const runId of unwatched(context)) {
    const at = now().getTime();
    const claim = () => pullRequestStore(store).claimLaunch(runId, at, at - WATCHER_EVERY_MS);
    if (!store.write(claim)) continue;
    const logFile = join(laneDir(store.home, runId), 'pulls.log');
    startProgram(context, `${PULLS}${runId}`, logFile);
  }
}

/** A second supervisor is launched only after this time: the first may have died at its start. */
const LAUNCH_EVERY_MS = 1_500;

/**
 * Supervisors may be many. The memory that each flag saves was measured while a worker ran. All programs have the same
 * flags, because V8 takes compiled code only from a process with its own.
 */
export const SAVE_MEMORY = [
  // A smaller young generation, which is collected earlier: 20 MB.
  '--max-semi-space-size=1',
  // No compilers, because no code runs often enough to need them: 5 MB.
  '--no-opt',
  '--no-maglev',
  '--no-sparkplug',
  // The memory of a checkpoint is returned after it: 3 MB.
  '--expose-gc',
];

/** Whether this process continues with the attempt, whose supervisor gets that environment. */
export type Take = (attempt: Attempt, env: Record<string, string>) => boolean;

/** True if a supervisor was started. Of several, the lock decides which one continues. */
export function launchSupervisor(
  context: LaneContext,
  attempt: Attempt,
  take: Take = () => false,
): boolean {
  const { store, now } = context;
  const { id, laneId, dir } = attempt;
  const mine = store.write(() => attemptStore(store).claimLaunch(id, LAUNCH_EVERY_MS, now()));
  if (!mine) return false;
  const env = ownEnvironment(laneEnvironment(context, laneId));
  if (!take(attempt, env)) startProgram({ store, env }, id, supervisorLog(dir));
  return true;
}

export const supervisorLog = (dir: string): string => join(dir, 'sup.log');

function startProgram(
  { store, env }: Pick<LaneContext, 'store' | 'env'>,
  what: string,
  logFile: string,
): void {
  const folder = dirname(logFile);
  makePrivateFolder(folder);
  const program = supervisorProgram(store.home, env);
  startDetached(process.execPath, [...SAVE_MEMORY, program.file, what], {
    cwd: folder,
    env: {
      ...ownEnvironment(env),
      LANEHOLD_NODE_PATH: env.NODE_PATH ?? '',
      ...program.env,
      LANEHOLD_HOME: store.home.root,
    },
    logFile,
  });
}

/**
 * The environment of a supervisor. A reconcile may run inside of a worker, and its supervisor must not inherit the
 * worker's marker, or it would be ended together with the worker.
 */
function ownEnvironment(env: NodeJS.ProcessEnv): Record<string, string> {
  const all = Object.entries(definedOnly(env));
  return Object.fromEntries(all.filter(([name]) => !OF_AN_ATTEMPT.test(name)));
}

const OF_AN_ATTEMPT =
  /^LANEHOLD_(?:ATTEMPT|STAGE|LANE|RUN|WORKTREE|PORT_\d+|GUARD|PROJECT|AGENT|GIT_SETTINGS)$/;

const MAIN = 'supervisor.cjs';

/** A copy of the built program, so that an update of the package does not affect running lanes. */
function supervisorProgram(home: Home, env: NodeJS.ProcessEnv): ReturnType<typeof programAt> {
  // A supervisor starts others from its own copy.
  if (env.LANEHOLD_SUPERVISOR && existsSync(env.LANEHOLD_SUPERVISOR)) {
    return programAt(env.LANEHOLD_SUPERVISOR, env.LANEHOLD_MODULES ?? '');
  }
  const built = join(packageRoot(), 'dist', 'supervisor');
  // Its imports contain content hashes, so its digest covers all parts.
  const main = readFileSync(join(built, MAIN));
  const digest = sha256(main);
  const folder = join(home.root, 'runtime', digest.slice(0, 16));
  copyParts(built, folder);
  ensureShim(join(folder, 'bin'));
  return programAt(join(folder, MAIN), modulesFolder());
}

/** @param modules the folder in which the copy finds the native library. */
function programAt(file: string, modules: string) {
  const env = { NODE_PATH: modules, LANEHOLD_SUPERVISOR: file, LANEHOLD_MODULES: modules };
  return { file, env };
}

function copyParts(from: string, to: string): void {
  makePrivateFolder(to);
  for (const name of readdirSync(from)) {
    const source = join(from, name);
    const copy = join(to, name);
    // A power loss may have left an empty file.
    if (statSync(copy, { throwIfNoEntry: false })?.size === statSync(source).size) continue;
    replaceFile(copy, readFileSync(source), { mode: 0o600 });
  }
}

/** A `lanehold` command for workers, in a folder at the end of PATH. */
function ensureShim(folder: string): void {
  const file = join(folder, 'lanehold');
  const cli = join(packageRoot(), 'bin', 'lanehold.js');
  const text = `#!/bin/sh\nexec ${shellQuoted(process.execPath)} ${shellQuoted(cli)} "$@"\n`;
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return;
  makePrivateFolder(folder);
  replaceFile(file, text, { mode: 0o700 });
}

function modulesFolder(): string {
  const { resolve } = createRequire(join(packageRoot(), 'package.json'));
  return dirname(dirname(resolve('better-sqlite3/package.json')));
}
