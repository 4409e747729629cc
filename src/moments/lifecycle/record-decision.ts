/** Records what was answered at a boundary, for `lanehold log` and `lanehold status`. */

import { beginning, redact } from '../../base/text/redact/redact.ts';
import { type Decision, decisionStore } from '../../store/decisions.ts';
import { type Caller, type Effects, orLogged } from './handler.ts';

const MAX_COMMAND_CHARS = 10_000;

/** Redacts and records the command and the reason. The answer stands even if this fails. */
export async function recordDecision(
  decision: Omit<Decision, 'at'>,
  { store, keepLate, ...caller }: Pick<Caller, 'env' | 'now' | keyof Effects>,
  event: string,
): Promise<void> {
  await orLogged({ ...caller, agent: decision.agent }, event, undefined, async () => {
    const command = redact(beginning(decision.command, MAX_COMMAND_CHARS));
    const reason = redact(decision.reason);
    const redacted = { ...decision, command, reason, at: caller.now() };
    try {
      const opened = await store();
      opened.writeLast(() => decisionStore(opened).add(redacted));
    } catch (error) {
      keepLate({ decision: redacted });
      throw error;
    }
  });
}
