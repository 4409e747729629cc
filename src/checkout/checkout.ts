/**
 * A checkout of a commit in which its tests can run: the files of the commit, the ignored ones that
 * `.worktreeinclude` names, and the dependencies.
 */
import { existsSync, lstatSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import type { VerifySettings } from '../base/config/feature.ts';
import { attempt, ExplainedError } from '../base/errors.ts';
import { isInside } from '../base/files/inside.ts';
import { CHECKOUT_MS, gitIn } from '../base/git/git-in.ts';
import { projectPlace } from '../base/git/project.ts';
import { pathsAt } from '../base/git/tree.ts';
import { literally } from '../base/text/pattern.ts';
import { findSetups, type Setup, setupsOf } from './find-setups.ts';
import { copyIncluded } from './include.ts';
import { runSetup, type SetupWish } from './setup.ts';
import { addSubmodules } from './submodules.ts';
import { withTemporaryTree } from './temporary-tree.ts';

export interface CheckoutWish extends Pick<SetupWish, 'env' | 'cache' | 'signal' | 'now'> {
  readonly oid: string;
  /** Root of the checkout that a person works in. */
  readonly from: string;
  /** Roots of the checkouts in which dependencies may be installed. */
  readonly installedIn: readonly string[];
  readonly settings: VerifySettings;
  /** Folders in which commands will run, relative to the root. */
  readonly folders: (root: string) => readonly string[];
  /** Returns why a setup must not run in the tree; `undefined` if it may. */
  readonly refusal: (setup: Setup, root: string) => string | undefined;
  readonly logFile: string;
  /** Called when a step begins, with words for a person. */
  readonly onStep: (what: string) => void;
}

export interface Checkout {
  readonly root: string;
  /** The environment of the commands: nothing in it leads to the person's checkout. */
  readonly env: NodeJS.ProcessEnv;
}

export class SetupRefusedError extends ExplainedError {
  override readonly code = 'SETUP_REFUSED';
}

/** @throws {SetupFailedError | SetupRefusedError} */
export async function withCheckout<T>(
  wish: CheckoutWish,
  work: (checkout: Checkout) => Promise<T>,
): Promise<T | 'interrupted'> {
  const { oid, from, installedIn, env, onStep, now } = wish;
  const git = gitIn(from, env, { network: true, timeoutMs: CHECKOUT_MS });
  onStep(`checking out ${oid.slice(0, 12)}`);
  removeLeftovers(now());
  const tree = { oid, around: join(tmpdir(), PREFIX), name: basename(from) };
  return withTemporaryTree(git, tree, async (root) => {
    await copyIncluded(from, root, env, ENV_FILE);
    // A submodule that is not on this machine is left to the project's setup.
    const { identity } = projectPlace(from);
    await addSubmodules(git, { oid, from: [from, identity], root });
    const paths = await pathsAt(git, oid);
    const folders = wish.folders(root);
    const setups =
      setupsOf(wish.settings, root) ?? findSetups({ root, paths, folders, installedIn });
    const moved = movedEnvironment(env, from, root);
    // A person's own setup may download what it needs; a virtual environment that it will make does not exist yet.
    const { npm_config_yes: _, VIRTUAL_ENV: __, ...setupEnv } = moved;
    for (const setup of setups) {
      const why = wish.refusal(setup, root);
      if (why !== undefined) throw new SetupRefusedError(why);
      const done = await runSetup({
        ...wish,
        setup,
        worktree: root,
        setting: 'verify.setup',
        env: setupEnv,
      });
      if (done.kind === 'interrupted') return 'interrupted';
    }
    return work({ root, env: withNewVenv(moved, setups, from, root) });
  });
}

/** The files of this name that tests find in the person's checkout, too. */
const ENV_FILE = /(?:^|\/)\.env(?:\.[\w-]+)*$/;

const PREFIX = 'lanehold-verify-';
/** The longest that a test may run. */
const LEFTOVER_MS = 24 * 60 * 60 * 1_000;

/** Removes the folders that killed processes left; git forgets such worktrees on its own. */
function removeLeftovers(now: Date): void {
  const folders = readdirSync(tmpdir()).filter((name) => name.startsWith(PREFIX));
  for (const folder of folders.map((name) => join(tmpdir(), name))) {
    const { mtimeMs, uid } = lstatSync(folder, { throwIfNoEntry: false }) ?? {};
    const isOwn = uid === process.getuid?.();
    if (mtimeMs === undefined || !isOwn || now.getTime() - mtimeMs < LEFTOVER_MS) continue;
    attempt(() => rmSync(folder, { recursive: true, force: true }));
  }
}

/** Replaces paths into one checkout with paths into the other. */
export function movedEnvironment(
  env: NodeJS.ProcessEnv,
  from: string,
  to: string,
): NodeJS.ProcessEnv {
  const { HOME = '' } = env;
  // If the home folder is itself a checkout, every path would be one into it.
  if (HOME === from || isInside(from, HOME)) return env;
  const path = new RegExp(`${literally(from)}(?=[/:]|$)`, 'g');
  const moved = Object.entries(env).map(([name, value]) => [
    name,
    name.startsWith('LANEHOLD_') ? value : value?.replace(path, () => to),
  ]);
  return Object.fromEntries(moved);
}

/** Activates a Python environment that the setup has made, as a person would do it. */
export function withNewVenv(
  env: NodeJS.ProcessEnv,
  setups: readonly Setup[],
  from: string,
  root: string,
): NodeJS.ProcessEnv {
  for (const { cwd, manager } of setups) {
    const venv = join(root, cwd, '.venv');
    const isNew = existsSync(join(venv, 'pyvenv.cfg')) && !existsSync(join(from, cwd, '.venv'));
    if (manager?.language !== 'python' || !isNew) continue;
    return { ...env, VIRTUAL_ENV: venv, PATH: `${join(venv, 'bin')}${delimiter}${env.PATH ?? ''}` };
  }
  return env;
}
