/** Records what a session does. No output of a tool is stored, and of a command only the name of its program. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { HookEvent, Reply, ToolCall } from '../../agents/types.ts';
import { captureOf } from '../../base/config/capture.ts';
import { attempt } from '../../base/errors.ts';
import { homeOf } from '../../base/files/home.ts';
import { isNoProject, type ProjectPlace, projectPlace } from '../../base/git/project.ts';
import { laneMark } from '../../lanes/spec/lane-mark.ts';
import { commandSeen, editedFiles, type Kept } from '../../recall/actions.ts';
import { addObserved, leaveUnrecorded, type Observed } from '../../recall/observed.ts';
import { type Outcome, observationStore } from '../../store/observations.ts';
import { type Caller, orLogged } from './handler.ts';

type Noted = Omit<Observed, 'at' | 'agent' | 'session' | 'project' | 'root'>;

/** A longer text is not stored. */
const MOST_CHARS = 16_000;

/** Never throws. @param reply lanehold's reply. */
export async function record(event: HookEvent, reply: Reply, caller: Caller): Promise<void> {
  const { env } = caller;
  const { session, cwd } = event;
  if (session === '') return;
  await orLogged(caller, event.kind, undefined, async () => {
    if (env.LANEHOLD_RECALL === 'off') return leaveOut(event, caller);
    if (laneMark(env, cwd) !== undefined) return;
    // The handler of the event reports a missing folder.
    const place = attempt(() => projectPlace(cwd));
    if (place === undefined || isNoProject(place, env.HOME)) return;
    const capture = await captureOf(place.root, env);
    if (capture.mode === 'off') return leaveOut(event, caller);
    const kept = { root: place.root, ignores: capture.ignores };
    await add(await observed(event, reply, kept), { session, place }, caller);
  });
}

/** Adds records; those that cannot be written are kept for a later event. */
async function add(
  noted: readonly Noted[],
  { session, place }: { readonly session: string; readonly place: ProjectPlace },
  { agent, now, store, keepLate }: Caller,
): Promise<void> {
  const { identity: project, root } = place;
  const whose = { at: now().getTime(), agent, session, project, root };
  const all = noted
    .map((it): Observed => ({ ...it, ...whose }))
    .filter((it) => JSON.stringify(it).length <= MOST_CHARS);
  if (all.length === 0) return;
  try {
    const opened = await store();
    opened.write(() => {
      for (const it of all) addObserved(opened, it);
    });
  } catch (error) {
    for (const it of all) keepLate(it);
    throw error;
  }
}

/** Marks a session that is not recorded, so that it is not read from a transcript later either. */
function leaveOut({ kind, session }: HookEvent, { agent, env, afterwards }: Caller): void {
  if (kind !== 'session-start' && kind !== 'prompt-submit') return;
  afterwards(() => leaveUnrecorded(homeOf(env), { agent, session }));
}

/**
 * Records files that git sees changed since the last prompt, and that no tool reported: a command wrote them.
 *
 * @param paths relative to the root.
 */
export async function recordChanged(
  place: ProjectPlace,
  paths: readonly string[],
  session: string,
  caller: Caller,
): Promise<void> {
  const { root } = place;
  const { agent, env } = caller;
  const { mode, ignores } = await captureOf(root, env);
  if (mode === 'off' || env.LANEHOLD_RECALL === 'off') return;
  const observations = observationStore(await caller.store());
  const prompt = observations.lastOf(agent, session, 'prompt');
  if (prompt === undefined) return;
  const reported = new Set(
    observations.editedSince(agent, session, prompt.id).flatMap((it): string[] => JSON.parse(it)),
  );
  const files = paths.filter((path) => {
    const changed = statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? 0;
    return changed >= prompt.at.getTime() && !reported.has(path) && !ignores(path);
  });
  if (files.length === 0) return;
  const noted = { kind: 'edit', name: 'command', files: files.slice(0, 50) } as const;
  await add([noted], { session, place }, caller);
}

async function observed(event: HookEvent, reply: Reply, kept: Kept): Promise<readonly Noted[]> {
  switch (event.kind) {
    case 'session-start':
      return [{ kind: 'start', name: event.source }];
    case 'prompt-submit': {
      if (event.prompt === undefined) return [];
      const { spokenBy } = await import('../../recall/prompts.ts');
      const spoken = spokenBy(event.prompt);
      return spoken === undefined ? [] : [{ kind: 'prompt', ...spoken }];
    }
    case 'before-tool':
      return asked(event, reply.decision === 'deny', kept);
    case 'after-tool':
      return ran(event, kept);
    case 'stop': {
      const { saidText } = await import('../../recall/prompts.ts');
      return [{ kind: 'stop', text: event.said === undefined ? null : saidText(event.said) }];
    }
    case 'before-compact':
      return [{ kind: 'compaction' }];
    case 'session-end':
      return [{ kind: 'end', name: event.reason }];
    case 'tasks':
      return [];
  }
}

type Called = Pick<HookEvent & { kind: 'after-tool' }, 'call' | 'failed' | 'outputBytes'>;

/** Records a call before it runs, because most agents report no command afterwards. */
function asked({ call }: Pick<Called, 'call'>, denied: boolean, kept: Kept): readonly Noted[] {
  if (call.tool !== 'shell') return denied ? called({ call }, 'denied', kept) : [];
  return [{ kind: 'command', ...commandSeen(call.command), outcome: denied ? 'denied' : null }];
}

function ran({ call, failed, ...sent }: Called, kept: Kept): readonly Noted[] {
  const outcome = failed ? 'failed' : 'passed';
  const outputBytes = sent.outputBytes ?? null;
  if (call.tool !== 'shell')
    return called({ call }, outcome, kept).map((it) => ({ ...it, outputBytes }));
  const seen = { ...commandSeen(call.command), outcome, outputBytes } as const;
  const noted = { kind: 'command', ...seen, settles: true } as const;
  return [noted, ...edits(call.edited, null, kept)];
}

function called(
  { call }: { readonly call: ToolCall },
  outcome: Outcome,
  kept: Kept,
): readonly Noted[] {
  if (call.tool === 'edit') return edits(call.paths, outcome, kept);
  const name = call.tool === 'mcp' ? `${call.server} ${call.name}` : call.tool;
  return [{ kind: 'tool', name: name.slice(0, 100), outcome }];
}

function edits(paths: readonly string[], outcome: Outcome, kept: Kept): readonly Noted[] {
  const files = editedFiles(paths, kept);
  return files.length === 0 ? [] : [{ kind: 'edit', files, outcome }];
}
