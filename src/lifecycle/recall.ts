/** What is remembered, told where it is relevant: to a prompt, and at the start of a session. */
import { readFileSync } from 'node:fs';
import { attempt } from '../errors.ts';
import type { Workspace } from '../features/workspace.ts';
import { type ProjectPlace, projectPlace } from '../git/project.ts';
import { homeOf } from '../store/home.ts';
import { projectStore } from '../store/projects.ts';
import type { Caller } from './handler.ts';
import { programFor } from './program.ts';

const PROMPT_TOKENS = 250;
const START_TOKENS = 300;
/** Notes that a session starts with. */
const MOST_AT_START = 6;

/** Whether anything is remembered for the project, answered by one small file. */
export function remembersAnything({ identity }: ProjectPlace, { env }: Caller): boolean {
  const listed = attempt(() => readFileSync(homeOf(env).recallProjects, 'utf8'));
  return listed?.split('\n').some((line) => line === '*' || line === identity) ?? false;
}

/** Never throws: a prompt has to reach the agent. */
export async function recallForPrompt(
  { cwd, session, prompt }: { cwd: string; session: string; prompt: string },
  caller: Caller,
): Promise<string | undefined> {
  const { agent, env, now } = caller;
  try {
    const place = projectPlace(cwd);
    if (!remembersAnything(place, caller)) return undefined;
    const [{ queryOf }, { relevant, searchItems }, { tellItems }] = await Promise.all([
      import('../recall/query.ts'),
      import('../recall/search.ts'),
      import('../recall/told.ts'),
    ]);
    const query = queryOf(prompt);
    if (query.terms.length === 0) return undefined;
    const store = await caller.store();
    const projectId = projectStore(store).find(place.identity);
    if (projectId === undefined) return undefined;
    const found = relevant(searchItems(store, { projectId, query, now: now() }), query);
    // Of its own session the agent has the words themselves.
    const items = found.flatMap(({ item }) => (item.session === session ? [] : [item]));
    const listener = {
      agent,
      session,
      root: place.root,
      now: now(),
      budget: PROMPT_TOKENS,
      program: programFor(caller),
    };
    return tellItems(store, items, listener);
  } catch (error) {
    const { logFailure } = await import('./failure-log.ts');
    logFailure(error, { agent, event: 'prompt-submit' }, env, now());
    return undefined;
  }
}

/** Decisions and gotchas, those near the changed files first. */
export async function recallForStart(
  { place, projectId, store }: Workspace,
  { session, source }: { readonly session: string; readonly source: string },
  caller: Caller,
): Promise<string | undefined> {
  const { agent, env, now } = caller;
  try {
    if (!remembersAnything(place, caller)) return undefined;
    const [{ recallStore }, { tellItems }] = await Promise.all([
      import('../store/recall.ts'),
      import('../recall/told.ts'),
    ]);
    const recall = recallStore(store);
    // What was shown before is no longer in the agent's context.
    if (source !== 'resumed') store.write(() => recall.forgetShown(agent, session));
    const items = recall
      .list(projectId)
      .filter((it) => it.status === 'active' && it.path !== null && (it.agent ?? agent) === agent)
      .slice(0, MOST_AT_START);
    const listener = {
      agent,
      session,
      root: place.root,
      now: now(),
      budget: START_TOKENS,
      program: programFor(caller),
    };
    return tellItems(store, items, listener);
  } catch (error) {
    const { logFailure } = await import('./failure-log.ts');
    logFailure(error, { agent, event: 'session-start' }, env, now());
    return undefined;
  }
}

/** What the session's own work gets of it, however much the others take. */
const LEAST_BYTES = 700;
const MOST_SESSIONS = 2;

/** @param others what else is told. Never throws. */
export async function workForStart(
  { projectId, store, place }: Workspace,
  { session, source }: { readonly session: string; readonly source: string },
  caller: Caller,
  others: readonly (string | undefined)[],
): Promise<string | undefined> {
  const { agent, env, now } = caller;
  const who = { agent, session };
  try {
    const { captureOf } = await import('../config/capture.ts');
    if ((await captureOf(place.root, env)).mode === 'off') return undefined;
    const [{ foldSpool }, { COMPACTION_BYTES, compactionBrief, lastWork, lastWorkText }] =
      await Promise.all([import('../recall/fold.ts'), import('../recall/briefing.ts')]);
    foldSpool(store, now(), source === 'compacted' ? who : undefined);
    if (source !== 'compacted') {
      return lastWorkText(lastWork(store, projectId, { without: who, most: MOST_SESSIONS }));
    }
    const taken = Buffer.byteLength(others.filter((it) => it !== undefined).join('\n\n'));
    const room = COMPACTION_BYTES - taken - 2;
    return compactionBrief(store, who, Math.max(LEAST_BYTES, room));
  } catch (error) {
    const { logFailure } = await import('./failure-log.ts');
    logFailure(error, { agent, event: 'session-start' }, env, now());
    return undefined;
  }
}
