/** What only the coordinator of a run may do. */
import type { Environment } from '../environment.ts';
import { UsageError } from '../errors.ts';

/** Below `orchestrate`: what the worker of a lane says and reads. */
const WORKER_COMMANDS = new Set(['ask', 'report', 'status', 'handoff', 'logs']);

/**
 * A worker may not widen or verify its own lane, or give it another validation.
 *
 * @throws {UsageError} in a lane's worker, for a command that is not one of its own.
 */
export function assertMayOrchestrate(command: string, env: Environment): void {
  if (!env.LANEHOLD_ATTEMPT || !env.LANEHOLD_STAGE) return;
  if (WORKER_COMMANDS.has(command)) return;
  throw new UsageError(
    `\`orchestrate ${command}\` is the coordinator's, and this is a lane's worker`,
    { hint: 'report, ask and read: `lanehold orchestrate report|ask|status|handoff`' },
  );
}
