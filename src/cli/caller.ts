/** Who runs the command: recorded with evidence, never a ground to trust it more. */
import { userInfo } from 'node:os';
import type { Context } from './context.ts';

export interface Actor {
  /** `agent claude-code`, `ci`, `person ada`. */
  readonly name: string;
  readonly session: string | null;
}

export function actorOf({ env }: Pick<Context, 'env'>): Actor {
  const session = env.CLAUDE_CODE_SESSION_ID ?? null;
  const agent = env.LANEHOLD_AGENT ?? (env.CLAUDECODE === '1' ? 'claude-code' : undefined);
  if (agent !== undefined) return { name: `agent ${agent}`, session };
  if (env.CI !== undefined && env.CI !== '' && env.CI !== 'false') return { name: 'ci', session };
  return { name: `person ${env.USER ?? userName()}`, session };
}

/** A container may run as a user that has no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch (error) {
    if (error instanceof Error) return 'unknown';
    throw error;
  }
}
