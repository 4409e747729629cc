/** How a project stands, and what the gate answered before. */
import { ordinarily } from '../gate/pending.ts';
import { type AuditEntry, type AuditEvent, type AuditQuery, auditStore } from '../store/audit.ts';
import { type Decision, decisionStore } from '../store/decisions.ts';
import { type AppContext, openFeatures, openProject } from './context.ts';
import { type HoldData, holdReport } from './gate.ts';

const LATEST_DECISIONS = 5;

export interface ProjectStatus {
  readonly data: {
    /** What identifies the project: its git common directory, or its folder. */
    readonly project: string;
    readonly root: string;
    readonly features: readonly string[];
    /** What a push of the working tree would be held for. */
    readonly hold: HoldData;
    /** Newest first. */
    readonly decisions: readonly (Decision & { readonly at: Date })[];
    /** LANEHOLD_DISABLE=1 is set: hooks do nothing. */
    readonly disabled: boolean;
  };
  /** A sentence for each feature that is held. */
  readonly sentences: readonly string[];
}

export async function projectStatus(context: AppContext): Promise<ProjectStatus> {
  const { workspace, registry } = await openFeatures(context);
  const comparison = await ordinarily(workspace, { kind: 'worktree' });
  const { data: hold, sentences } = await holdReport(context, workspace, comparison);
  const { place, store, projectId } = workspace;
  return {
    data: {
      project: place.identity,
      root: place.root,
      features: [...registry.features.keys()],
      hold,
      decisions: decisionStore(store).latest(projectId, LATEST_DECISIONS),
      disabled: context.env.LANEHOLD_DISABLE === '1',
    },
    sentences,
  };
}

export interface LogWish {
  readonly limit: number;
  readonly events: readonly AuditEvent[];
  /** No older than this. */
  readonly sinceMs?: number | undefined;
  /** Of every project on this machine. */
  readonly all: boolean;
}

export interface Log {
  /** Oldest first, as one reads a log. */
  readonly entries: readonly AuditEntry[];
  /** What came after the entries that were read last. */
  readonly more: () => readonly AuditEntry[];
}

const MOST_AT_ONCE = 1_000;

export async function readLog(
  context: AppContext,
  { limit, events, sinceMs, all }: LogWish,
): Promise<Log> {
  const { store, projectId } = await openProject(context);
  const audit = auditStore(store);
  let since = new Date(sinceMs === undefined ? 0 : context.now().getTime() - sinceMs);
  const read = (most: number): readonly AuditEntry[] => {
    const query: AuditQuery = {
      projectId: all ? undefined : projectId,
      since,
      events,
      limit: most,
    };
    const found = audit.entries(query).reverse();
    since = found.at(-1)?.at ?? since;
    return found;
  };
  return { entries: read(limit), more: () => read(MOST_AT_ONCE) };
}
