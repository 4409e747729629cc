/** One lane as a reader needs it: its state, the reason, and the facts behind it. */
import type { Attempt, AttemptState, EndReason, Usage } from '../../store/attempts.ts';
import type { Integration } from '../../store/integrations.ts';
import type { Validation } from '../../store/lane-validations.ts';
import type { LaneSpec, LaneState } from '../../store/lanes.ts';
import type { Spent } from '../../store/ledger.ts';
import type { Supervision } from './supervision.ts';

export interface AttemptCard {
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
