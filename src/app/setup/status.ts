/** The state of a project, and the latest answers of the gate. */
import { projectPaths } from '../../base/git/project-files.ts';
import { coverage } from '../../features/match.ts';
import { pendingIn } from '../../features/pending.ts';
import type { Workspace } from '../../features/workspace.ts';
import { movedHere } from '../../gate/moved.ts';
import { lostRuns } from '../../lanes/keep/rebuild.ts';
import { readBoard } from '../../lanes/look/board.ts';
import { summary } from '../../lanes/look/note.ts';
import {
  type AuditEntry,
  type AuditEvent,
  auditStore,
  decisionStore,
} from '../../store/decisions.ts';
import { runStore } from '../../store/lanes.ts';
import { proposalStore } from '../../store/proposals.ts';
import { type AppContext, openFeatures, openProject } from '../context.ts';
import { type HoldData, holdReport } from '../hold/holds.ts';
import { findHookGaps, hasHooks } from './doctor-agents.ts';
import { gitHookHere } from './git-hook.ts';
import { residents } from './resident.ts';

const LATEST_DECISIONS = 5;

export type ProjectStatus = Awaited<ReturnType<typeof projectStatus>>;

export async function projectStatus(context: AppContext) {
  const { workspace, registry } = await openFeatures(context);
  const { place, store, projectId } = workspace;
  const [{ data: hold, pushSentences, ...told }, gitHook, installed, gaps, running] =
    await Promise.all([
      holdReport(context, workspace, { kind: 'worktree' }),
      place.kind === 'git' ? gitHookHere(context) : undefined,
      hasHooks(context),
      findHookGaps(context),
      residents(context),
    ]);
  const texts = { ...(await apartFromHead(context, workspace, { hold, ...told })), pushSentences };
  const features = [...registry.features.values()].filter(({ rest }) => !rest);
  const { byFeature } = coverage(features, await projectPaths(workspace.git, place));
  return {
    data: {
      project: place.identity,
      root: place.root,
      features: [...registry.features.keys()],
      // Their folders were moved or deleted, so their files no longer count.
      empty: byFeature.filter(({ files }) => files === 0).map(({ name }) => name),
      hold,
      // These need a verification in the working tree, with the changes that made them pending.
      pending: pendingIn(workspace),
      decisions: decisionStore(store).latest(projectId, LATEST_DECISIONS),
      disabled: context.env.LANEHOLD_DISABLE === '1',
      installed,
      gitHook: gitHook?.holds === true,
      // The reason why git's own hook no longer holds pushes, if it did before.
      gitHookGone: gitHook?.gone ?? null,
      gaps,
      residents: running,
      moved: movedHere(workspace) ?? null,
      // These runs were in a database that was lost.
      lostRuns:
        runStore(store).all(projectId).length > 0 ? [] : lostRuns({ store }, place.identity),
      runs: runStore(store)
        .open(projectId)
        .map((run) => ({ name: run.name, state: summary(readBoard({ ...context, store }, run)) })),
      proposals: proposalStore(store).countWaiting(projectId) ?? 0,
    },
    ...texts,
  };
}

/** The features for which a push of HEAD would be denied, and those held only by uncommitted files. */
async function apartFromHead(
  context: AppContext,
  workspace: Workspace,
  { hold, sentences }: { readonly hold: HoldData; readonly sentences: readonly string[] },
) {
  const head = (await workspace.git?.maybe(['rev-parse', '--verify', '-q', 'HEAD']))?.trim();
  if (head === undefined || sentences.length === 0) return { sentences, uncommitted: [] };
  const committed = await holdReport(context, workspace, { kind: 'revision', oid: head });
  const keys = ({ held, uncovered }: HoldData) => [
    ...held.map(({ feature, definedBy }) => `${definedBy} ${feature}`),
    ...(uncovered.length === 0 ? [] : ['']),
  ];
  const known = new Set(keys(committed.data));
  const all = keys(hold);
  const uncommitted = sentences.filter((_, at) => !known.has(all[at] ?? ''));
  return { sentences: committed.sentences, uncommitted };
}

interface LogWish {
  readonly limit: number;
  readonly events: readonly AuditEvent[];
  readonly sinceMs?: number | undefined;
  /** Entries of every project on this machine. */
  readonly all: boolean;
}

const NO_LIMIT = -1;

/** The entries, oldest first, and a function that reads those that came after them. */
export async function readLog(context: AppContext, { limit, events, sinceMs, all }: LogWish) {
  const { store, projectId } = await openProject(context);
  const audit = auditStore(store);
  let after = { decisions: 0, evidence: 0 };
  const read = (since: Date, most: number): readonly AuditEntry[] => {
    const upTo = audit.newest();
    const query = { projectId: all ? undefined : projectId, since, events, after, upTo };
    after = upTo;
    return audit.entries({ ...query, limit: most });
  };
  const since = new Date(sinceMs === undefined ? 0 : context.now().getTime() - sinceMs);
  return { entries: read(since, limit), more: () => read(new Date(0), NO_LIMIT) };
}
