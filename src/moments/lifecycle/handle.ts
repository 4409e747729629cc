/** Loads the handler of an event, and no other. */
import { findHookAgent } from '../../agents/registry.ts';
import type { HookEvent, Reply } from '../../agents/types.ts';
import { captureOf } from '../../base/config/capture.ts';
import { attempt } from '../../base/errors.ts';
import { homeOf } from '../../base/files/home.ts';
import { textIfThere } from '../../base/files/text-if-there.ts';
import { projectPlace } from '../../base/git/project.ts';
import {
  BY_PLUGIN,
  forgetCompaction,
  isCompacted,
  leaveFirstTrace,
  leaveTrace,
  noteCompaction,
} from '../watch/trace.ts';
import { type Caller, NO_OPINION, orLogged, withContext } from './handler.ts';
import { record } from './record.ts';

export async function handle(event: HookEvent, caller: Caller): Promise<Reply> {
  noteMoment(event, caller);
  const reply = await recorded(event, caller);
  if (SUMMED_UP.has(event.kind)) await sumUp(event, caller);
  const rules = findHookAgent(caller.agent)?.rules;
  if (rules !== undefined && isNews(event, reply)) {
    const { refreshRules } = await import('./rules-file.ts');
    caller.afterwards(() => refreshRules(event, reply, rules, caller));
  }
  return reply;
}

/** The reply after the event is recorded; the record is made without a reply as well. */
async function recorded(event: HookEvent, caller: Caller): Promise<Reply> {
  let reply: Reply = NO_OPINION;
  try {
    // git is asked before the first write, after which other processes cannot write.
    const compacted = await afterCompaction(event, caller);
    reply = withContext(await answer(event, caller), [compacted], '\n\n');
    // A reply that decides takes no further text: what a model picked waits.
    if (reply.decision === 'none' && mayHaveModel(caller)) {
      const { pickedForSession } = await import('./model-recall.ts');
      reply = withContext(reply, [await pickedForSession(event, caller)], '\n\n');
    }
    return reply;
  } finally {
    await record(event, reply, caller);
  }
}

/** Most people have no model that picks notes, and the settings need not be parsed. */
const mayHaveModel = ({ env }: Caller): boolean =>
  attempt(() => textIfThere(homeOf(env).config))?.includes('"model"') === true;

const SUMMED_UP = new Set<HookEvent['kind']>(['stop', 'before-compact', 'session-end']);

/** Keeps the summary of a session up to date, and suggests notes from what it said. Never throws. */
async function sumUp({ kind, session, cwd }: HookEvent, caller: Caller): Promise<void> {
  const { agent, env, now } = caller;
  const who = { agent, session };
  await orLogged(caller, kind, undefined, async () => {
    const [{ putSummary }, { suggestFromSession }, store] = await Promise.all([
      import('../../recall/summaries.ts'),
      import('../../recall/suggestions.ts'),
      caller.store(),
    ]);
    const { mode } = await captureOf(projectPlace(cwd).root, env);
    store.write(() => putSummary(store, who));
    if (mode !== 'off') suggestFromSession(store, who, { now: now(), mode });
  });
}

/** Whether the text for the start of a session may have changed. */
function isNews({ kind }: HookEvent, reply: Reply): boolean {
  if (kind === 'after-tool') return reply.decision === 'none' && reply.context !== undefined;
  return kind === 'session-start' || kind === 'prompt-submit' || kind === 'stop';
}

/** The text for a session that has forgotten everything since its last event. */
async function afterCompaction(event: HookEvent, caller: Caller): Promise<string | undefined> {
  if (!isFirstSinceCompaction(event, caller)) return undefined;
  const { sessionStart } = await import('./session-start.ts');
  const { session, cwd } = event;
  const start = { kind: 'session-start', source: 'compacted', session, cwd } as const;
  const told = await sessionStart(start, caller);
  return told.decision === 'none' ? told.context : undefined;
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

/** Some agents start no session after a compaction: they get that text at the next event at which they take it. */
function isFirstSinceCompaction(event: HookEvent, { agent, env, afterwards }: Caller): boolean {
  const { kind, session } = event;
  const who = { agent, session };
  if (!isCompacted(env, who)) return false;
  const { takesContext = [] } = findHookAgent(agent)?.hooks.capabilities ?? {};
  const tells = (kind === 'prompt-submit' || kind === 'after-tool') && takesContext.includes(kind);
  // A resumed session gets no text about what it forgot.
  const begins = kind === 'session-start' && event.source !== 'resumed';
  if (tells || begins) afterwards(() => forgetCompaction(env, who));
  return tells;
}

/** Leaves the trace of an event; the handler of `before-tool` leaves its own, at boundaries only. */
function noteMoment({ kind, session }: HookEvent, caller: Caller): void {
  const { agent, byPlugin, env, now, afterwards } = caller;
  if (kind === 'tasks') return;
  const who = { agent, session };
  const detail = kind === 'session-start' && byPlugin ? BY_PLUGIN : '';
  const trace = { at: now(), moment: kind, detail } as const;
  if (TRACED.has(kind)) afterwards(() => leaveTrace(env, who, trace));
  if (kind === 'prompt-submit') afterwards(() => leaveFirstTrace(env, who, trace));
  if (kind === 'before-compact') afterwards(() => noteCompaction(env, who));
}

const TRACED = new Set<HookEvent['kind']>([
  'session-start',
  'stop',
  'session-end',
  'before-compact',
]);
