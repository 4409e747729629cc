/** Describes the session that gets a recalled text. */
import { join } from 'node:path';
import { AGENTS } from '../../agents/registry.ts';
import type { HookEvent } from '../../agents/types.ts';
import type { ProjectPlace } from '../../base/git/project.ts';
import { saidIn } from '../../recall/instruction-files.ts';
import type { Listener } from '../../recall/told.ts';
import { type Caller, programFor } from './handler.ts';

/** The budget of notes about one tool call. */
export const TOOL_TOKENS = 200;

/** @param budget the most tokens. */
export function listenerOf(
  { root }: ProjectPlace,
  { kind, session, subAgent }: Pick<HookEvent, 'session' | 'subAgent'> & { kind: string },
  { projectId, budget }: { readonly projectId: number; readonly budget: number },
  caller: Caller,
): Listener {
  const { agent, env, looksOnly } = caller;
  const own = AGENTS.find(({ name }) => name === agent)?.instructions ?? ['AGENTS.md'];
  const files = own.map((it) =>
    it.startsWith('~/') ? join(env.HOME ?? root, it.slice(2)) : join(root, it),
  );
  return {
    agent,
    projectId,
    root,
    budget,
    // The context of a sub-agent is not that of its session.
    session: looksOnly ? undefined : subAgent === undefined ? session : `${session} ${subAgent}`,
    moment: kind,
    now: caller.now(),
    program: programFor(caller),
    knows: saidIn(files),
  };
}
