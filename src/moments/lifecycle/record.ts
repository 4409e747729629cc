/**
 * Notes what a session does in its spool file: no database is opened, and nothing of a tool's output or of
 * a command but the name of its program is kept.
 */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { HookEvent, Reply, ToolCall } from '../../agents/types.ts';
import { captureOf } from '../../base/config/capture.ts';
import { attempt } from '../../base/errors.ts';
import { homeOf } from '../../base/files/home.ts';
import { isNoProject, projectPlace } from '../../base/git/project.ts';
import { jsonLine } from '../../base/text/json.ts';
import { laneMark } from '../../lanes/spec/lane-mark.ts';
import { commandSeen, editedFiles, type Kept } from '../../recall/actions.ts';
import { lastPromptAt, type SpoolLine, spool, spoolName } from '../../recall/spool.ts';
import type { Outcome } from '../../store/observations.ts';
import { noteRecorded } from './activity.ts';
import { type Caller, orLogged } from './handler.ts';

type Noted = Omit<SpoolLine, 'at' | 'agent' | 'session' | 'project' | 'root'>;

/** Files of the same time may have changed later. */
const A_TICK_MS = 20;

/** Never throws. @param reply of lanehold, where it is known already. */
export async function record(event: HookEvent, reply: Reply | undefined, caller: Caller) {
  const { agent, env, now } = caller;
  const { session, cwd } = event;
  if (session === '') return;
  const began = Date.now();
  await orLogged(caller, event.kind, undefined, async () => {
    if (env.LANEHOLD_RECALL === 'off') return await leaveOut(event, caller);
    if (laneMark(env, cwd) !== undefined) return;
    // The handler of the event reports a folder that is gone.
    const place = attempt(() => projectPlace(cwd));
    if (place === undefined || isNoProject(place, env.HOME)) return;
    const capture = await captureOf(place.root, env);
    if (capture.mode === 'off') return await leaveOut(event, caller);
    if (event.kind === 'prompt-submit')
      noteRecorded(env, { agent, session }, cwd, began - A_TICK_MS);
    const kept = { root: place.root, ignores: capture.ignores };
    for (const noted of await observed(event, reply, kept)) {
      spool(homeOf(env), {
        ...noted,
        at: now().getTime(),
        agent,
        session,
        project: place.identity,
        root: place.root,
      });
    }
  });
}

/** Marks a session that is not recorded, so that it is not read from a transcript later either. */
async function leaveOut({ kind, session }: HookEvent, { agent, env }: Caller): Promise<void> {
  if (kind !== 'session-start' && kind !== 'prompt-submit') return;
  const { leaveUnrecorded } = await import('../../recall/spool.ts');
  leaveUnrecorded(homeOf(env), { agent, session });
}

/**
 * Files that git sees changed since the user last prompted, and that no tool reported: a command wrote them.
 *
 * @param paths relative to the root.
 */
export async function recordChanged(
  root: string,
  paths: readonly string[],
  { session }: { readonly session: string },
  caller: Caller,
): Promise<void> {
  const { agent, env, now } = caller;
  const file = join(homeOf(env).spool, spoolName({ agent, session }));
  const lines =
    attempt(() => readFileSync(file, 'utf8'))
      ?.split('\n')
      .map(jsonLine) ?? [];
  const prompt = lines.findLast((it) => it?.kind === 'prompt');
  const promptedAt = prompt && (prompt.at ?? lastPromptAt(homeOf(env), { agent, session }));
  if (typeof promptedAt !== 'number') return;
  const reported = new Set(lines.flatMap((it) => (Array.isArray(it?.files) ? it.files : [])));
  const { mode, ignores } = await captureOf(root, env);
  if (mode === 'off') return;
  const files = paths.filter((path) => {
    const changed = statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? 0;
    return changed >= promptedAt && !reported.has(path) && !ignores(path);
  });
  if (files.length === 0) return;
  const whose = { agent, session, project: projectPlace(root).identity, root };
  const noted = { kind: 'edit', name: 'command', files: files.slice(0, 50) } as const;
  spool(homeOf(env), { ...noted, ...whose, at: now().getTime() });
}

async function observed(
  event: HookEvent,
  reply: Reply | undefined,
  kept: Kept,
): Promise<readonly Noted[]> {
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
      return asked(event, reply?.decision === 'deny', kept);
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

/** Most agents report no command after it ran. */
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
