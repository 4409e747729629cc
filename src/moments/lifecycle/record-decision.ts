/** Records what was answered at a boundary, for `lanehold log` and `lanehold status`. */

import { beginning, redact } from '../../base/text/redact/redact.ts';
import { type Decision, decisionStore } from '../../store/decisions.ts';
import { type Caller, orLogged } from './handler.ts';

const MAX_COMMAND_CHARS = 10_000;

/** Takes the command and the reason as they are and redacts them. The answer stands if it fails. */
export async function recordDecision(
  decision: Omit<Decision, 'at'>,
  { env, now, store }: Pick<Caller, 'env' | 'now' | 'store'>,
  event: string,
): Promise<void> {
  await orLogged({ agent: decision.agent, env, now }, event, undefined, async () => {
    const opened = await store();
    const decisions = decisionStore(opened);
    const command = redact(beginning(decision.command, MAX_COMMAND_CHARS));
    const redacted = { ...decision, command, reason: redact(decision.reason) };
    opened.write(() => decisions.add({ ...redacted, at: now() }));
  });
}
