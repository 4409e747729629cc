/**
 * What an attempt itself has used.
 *
 * Some agents report totals of a session, also when they resume it (`WorkerProgress.session`). Then
 * what earlier attempts have in the ledger is subtracted, so that all attempts together have the total
 * of the session. Usage that a killed attempt did not report counts for the one that resumes it.
 */
import { allTokens } from '../../agents/worker/transcript.ts';
import type { WorkerProgress } from '../../agents/worker/worker.ts';
import { ledgerStore, type SessionSpent, type Spent } from '../../store/ledger.ts';
import type { Supervision } from './supervision.ts';

export interface OwnUse extends Pick<Spent, 'turns' | 'tokens'> {
  /** `undefined` if the agent does not report it. */
  readonly usd: number | undefined;
}

export function ownUse(
  it: Pick<Supervision, 'context' | 'attemptId'>,
  { sessionId, session, turns, tokens, usd }: WorkerProgress,
): OwnUse {
  const before = sessionId === undefined ? NOTHING : earlier(it, sessionId);
  const inSession = session.tokens === undefined ? 0 : allTokens(session.tokens);
  return {
    turns,
    // A killed session may have lost usage that its messages had reported.
    tokens: Math.max(allTokens(tokens), since(inSession, before.tokens)),
    usd: session.usd === undefined ? usd : since(session.usd, before.usd),
  };
}

const NOTHING: SessionSpent = { tokens: 0, usd: 0 };

function earlier(
  { context, attemptId }: Pick<Supervision, 'context' | 'attemptId'>,
  session: string,
) {
  return ledgerStore(context.store).beforeInSession(attemptId, session);
}

/** Sums of prices are floating-point numbers. */
const SAME = 1e-6;

/** A total below the earlier one means that the agent's count was reset. */
function since(total: number, before: number): number {
  return total + SAME < before ? total : Math.max(0, total - before);
}
