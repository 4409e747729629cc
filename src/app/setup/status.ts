/** How a project stands, and what the gate answered before. */
import { pendingIn } from '../../features/pending.ts';
import type { HookGap } from '../../moments/watch/gaps.ts';
import {
  type AuditEntry,
  type AuditEvent,
  auditStore,
  type Decision,
  decisionStore,
} from '../../store/decisions.ts';
import type { PendingVerification } from '../../store/pending.ts';
import { proposalStore } from '../../store/proposals.ts';
import { type AppContext, openFeatures, openProject } from '../context.ts';
import { holdReport, type PendingData } from '../hold/holds.ts';
import { findHookGaps, hasHooks } from './doctor-agents.ts';
import { gitHookHere } from './git-hook.ts';
import { isDisabled } from './quick-status.ts';

const LATEST_DECISIONS = 5;

export interface ProjectStatus {
  readonly data: {
    /** The project's identity: its git common directory, or its folder. */
    readonly project: string;
    readonly root: string;
    readonly features: readonly string[];
    readonly hold: PendingData;
    /** The features to verify in the working tree, with the changes that made them pending. */
    readonly pending: readonly PendingVerification[];
    /** Newest first. */
    readonly decisions: readonly Decision[];
    /** LANEHOLD_DISABLE=1 is set: hooks do nothing. */
    readonly disabled: boolean;
    /** The settings of an agent have hooks. */
    readonly installed: boolean;
    /** git's own hook holds pushes of this repository. */
    readonly gitHook: boolean;
    /** Why git's own hook no longer holds pushes, where it did. */
    readonly gitHookGone: string | null;
    readonly gaps: readonly HookGap[];
    /** How many proposals of `lanehold dream` wait for a decision. */
    readonly proposals: number;
  };
  /** A sentence for each feature that is held. */
  readonly sentences: readonly string[];
  /** A sentence for each other push that is held. */
  readonly pushSentences: readonly string[];
}

export async function projectStatus(context: AppContext): Promise<ProjectStatus> {
  const { workspace, registry } = await openFeatures(context);
  const { place, store, projectId } = workspace;
  const [{ data: hold, ...texts }, gitHook, installed, gaps] = await Promise.all([
    holdReport(context, workspace, { kind: 'worktree' }),
    place.kind === 'git' ? gitHookHere(context) : undefined,
    hasHooks(context),
    findHookGaps(context),
  ]);
  return {
    data: {
      project: place.identity,
      root: place.root,
      features: [...registry.features.keys()],
      hold,
      pending: pendingIn(workspace),
      decisions: decisionStore(store).latest(projectId, LATEST_DECISIONS),
      disabled: isDisabled(context),
      installed,
      gitHook: gitHook?.holds === true,
      gitHookGone: gitHook?.gone ?? null,
      gaps,
      proposals: proposalStore(store).countWaiting(projectId) ?? 0,
    },
    ...texts,
  };
}

export interface LogWish {
  readonly limit: number;
  readonly events: readonly AuditEvent[];
  readonly sinceMs?: number | undefined;
  /** Entries of every project on this machine. */
  readonly all: boolean;
}

export interface Log {
  /** Oldest first, as one reads a log. */
  readonly entries: readonly AuditEntry[];
  /** Reads the entries that came after the last ones. */
  readonly more: () => readonly AuditEntry[];
}

const NO_LIMIT = -1;

export async function readLog(
  context: AppContext,
  { limit, events, sinceMs, all }: LogWish,
): Promise<Log> {
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
