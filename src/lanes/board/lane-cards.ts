/** Makes cards of lanes from the store and the disk. */

import { existsSync } from 'node:fs';
import { type Attempt, attemptStore, isLive } from '../../store/attempts.ts';
import { type Integration, integrationStore } from '../../store/integrations.ts';
import { laneReportStore, type Report } from '../../store/lane-reports.ts';
import { laneValidationStore, type Validation } from '../../store/lane-validations.ts';
import { type LaneState, type LaneView, laneStore } from '../../store/lanes.ts';
import { ledgerStore, type Spent } from '../../store/ledger.ts';
import type { Store } from '../../store/open.ts';
import { type Supervision, supervisionOf } from './supervision.ts';

export type VerdictCard = ReturnType<typeof toVerdict>;
export type QuestionCard = ReturnType<typeof toQuestion>;

type LaneFacts = Pick<
  LaneView,
  | ('id' | 'key' | 'state' | 'spec' | 'specRev' | 'specHash' | 'branch' | 'worktree' | 'adopted')
  | ('baseSha' | 'headSha' | 'blocked')
>;

export interface LaneCard extends LaneFacts {
  readonly desc: string;
  readonly notes: string;
  /** Unmet needs, and running lanes whose files clash with its own. */
  readonly waitsFor: { readonly needs: readonly string[]; readonly clashes: readonly string[] };
  /** Why a lane that could start did not: a limit, an account, a cap. */
  readonly hindered: string | null;
  readonly parked: { readonly why: string; readonly until: Date | null } | null;
  readonly live: boolean;
  readonly supervision: Supervision | null;
  /** The last attempt, live or not. */
  readonly attempt: ReturnType<typeof toAttemptCard> | null;
  readonly verdict: VerdictCard | null;
  readonly integration: Integration | null;
  readonly questions: readonly QuestionCard[];
  /** Warnings besides the state. */
  readonly flags: readonly string[];
  /** What is recorded but not found on the disk. */
  readonly amiss: readonly string[];
  readonly spent: Spent;
}

/** Returns a function that makes one card; the stores that it needs are prepared once. */
export function laneCards(
  store: Store,
  now: Date,
  hindered: Readonly<Record<string, string>>,
): (lane: LaneView) => LaneCard {
  const attempts = attemptStore(store);
  const validations = laneValidationStore(store);
  const reports = laneReportStore(store);
  const lanes = laneStore(store);
  const integrations = integrationStore(store);
  const ledger = ledgerStore(store);
  return (lane) => {
    const tries = attempts.ofLane(lane.id);
    const last = tries.at(-1);
    const verdict = lastVerdict(lane, validations);
    const questions = reports
      .ofLane(lane.id)
      .filter(({ kind, answeredAt }) => kind === 'ask' && answeredAt === null)
      .map((report) => toQuestion(lane, report, tries));
    return {
      id: lane.id,
      key: lane.key,
      state: lane.state,
      desc: lane.spec.desc,
      notes: lane.spec.notes,
      spec: lane.spec,
      specRev: lane.specRev,
      specHash: lane.specHash,
      branch: lane.branch,
      worktree: lane.worktree,
      adopted: lane.adopted,
      baseSha: lane.baseSha,
      headSha: lane.headSha,
      blocked: lane.blocked,
      waitsFor: {
        needs: lanes.unmet(lane.id),
        clashes: lane.state === 'waiting' ? lanes.liveClashes(lane.id) : [],
      },
      hindered: MAY_BE_DUE.has(lane.state) ? (hindered[lane.key] ?? null) : null,
      ...workOf(lane, last, now),
      verdict: verdict === undefined ? null : toVerdict(verdict),
      integration:
        lane.integrationId === null ? null : (integrations.byId(lane.integrationId) ?? null),
      questions,
      flags: [...new Set([...(last?.flags ?? []), ...(verdict?.flags ?? [])])],
      amiss: amissOnDisk(lane, verdict),
      spent: ledger.ofLane(lane.id),
    };
  };
}

/** A waiting lane's reasons are its needs and clashes. */
const MAY_BE_DUE: ReadonlySet<LaneState> = new Set(['ready', 'parked', 'stale']);

function workOf(lane: LaneView, last: Attempt | undefined, now: Date) {
  if (last === undefined) return { parked: null, live: false, supervision: null, attempt: null };
  const live = isLive(last);
  return {
    parked: lane.state === 'parked' ? parkedCard(last) : null,
    live,
    supervision: live ? supervisionOf(last, now) : null,
    attempt: toAttemptCard(last),
  };
}

/** The verdict that the state follows from; else the last one of the lane, to say what failed. */
function lastVerdict(
  lane: LaneView,
  validations: ReturnType<typeof laneValidationStore>,
): Validation | undefined {
  if (lane.validationId !== null) return validations.byId(lane.validationId);
  return validations.ofLane(lane.id).findLast(({ subject }) => subject === 'lane');
}

function toAttemptCard(it: Attempt) {
  return {
    id: it.id,
    n: it.n,
    kind: it.kind,
    state: it.state,
    endReason: it.endReason,
    endDetail: it.endDetail,
    agent: it.agent,
    model: it.model,
    /** The agent's own id of the conversation, to continue it by hand. */
    sessionId: it.sessionId,
    exitCode: it.exitCode,
    startSha: it.startSha,
    endSha: it.endSha,
    startedAt: it.startedAt,
    endedAt: it.endedAt,
    lastOutputAt: it.lastOutputAt,
    lastChangeAt: it.lastChangeAt,
    usage: it.usage,
    dir: it.dir,
  };
}

/** A verdict with what is needed to check it. */
function toVerdict(it: Validation) {
  return {
    validationId: it.id,
    result: it.result,
    sha: it.sha,
    command: it.cmd,
    exitCode: it.exitCode,
    newFailures: it.newFailures,
    why: it.why,
    flags: it.flags,
    logPath: it.logPath,
    logSha256: it.logSha256,
    at: it.at,
  };
}

function toQuestion(lane: LaneView, report: Report, tries: readonly Attempt[]) {
  const asked = tries.find(({ id }) => id === report.attemptId) ?? tries.at(-1);
  return {
    id: report.id,
    lane: lane.key,
    body: report.body,
    by: report.by,
    at: report.at,
    /** The agent and conversation of the worker that asked. */
    agent: asked?.agent ?? null,
    sessionId: asked?.sessionId ?? null,
  };
}

function parkedCard({ endDetail, resumeAt }: Attempt): LaneCard['parked'] {
  return { why: endDetail ?? 'no reason is recorded', until: resumeAt };
}

function amissOnDisk(lane: LaneView, verdict: Validation | undefined): string[] {
  const amiss: string[] = [];
  // While a lane is starting, its worktree does not exist yet.
  if (lane.state !== 'starting' && lane.worktree !== null && !existsSync(lane.worktree))
    amiss.push('its worktree is gone');
  if (verdict !== undefined && !existsSync(verdict.logPath)) {
    amiss.push('the log of its validation is gone');
  }
  return amiss;
}
