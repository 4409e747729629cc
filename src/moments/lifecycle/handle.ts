/** Loads the handler of an event, and no other. */
import { findHookAgent } from '../../agents/registry.ts';
import type { HookEvent, Reply } from '../../agents/types.ts';
import {
  BY_PLUGIN,
  leaveFirstTrace,
  leaveTrace,
  noteCompaction,
  takeCompaction,
} from '../watch/trace.ts';
import { type Caller, withContext } from './handler.ts';
import { record } from './record.ts';
import { forgetAllTold } from './told-edits.ts';

export async function handle(event: HookEvent, caller: Caller): Promise<Reply> {
  noteMoment(event, caller);
  // The outcome of a tool call is known after the answer; the answer to other events needs their record.
  const isAsked = event.kind === 'before-tool';
  if (!isAsked) await record(event, undefined, caller);
  const answered = await answer(event, caller);
  if (isAsked) await record(event, answered, caller);
  const reply = await withCompaction(event, answered, caller);
  const rules = findHookAgent(caller.agent)?.rules;
  if (rules !== undefined && isNews(event, reply)) {
    await (await import('./rules-file.ts')).refreshRules(event, reply, rules, caller);
  }
  return reply;
}

/** Whether what the start of a session would say may have changed. */
function isNews({ kind }: HookEvent, reply: Reply): boolean {
  if (kind === 'after-tool') return reply.decision === 'none' && reply.context !== undefined;
  return kind === 'session-start' || kind === 'prompt-submit' || kind === 'stop';
}

async function withCompaction(event: HookEvent, reply: Reply, caller: Caller): Promise<Reply> {
  if (reply.decision !== 'none' || !isFirstSinceCompaction(event, caller)) return reply;
  const { sessionStart } = await import('./session-start.ts');
  const { session, cwd } = event;
  const start = { kind: 'session-start', source: 'compacted', session, cwd } as const;
  const told = await sessionStart(start, caller);
  return told.decision === 'none' ? withContext(reply, [told.context], '\n\n') : reply;
}

async function answer(event: HookEvent, caller: Caller): Promise<Reply> {
  switch (event.kind) {
    case 'before-tool':
      return (await import('./before-tool.ts')).beforeTool(event, caller);
    case 'after-tool':
      return (await import('./after-tool.ts')).afterTool(event, caller);
    case 'stop':
      return (await import('./stop.ts')).stop(event, caller);
    case 'session-start':
      return (await import('./session-start.ts')).sessionStart(event, caller);
    case 'prompt-submit':
      return (await import('./prompt-submit.ts')).promptSubmit(event, caller);
    case 'tasks':
      return (await import('./task-list.ts')).noteTasks(event, caller);
    case 'before-compact':
      return (await import('./session-notes.ts')).beforeCompact(event, caller);
    case 'session-end':
      return (await import('./session-notes.ts')).sessionEnd(event, caller);
  }
}

/**
 * Some agents start no session after a compaction: these are told at the next moment at which they take
 * text what others are told then.
 */
function isFirstSinceCompaction(event: HookEvent, { agent, env }: Caller): boolean {
  const { kind, session } = event;
  // One that is resumed is told nothing of what it forgot.
  if (kind === 'session-start' && event.source !== 'resumed')
    takeCompaction(env, { agent, session });
  if (kind !== 'prompt-submit' && kind !== 'after-tool') return false;
  const { takesContext } = findHookAgent(agent)?.hooks.capabilities ?? {};
  return takesContext?.includes(kind) === true && takeCompaction(env, { agent, session });
}

/** Leaves the trace of an event; the handler of `before-tool` leaves its own, at boundaries only. */
function noteMoment({ kind, session }: HookEvent, { agent, byPlugin, env, now }: Caller): void {
  if (kind === 'tasks') return;
  const who = { agent, session };
  const detail = kind === 'session-start' && byPlugin ? BY_PLUGIN : '';
  const trace = { at: now(), moment: kind, detail } as const;
  if (TRACED.has(kind)) leaveTrace(env, who, trace);
  if (kind === 'prompt-submit') leaveFirstTrace(env, who, trace);
  if (kind === 'session-start') forgetAllTold(env, who);
  if (kind === 'before-compact') noteCompaction(env, who);
}

const TRACED = new Set<HookEvent['kind']>([
  'session-start',
  'stop',
  'session-end',
  'before-compact',
]);
