/** The arguments of event handlers, and their result. */
import { findHookAgent } from '../../agents/registry.ts';
import type { HookEvent, Reply } from '../../agents/types.ts';
import { programName } from '../../base/files/package.ts';
import type { LateRecord } from '../../recall/late.ts';
import type { Store } from '../../store/open.ts';

type Work = () => void | Promise<void>;

/** How an event makes its changes: only those that are committed with it, or follow the commit, are made once. */
export interface Effects {
  /** Opens the store at the first call. */
  readonly store: () => Promise<Store>;
  /**
   * Changes files and processes for the event, after its commit.
   *
   * @param others.otherwise called if the event is dropped, or answered again.
   * @param others.unsure replaces the work if another process has answered the event, which may or may not have done it.
   */
  readonly afterwards: (work: Work, others?: { otherwise?: () => void; unsure?: Work }) => void;
  /** Keeps records that could not be written to the store for a later event. */
  readonly keepLate: (record: LateRecord) => void;
}

/** The effects outside of an event that another process might answer as well. */
export const AT_ONCE: Pick<Effects, 'afterwards' | 'keepLate'> = {
  afterwards: (work) => void work(),
  keepLate: () => undefined,
};

export interface Caller extends Effects {
  readonly agent: string;
  /** Its hooks are those of a plugin, not of settings. */
  readonly byPlugin?: boolean;
  /** Only the text for a session is requested: nothing is recorded as shown. */
  readonly looksOnly?: true;
  readonly env: NodeJS.ProcessEnv;
  readonly now: () => Date;
}

export type Handler<Kind extends HookEvent['kind']> = (
  event: HookEvent & { kind: Kind },
  caller: Caller,
) => Promise<Reply>;

export type ToolEvent = HookEvent & { readonly kind: 'before-tool' | 'after-tool' };

export const NO_OPINION: Reply = { decision: 'none' };

/** The reply with further text, if it decides nothing. */
export function withContext(
  reply: Reply,
  texts: readonly (string | undefined)[],
  between = '\n',
): Reply {
  if (reply.decision !== 'none') return reply;
  const context = [reply.context, ...texts].filter((it) => it).join(between);
  return context === '' ? reply : { decision: 'none', context };
}

/** The reply with further text, whatever it decides. */
export function withText(reply: Reply, text: string | undefined): Reply {
  if (!text || reply.decision === 'none') return withContext(reply, [text]);
  if (reply.decision === 'rewrite') return { ...reply, context: `${reply.context}\n${text}` };
  return { ...reply, reason: `${reply.reason}\n${text}` };
}

/** The result of `work`. A failure is logged, and `otherwise` is the result, so that agents always get an answer. */
export async function orLogged<T, Otherwise>(
  { agent, env, now, afterwards }: Pick<Caller, 'agent' | 'env' | 'now' | 'afterwards'>,
  event: string,
  otherwise: Otherwise,
  work: () => Promise<T>,
): Promise<T | Otherwise> {
  try {
    return await work();
  } catch (error) {
    const { logFailure } = await import('./failure-log.ts');
    afterwards(() => logFailure(error, { agent, event }, env, now()));
    return otherwise;
  }
}

/** Folders that every login shell has on PATH; the machine's profile decides on the rest. */
const LOGIN_PATH = '/usr/local/bin:/usr/bin:/bin';

/** How the shell in which an agent runs commands calls lanehold. */
export function programFor({ agent, env }: Pick<Caller, 'agent' | 'env'>): string {
  const { loginShell = false } = findHookAgent(agent)?.hooks.capabilities ?? {};
  return programName(loginShell ? { ...env, PATH: LOGIN_PATH } : env);
}
