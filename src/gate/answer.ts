/** The gate's answers, what it needs for them, and the questions about the project that all of them share. */
import { REGISTRY_FILE } from '../base/config/feature.ts';
import type { GitMaker } from '../base/git/git.ts';
import { type ProjectPlace, projectPlace } from '../base/git/project.ts';
import { commitOfHead } from '../base/git/refs.ts';
import { snapshotOf } from '../base/git/repository-snapshot.ts';
import type { Boundary, Opaque, Tampering, Waiver } from '../commands/finding.ts';
import { commitsOfOthers } from '../features/comparison.ts';
import { worktreeRegistry } from '../features/registry.ts';
import { type Workspace, workspaceOn } from '../features/workspace.ts';
import type { Store } from '../store/open.ts';
import { knowsAnyFeature } from '../store/projects.ts';
import { ordinaryComparison } from './compare.ts';
import { orElse } from './errors.ts';
import type { Hold } from './hold.ts';
import { movedHere } from './moved.ts';
import { type About, aboutCommit } from './questions.ts';

export type GateAnswer =
  /** `undecided`: why a command that could not be read passes all the same. */
  | { readonly decision: 'none'; readonly undecided?: string }
  /** A boundary at which nothing is held; `undecided`: git's own hook will judge it. */
  | {
      readonly decision: 'pass';
      readonly rule: string;
      readonly workspace: Workspace;
      readonly hold?: Hold;
      readonly undecided?: string;
    }
  | {
      readonly decision: 'deny' | 'ask';
      readonly rule: string;
      readonly reason: string;
      readonly workspace: Workspace | undefined;
      readonly hold?: Hold;
      /** The commits or contents that may leave once a person agrees. */
      readonly about?: readonly About[];
      /** The same command with the verification that would let it through. */
      readonly inOneCommand?: string;
      /** True if it cannot be told what would leave. */
      readonly cannotTell?: true;
    };

/** `absent`: git has no such hook there; `evaded`: it has one, or may have, and the command may go around it. */
export type GitHookUse = 'reached' | 'absent' | 'evaded';

export interface GateCaller {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly gitIn: GitMaker;
  readonly now: () => Date;
  readonly store: () => Promise<Store>;
  /** How the reader of a denial calls lanehold. */
  readonly program: string;
  /** The whole text that is about to run. */
  readonly command: string;
  /**
   * Whether a push certainly reaches git's own hook, which then judges the commits that git sends. `undefined` if the
   * hook is known to be reached: refs of the remote that are in doubt then count, because that hook asks the remote.
   */
  readonly gitHookFor: ((push: Boundary, place: ProjectPlace) => Promise<GitHookUse>) | undefined;
  /** The gate gives up after this time; by default half of what agents give a hook before a tool. */
  readonly limitMs?: number;
}

export async function workspaceOf(
  { directory }: Opaque | Tampering | Waiver,
  { cwd, env, gitIn, now, store }: GateCaller,
): Promise<Workspace> {
  const place = projectPlace(directory ?? cwd);
  return workspaceOn(await store(), place, gitIn(place.root, env), now);
}

/** Whether the project has anything held; if its folder is not known, whether any project of this machine has. */
export async function mayHold(
  workspace: Workspace | undefined,
  caller: GateCaller,
): Promise<boolean> {
  // A database or a registry that cannot be read may have some.
  return orElse(true, async () =>
    workspace === undefined ? knowsAnyFeature(await caller.store()) : hasFeatures(workspace),
  );
}

async function hasFeatures(workspace: Workspace): Promise<boolean> {
  const { git } = workspace;
  if ((movedHere(workspace)?.features ?? 0) > 0) return true;
  const { features, policy } = await worktreeRegistry(workspace);
  if (features.size > 0 || policy.uncovered !== 'allow' || git === undefined) return true;
  const { base, published } = await ordinaryComparison(git, { kind: 'worktree' });
  const revisions = ['HEAD', ...commitsOfOthers({ base, published })];
  const texts = await snapshotOf(git).texts(REGISTRY_FILE, revisions);
  return texts.some((text) => text !== undefined);
}

/** The commit that an ordinary push sends, for commands whose own content is unknown. */
export async function aboutHead(workspace: Workspace | undefined): Promise<About[]> {
  const head = workspace?.git && (await commitOfHead(workspace.git));
  return head === undefined ? [] : [aboutCommit(head)];
}
