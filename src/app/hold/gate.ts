/** The gate's answer for a commit and for a shell command. */

import { existsSync } from 'node:fs';
import { actorOf } from '../../agents/actor.ts';
import { gitIn } from '../../base/git/git-in.ts';
import type { Finding } from '../../commands/finding.ts';
import { recognise } from '../../commands/recognise.ts';
import { trustBetween } from '../../evidence/judge.ts';
import { evidenceInNotes, type RefusedRecord } from '../../evidence/notes.ts';
import { withScratch } from '../../evidence/signing.ts';
import { lookAt } from '../../features/comparison.ts';
import type { GateAnswer } from '../../gate/answer.ts';
import { decide } from '../../gate/decide.ts';
import { denialText } from '../../gate/denial.ts';
import { holdOn } from '../../gate/hold.ts';
import { gitHookFor } from '../../moments/lifecycle/git-hook-reach.ts';
import { readingContext } from '../../moments/lifecycle/reading-context.ts';
import { type AppContext, openEvidenceProject } from '../context.ts';
import { comparisonOf, gitOf, type HoldData, holdData, type Revisions } from './holds.ts';

/** The answer for programs, with the same keys for every question. */
export interface GateData extends HoldData {
  /** `none`: nothing in the command is known to leave the machine. */
  readonly decision: GateAnswer['decision'];
  /** The rule of the deciding boundary; `null` for a commit, and without a boundary. */
  readonly rule: string | null;
  /** The denial, or the question. */
  readonly reason: string | null;
  /** Why a command that could not be read passes all the same. */
  readonly undecided: string | null;
  /** True if it is unknown what would leave. */
  readonly cannotTell: boolean;
  readonly findings: readonly Finding[];
  readonly refusedEvidence: readonly RefusedRecord[];
}

export type CommitAnswer = Awaited<ReturnType<typeof judgeCommit>>;

export interface CommitWish extends Revisions {
  readonly allowedSigners?: string | undefined;
}

/**
 * The answer, with the verdict and the way out in the words of a denial; empty if the commit may leave. The evidence of
 * others counts as far as the policy allows it; a hook uses the store alone.
 */
export async function judgeCommit(context: AppContext, wish: CommitWish) {
  const workspace = await openEvidenceProject(context);
  const comparison = await comparisonOf(workspace, wish);
  const git = gitOf(workspace);
  const trust = await trustBetween(workspace, git, comparison, wish.allowedSigners);
  const now = context.now();
  const onBoard = existsSync(workspace.store.home.team)
    ? (await import('./team.ts')).evidenceOnBoard(context, workspace)
    : undefined;
  return withScratch(context.env, async (scratch) => {
    const { oid } = comparison.subject;
    const shared = await evidenceInNotes({ git, trust, now, scratch }, oid, onBoard);
    const look = lookAt({ ...workspace, shared });
    const hold = await holdOn(look, [comparison], now, ({ kinds }) => kinds.push);
    const names = new Set(hold.features.map(({ name }) => name));
    const refusedEvidence = shared.refusals.filter(({ feature }) => names.has(feature));
    const held = hold.verdict !== 'pass';
    const inCi = actorOf(context).name === 'ci';
    const situation = { what: `\`${wish.head ?? 'HEAD'}\``, program: 'lanehold', now, inCi };
    const denial = held ? denialText(hold, situation) : '';
    const data: GateData = {
      ...NO_COMMAND,
      ...holdData(hold),
      decision: DECISIONS[hold.verdict],
      reason: denial || null,
      refusedEvidence,
    };
    return {
      data,
      held,
      denial,
      accepted: shared.accepted.filter(({ feature }) => hold.verified.includes(feature)),
      /** The number of notes that were not read, because they are too large or too many. */
      unread: shared.unread,
    };
  });
}

const DECISIONS = { pass: 'pass', ask: 'ask', held: 'deny' } as const;
const NO_COMMAND = { rule: null, undecided: null, cannotTell: false, findings: [] } as const;

/** The answer that an agent's hook would give to a command, with the findings. */
export async function judgeShellCommand(
  { cwd, env, now, store }: AppContext,
  command: string,
): Promise<GateData> {
  const findings = recognise(command, readingContext(cwd, env));
  const answer = await decide(findings, {
    cwd,
    env,
    gitIn,
    now,
    store,
    program: 'lanehold',
    command,
    gitHookFor: (push, { root }) => gitHookFor(push, gitIn(root, env), env),
  });
  return {
    ...holdData(('hold' in answer ? answer.hold : undefined) ?? NOTHING_HELD),
    decision: answer.decision,
    rule: answer.decision === 'none' ? null : answer.rule,
    reason: 'reason' in answer ? answer.reason : null,
    undecided: ('undecided' in answer ? answer.undecided : undefined) ?? null,
    cannotTell: 'cannotTell' in answer,
    findings,
    refusedEvidence: [],
  };
}

const NOTHING_HELD = { verdict: 'pass', features: [], verified: [], uncovered: [] } as const;
