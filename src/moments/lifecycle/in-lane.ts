/**
 * Tool calls of a session that works inside a lane. What lane workers must not do is denied; the
 * rest is judged as in every session, so nothing passes here that would be held elsewhere.
 */
import { findHookAgent } from '../../agents/registry.ts';
import type { HookEvent, Reply } from '../../agents/types.ts';
import { type InsideLane, insideLane } from '../../lanes/spec/inside-lane.ts';
import type { LaneMark } from '../../lanes/spec/lane-mark.ts';
import { heartbeat, touchNews } from '../../lanes/spec/signals.ts';
import type { LaneDenial } from '../../lanes/tree/command-rules.ts';
import { type Caller, NO_OPINION, orLogged, withContext } from './handler.ts';

type BeforeTool = HookEvent & { readonly kind: 'before-tool' };

export async function beforeToolInLane(
  event: BeforeTool,
  mark: LaneMark,
  caller: Caller,
): Promise<Reply> {
  return withNews(event.kind, await answer(event, mark, caller), mark, caller);
}

async function answer(event: BeforeTool, mark: LaneMark, caller: Caller): Promise<Reply> {
  switch (event.call.tool) {
    case 'shell':
      return beforeLaneCommand(event.call.command, event, mark, caller);
    case 'edit':
      return beforeLaneEdit(event.call.paths, mark, caller);
    case 'mcp': {
      const { beforeToolCall } = await import('./before-tool-call.ts');
      return beforeToolCall(event.call, event, caller);
    }
    case 'other':
      return NO_OPINION;
  }
}

async function beforeLaneCommand(
  command: string,
  event: BeforeTool,
  mark: LaneMark,
  caller: Caller,
): Promise<Reply> {
  const [{ readLaneCommand }, { readingContext }, { gateReply }] = await Promise.all([
    import('./lane-command.ts'),
    import('./reading-context.ts'),
    import('./before-command.ts'),
  ]);
  const reading = readLaneCommand(command, readingContext(event.cwd, caller.env), mark.worktree);
  // The store is opened only if there may be something to deny, which is rare.
  const refusal = reading.refusal();
  if (refusal !== undefined) {
    const inside = await laneOrNone(mark, caller);
    if (inside !== undefined) {
      const denied = denial(refusal);
      const { recordDecision } = await import('./record-decision.ts');
      const who = { projectId: inside.run.projectId, agent: caller.agent, session: event.session };
      const entry = { ...who, rule: 'lane', command, ...denied };
      await recordDecision(entry, caller, 'before-tool');
      return denied;
    }
  }
  return gateReply(reading, command, event, caller);
}

async function beforeLaneEdit(
  paths: readonly string[],
  mark: LaneMark,
  caller: Caller,
): Promise<Reply> {
  const [{ refusedEdit }, { beforeEdit }, inside] = await Promise.all([
    import('../../lanes/tree/edit-rules.ts'),
    import('./guarded-files.ts'),
    laneOrNone(mark, caller),
  ]);
  const files = inside && { worktree: inside.worktree, touches: inside.lane.spec.touches };
  const refusal = files && refusedEdit(paths, files);
  return refusal === undefined ? beforeEdit(paths, caller) : denial(refusal);
}

/** Read by a model in the middle of its work: the verdict first, then the alternative. */
function denial({ what, instead }: LaneDenial) {
  const reason = `lanehold: a lane's worker does not ${what}.\n${instead}`;
  return { decision: 'deny', reason } as const;
}

/** A store that cannot be read has no lane: releases are then judged as in every session. */
export async function laneOrNone(mark: LaneMark, caller: Caller): Promise<InsideLane | undefined> {
  return orLogged(caller, 'lane', undefined, async () => insideLane(await caller.store(), mark));
}

/**
 * Writes the worker's heartbeat, and adds its news to the reply: answers to its questions, and
 * changes in other lanes that concern it. Without news this reads two small files.
 */
export async function withNews(
  moment: 'before-tool' | 'after-tool',
  reply: Reply,
  mark: LaneMark,
  caller: Caller,
): Promise<Reply> {
  if (mark.by !== 'environment' || reply.decision !== 'none') return reply;
  if (heartbeat(mark.dir) === 'nothing') return reply;
  const { takesContext = [] } = findHookAgent(caller.agent)?.hooks.capabilities ?? {};
  if (!takesContext.includes(moment)) {
    caller.afterwards(() => touchNews(mark.dir));
    return reply;
  }
  // If this answer is dropped, the next call delivers the news.
  caller.afterwards(() => undefined, { otherwise: () => touchNews(mark.dir) });
  const inside = await laneOrNone(mark, caller);
  if (inside === undefined) return reply;
  const news = await orLogged(caller, 'lane', null, () => newsOf(inside, caller));
  if (news === null) caller.afterwards(() => touchNews(mark.dir));
  return withContext(reply, [news ?? undefined]);
}

async function newsOf(inside: InsideLane, { store, env, now }: Caller) {
  const { takeNews } = await import('../../lanes/talk/tell-worker.ts');
  return takeNews({ store: await store(), env, now }, inside);
}

/** The news of a lane's session with a prompt; `no lane` if it is in none. */
export async function newsAtPrompt(mark: LaneMark, caller: Caller) {
  const inside = await laneOrNone(mark, caller);
  return inside === undefined ? 'no lane' : { text: await newsOf(inside, caller) };
}
