/** The arguments of event handlers, and their result. */
import type { HookEvent, Reply } from '../../agents/types.ts';
import type { Environment } from '../../base/environment.ts';
import type { Store } from '../../store/open.ts';

export interface Caller {
  readonly agent: string;
  /** Its hooks are those of a plugin, not of settings. */
  readonly byPlugin?: boolean;
  /** Somebody asks what a session would be told: nothing is noted as told. */
  readonly looksOnly?: true;
  readonly env: Environment;
  readonly now: () => Date;
  /** Opens the store at the first call. */
  readonly store: () => Promise<Store>;
}

export type Handler<Kind extends HookEvent['kind']> = (
  event: HookEvent & { kind: Kind },
  caller: Caller,
) => Promise<Reply>;

export type ToolEvent = HookEvent & { readonly kind: 'before-tool' | 'after-tool' };

export const NO_OPINION: Reply = { decision: 'none' };

/** The reply with more to tell, where it decides nothing. */
export function withContext(
  reply: Reply,
  texts: readonly (string | undefined)[],
  between = '\n',
): Reply {
  if (reply.decision !== 'none') return reply;
  const context = [reply.context, ...texts].filter((it) => it).join(between);
  return context === '' ? reply : { decision: 'none', context };
}

/**
 * The result of `work`. A failure is logged, and `otherwise` is the result: whatever fails here, the agent
 * gets its answer.
 */
export async function orLogged<T, Otherwise>(
  { agent, env, now }: Pick<Caller, 'agent' | 'env' | 'now'>,
  event: string,
  otherwise: Otherwise,
  work: () => Promise<T>,
): Promise<T | Otherwise> {
  try {
    return await work();
  } catch (error) {
    const { logFailure } = await import('./failure-log.ts');
    logFailure(error, { agent, event }, env, now());
    return otherwise;
  }
}
