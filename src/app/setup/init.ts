/** `init`: hooks of agents, features of a project and git's own hook, each set up as by its own command. */
import { join, relative } from 'node:path';
import type { Runtime } from '../../agents/kit/hook-shim.ts';
import { REGISTRY_FILE } from '../../base/config/feature.ts';
import { ExplainedError } from '../../base/errors.ts';
import { gitIn } from '../../base/git/git-in.ts';
import { untracked } from '../../base/git/paths.ts';
import { projectPlace } from '../../base/git/project.ts';
import { enumerated } from '../../base/text/printable.ts';
import { shellWord } from '../../base/text/shell-quote.ts';
import { foundBy, installers } from '../../install/targets.ts';
import { existingStore } from '../../store/memory.ts';
import { type AppContext, openFeatures } from '../context.ts';
import { proposeFeatures } from '../hold/features.ts';
import type { Progress } from '../hold/verification.ts';
import { holdHere } from './git-hook.ts';
import { type InstallWish, installHooks } from './installation.ts';

export interface InitWish extends Pick<InstallWish, 'agents' | 'extras' | 'dryRun'> {
  /** Let git hold pushes from this clone. */
  readonly gitHook: boolean;
  /** Runs the smoke tests of proposed features; absent: they are proposed without a run. */
  readonly trying?: Progress | undefined;
}

export type InitReport = Awaited<ReturnType<typeof initProject>>;

/** @throws {ExplainedError} outside of a repository with a working tree. */
export async function initProject(given: AppContext, wish: InitWish, runtime?: Runtime) {
  const { dryRun, gitHook, trying } = wish;
  // A plan writes nothing.
  const context = dryRun ? { ...given, store: () => existingStore(given.env) } : given;
  const { kind, root } = projectPlace(context.cwd);
  if (kind !== 'git') {
    throw new ExplainedError(`${root} is no working tree of git, from which something is pushed`, {
      hint: '`git init` first; or `lanehold install`, for the agents alone',
    });
  }
  await assertIgnored(context, root);
  const { registry } = await openFeatures(context);
  const registered = [...registry.features.keys()].sort();
  const all = await installers();
  const found = all.filter((it) => foundBy(it, context) !== undefined);
  const names = wish.agents?.length ? wish.agents : found.map(({ name }) => name);
  const scope = 'user' as const;
  const installed =
    names.length === 0
      ? null
      : await installHooks(context, { ...wish, agents: names, scope }, runtime);
  // This may write a file of the project, which is then verified as it will be committed.
  const git = gitHook ? await holdHere(context, { dryRun }, runtime) : null;
  const discovered =
    registered.length > 0
      ? null
      : await proposeFeatures(context, { write: !dryRun, trying: dryRun ? undefined : trying });
  const interrupted = trying?.signal.aborted === true;
  return {
    dryRun,
    /** `null` if no agent was named and none is found on this machine. */
    agents: installed?.agents ?? null,
    /** The names of the agents that can be installed for. */
    known: all.map(({ name }) => name),
    /** `null` if the project already has features: `feature discover` proposes more. */
    discovered,
    registered,
    /** `null` if git's hook is not wanted. */
    git,
    /** Files of the project to commit, relative to the working directory. */
    toCommit: await uncommitted(context, [REGISTRY_FILE, ...(git?.husky ? [git.husky.file] : [])]),
    /** A person stopped it while tests ran: hooks are installed, and no features are written. */
    interrupted,
  };
}

/** A folder of installed packages: of npm, or a virtual environment of Python. */
const INSTALLED = /^(?:.*?\/)??node_modules(?=\/)|^.+(?=\/pyvenv\.cfg$)/;

/** @throws {ExplainedError} if git takes installed packages for files of the project, of which features would be made. */
async function assertIgnored({ env }: AppContext, root: string): Promise<void> {
  const paths = await untracked(gitIn(root, env));
  const found = [...new Set(paths.flatMap((path) => INSTALLED.exec(path)?.[0] ?? []))];
  if (found.length === 0) return;
  const lines = found.map((it) => shellWord(`/${it}/`)).join(' ');
  throw new ExplainedError(`git does not ignore installed packages: ${enumerated(found, 3)}`, {
    hint: `\`printf '%s\\n' ${lines} >> ${shellWord(join(root, '.gitignore'))}\`, then again`,
  });
}

async function uncommitted(
  { cwd, env }: AppContext,
  files: readonly string[],
): Promise<readonly string[]> {
  const { root } = projectPlace(cwd);
  const args = ['status', '--porcelain', '-z', '--no-renames', '--ignored=no', '--', ...files];
  const lines = (await gitIn(root, env).text(args)).split('\0');
  return lines
    .filter((line) => line !== '')
    .map((line) => relative(cwd, join(root, line.slice(3))));
}
