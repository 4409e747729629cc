/** Sets up a worktree of a lane, or one for validations, when a slot is free. */
import { dirname, join } from 'node:path';
import { type AttemptPlace, workerEnvironment } from '../../agents/worker/environment.ts';
import type { Home } from '../../base/files/home.ts';
import { linkOnTheWay } from '../../base/files/inside.ts';
import { makePrivateFolder } from '../../base/files/private-folder.ts';
import { gitIn } from '../../base/git/git-in.ts';
import { pathsAt, pathsFrom } from '../../base/git/tree.ts';
import { endMarkedProcesses } from '../../base/process/end-tree.ts';
import { defaultSlots, waitForSlot } from '../../base/process/slots.ts';
import { sharing } from '../../checkout/copy-folder.ts';
import { findSetups, type Setup, setupsOf } from '../../checkout/find-setups.ts';
import { missingInstallers, needsSharing, runSetup } from '../../checkout/setup.ts';
import { missingSubmodules } from '../../checkout/submodules.ts';
import type { LaneSpec, Run } from '../../store/lanes.ts';
import type { LaneSettings } from '../settings/settings.ts';
import type { LaneContext } from '../spec/context.ts';
import { worktreesRoot } from '../spec/paths.ts';

interface TreeToSetUp extends Readonly<Record<'worktree' | 'commit' | 'cwd', string>> {
  readonly setup: string | undefined;
}

/** The setups of the lane or the settings, else those of the lock files. */
export async function laneSetups(
  { worktree, commit, cwd, ...lane }: TreeToSetUp,
  run: Run,
  { setupCache, ...project }: Pick<LaneSettings, 'setup' | 'setupCache'>,
  env: NodeJS.ProcessEnv,
): Promise<readonly Setup[]> {
  const setup = lane.setup ?? project.setup;
  const settings = { setup: setup === undefined ? undefined : [setup], setupCache };
  const named = setupsOf(settings, worktree);
  if (named !== undefined) return named;
  const paths = await pathsFrom(gitIn(run.repository, env), run.baseSha, commit);
  // A link could lead to a folder of somebody else.
  const isPlain = linkOnTheWay(worktree, join(worktree, cwd)) === undefined;
  const folders = isPlain ? ['', cwd] : [''];
  return findSetups({ root: worktree, paths, folders, installedIn: mainCheckout(run) });
}

/** Why a lane cannot be set up on this machine, each as a clause, as far as that is known in advance. */
export async function setupObstacles(
  { env }: LaneContext,
  run: Run,
  settings: Pick<LaneSettings, 'setup' | 'setupCache'>,
  { setup, validateCwd: cwd }: Pick<LaneSpec, 'setup' | 'validateCwd'>,
): Promise<string[]> {
  const tree = { worktree: run.repository, commit: run.baseSha, cwd, setup };
  const setups = await laneSetups(tree, run, settings, env);
  const paths = await pathsAt(gitIn(run.repository, env), run.baseSha);
  const folders = [...new Set(['', cwd])];
  const git = gitIn(run.repository, env);
  const missing = await missingSubmodules(git, {
    oid: run.baseSha,
    from: [run.repository, run.commonDir],
  });
  const submodules = missing.map(
    (it) => `submodule \`${it}\` is not here: \`git submodule update --init\` fetches it`,
  );
  const search = { paths, folders, installedIn: mainCheckout(run), env };
  return [...submodules, ...(await missingInstallers(setups, search))];
}

/** The hint with both ways out. */
export const SETUP_HINT =
  "install it, or name another setup: `lanehold config set lanes.setup 'COMMAND'`";

/** The checkout in which a person works; a bare repository has none. */
export const mainCheckout = (run: Run): readonly string[] =>
  run.repository === run.commonDir ? [] : [run.repository];

const GRACE_MS = 500;

/**
 * How trees of workers can share installed packages. Trees of validations never do: a worker who makes a read-only file
 * writable would have its tests run with its own change.
 */
const sharingOf = (folder: string, tree: string) => {
  makePrivateFolder(folder);
  return sharing(folder, dirname(tree));
};

/** Why each lane has its own copy of the packages that the run's setups install, as a clause. */
export async function copiedPackages(
  { store, env }: LaneContext,
  run: Run,
  settings: LaneSettings,
): Promise<string | undefined> {
  const tree = { worktree: run.repository, commit: run.baseSha, cwd: '', setup: undefined };
  const setups = await laneSetups(tree, run, settings, env);
  if (!setups.some((it) => needsSharing(it, mainCheckout(run)))) return undefined;
  const trees = worktreesRoot(store.home, settings.worktrees);
  makePrivateFolder(trees);
  const how = await sharingOf(sharedFolder(store.home), join(trees, 'lane'));
  return typeof how === 'string' ? undefined : how.why;
}

export const COPIES = 'its own copy of the packages on disk';
export const COPIES_HINT =
  'an ordinary user, and LANEHOLD_HOME and `lanes.worktrees` on one disk, let lanes share them';

const sharedFolder = ({ root }: Home): string => join(root, 'cache', 'shared');

interface SlotSetup {
  readonly run: Run;
  /** The tree was made for a worker; an adopted one has files of a person. */
  readonly shares?: boolean;
  readonly setups: readonly Setup[];
  readonly settings: Pick<LaneSettings, 'slots'>;
  readonly place: Omit<AttemptPlace, 'stage'>;
  readonly dir: string;
  readonly priority: number;
  readonly signal: AbortSignal;
}

/**
 * Runs the setups when a slot is free, or copies their results from where they are. Nothing may depend on processes
 * that they leave running: a later attempt would not have them.
 *
 * @returns whether all of them are done, and not interrupted.
 * @throws {SetupFailedError}
 */
export async function setUpInSlot(
  { store, env, now }: LaneContext,
  { run, setups, settings, place, dir, signal, priority, shares = false }: SlotSetup,
): Promise<boolean> {
  if (setups.length === 0) return true;
  const locks = store.home.locks;
  const count = settings.slots.setup ?? defaultSlots().setup;
  const wish = { kind: 'setup', count, priority } as const;
  const slot = await waitForSlot(locks, wish, signal);
  try {
    const known = { locks, project: run.commonDir };
    const folder = sharedFolder(store.home);
    const how = shares ? await sharingOf(folder, place.worktree) : 'blocks';
    const shared = how === 'links' ? { ...known, folder, isShared: true } : undefined;
    for (const setup of setups) {
      const done = await runSetup({
        setup,
        worktree: place.worktree,
        signal,
        now,
        installedIn: mainCheckout(run),
        setting: 'lanes.setup',
        env: workerEnvironment(env, { ...place, stage: 'setup' }),
        logFile: join(dir, 'setup.log'),
        cache: { ...known, folder: join(store.home.root, 'cache', 'setup') },
        links: how === 'blocks' ? undefined : { shared },
      });
      if (done.kind === 'interrupted') return false;
    }
    return true;
  } finally {
    await endMarkedProcesses(place.attempt, { stages: ['setup'], graceMs: GRACE_MS });
    slot.release();
  }
}
