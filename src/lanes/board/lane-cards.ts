/** Makes cards of lanes from the store and the disk. */

import { existsSync } from 'node:fs';
import {
  type Attempt,
  type AttemptState,
  attemptStore,
  type EndReason,
  isLive,
  type Usage,
} from '../../store/attempts.ts';
import { type Integration, integrationStore } from '../../store/integrations.ts';
import { laneReportStore, type Report } from '../../store/lane-reports.ts';
import { laneValidationStore, type Validation } from '../../store/lane-validations.ts';
import { type LaneSpec, type LaneState, type LaneView, laneStore } from '../../store/lanes.ts';
import { ledgerStore, type Spent } from '../../store/ledger.ts';
import type { Store } from '../../store/open.ts';
import { type Supervision, supervisionOf } from './supervision.ts';

interface AttemptCard {
  readonly id: string;
  readonly n: number;
  readonly kind: Attempt['kind'];
  readonly state: AttemptState;
  readonly endReason: EndReason | null;
  readonly endDetail: string | null;
  readonly agent: string | null;
  readonly model: string | null;
  /** The agent's own id of the conversation, to continue it by hand. */
  readonly sessionId: string | null;
  readonly exitCode: number | null;
  readonly startSha: string;
  readonly endSha: string | null;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
  readonly lastOutputAt: Date | null;
  readonly lastChangeAt: Date | null;
  readonly usage: Usage | null;
  readonly dir: string;
}

/** A verdict with what is needed to check it. */
export interface VerdictCard {
  readonly validationId: string;
  readonly result: Validation['result'];
  readonly sha: string;
  readonly command: string;
  readonly exitCode: number | null;
  readonly newFailures: readonly string[] | null;
  readonly why: string;
  readonly flags: readonly string[];
  readonly logPath: string;
  readonly logSha256: string;
  readonly at: Date;
}

export interface QuestionCard {
  readonly id: string;
  readonly lane: string;
  readonly body: string;
  readonly by: string;
  readonly at: Date;
  /** The agent and conversation of the worker that asked. */
  readonly agent: string | null;
  readonly sessionId: string | null;
}

export interface LaneCard {
  readonly id: string;
  readonly key: string;
  readonly state: LaneState;
  readonly desc: string;
  readonly notes: string;
  readonly spec: LaneSpec;
  readonly specRev: number;
  readonly specHash: string;
  readonly branch: string;
  readonly worktree: string | null;
  readonly adopted: boolean;
  readonly baseSha: string | null;
  readonly headSha: string | null;
  readonly blocked: string | null;
  /** Unmet needs, and running lanes whose files clash with its own. */
  readonly waitsFor: { readonly needs: readonly string[]; readonly clashes: readonly string[] };
  /** Why a lane that could start did not: a limit, an account, a cap. */
  readonly hindered: string | null;
  readonly parked: { readonly why: string; readonly until: Date | null } | null;
  readonly live: boolean;
  readonly supervision: Supervision | null;
  /** The last attempt, live or not. */
  readonly attempt: AttemptCard | null;
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

function toAttemptCard(it: Attempt): AttemptCard {
  return {
    id: it.id,
    n: it.n,
    kind: it.kind,
    state: it.state,
    endReason: it.endReason,
    endDetail: it.endDetail,
    agent: it.agent,
    model: it.model,
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

function toVerdict(it: Validation): VerdictCard {
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

function toQuestion(lane: LaneView, report: Report, tries: readonly Attempt[]): QuestionCard {
  const asked = tries.find(({ id }) => id === report.attemptId) ?? tries.at(-1);
  return {
    id: report.id,
    lane: lane.key,
    body: report.body,
    by: report.by,
    at: report.at,
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
