/** Loads the handler of an event, and no other. */
import type { HookEvent, Reply } from '../agents/types.ts';
import { leaveFirstTrace, leaveTrace } from '../watch/trace.ts';
import type { Caller } from './handler.ts';

export async function handle(event: HookEvent, caller: Caller): Promise<Reply> {
  noteMoment(event, caller);
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

/** Before a tool only a look at a boundary leaves a trace, which its handler does. */
function noteMoment({ kind, session }: HookEvent, { agent, env, now }: Caller): void {
  const who = { agent, session };
  switch (kind) {
    case 'session-start':
    case 'stop':
    case 'before-compact':
    case 'session-end':
      leaveTrace(env, who, { at: now(), moment: kind, detail: '' });
      break;
    case 'prompt-submit':
      leaveFirstTrace(env, who, { at: now(), moment: kind, detail: '' });
      break;
    default:
  }
}
