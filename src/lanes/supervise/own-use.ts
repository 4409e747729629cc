/**
 * What an attempt has used itself.
 *
 * Some agents go on counting when they resume a session (`WorkerProgress.session`), so what earlier
 * attempts have in the ledger is taken off again. Together the attempts then have what the session
 * has used: what one that was killed could not tell any more counts for the one that goes on with it.
 */

import { allTokens } from '../../agents/worker/transcript.ts';
import type { WorkerProgress } from '../../agents/worker/worker.ts';
import { ledgerStore, type SessionSpent, type Spent } from '../../store/ledger.ts';
import type { Supervision } from './supervision.ts';

export interface OwnUse extends Pick<Spent, 'turns' | 'tokens'> {
  /** `undefined`: the agent does not say. */
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
    // A session that was killed may have forgotten what its messages had said.
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

/** A sum of prices is never exact. */
const SAME = 1e-6;

/** Less than before is the count of an agent that has begun anew. */
function since(total: number, before: number): number {
  return total + SAME < before ? total : Math.max(0, total - before);
}
