/**
 * Notes that the model of `recall.model` picked for a session. A process of its own asks it, which an event starts; a
 * later event brings the notes. No event waits.
 */
import { join } from 'node:path';
import { findHookAgent } from '../../agents/registry.ts';
import type { HookEvent } from '../../agents/types.ts';
import { homeOf, privateFolder } from '../../base/files/home.ts';
import { programFile } from '../../base/files/package.ts';
import { textIfThere } from '../../base/files/text-if-there.ts';
import { type ProjectPlace, projectPlace } from '../../base/git/project.ts';
import { projectStore } from '../../store/projects.ts';
import { ASKED, isDue, sessionFile } from './activity.ts';
import { type Caller, orLogged } from './handler.ts';

/** A prompt often has a new subject; tool calls seldom. */
const EVERY_MS = { 'prompt-submit': 5_000, 'after-tool': 60_000 };

/** The text for the session; also has the model asked about what the session does now. Never throws. */
export async function pickedForSession(
  event: HookEvent,
  caller: Caller,
): Promise<string | undefined> {
  const { env, agent } = caller;
  const { kind, session, subAgent } = event;
  if (kind !== 'prompt-submit' && kind !== 'after-tool') return undefined;
  // Processes with a worker's environment are ended with the worker.
  const isOff = env.LANEHOLD_RECALL === 'off' || env.LANEHOLD_ATTEMPT;
  if (isOff || session === '' || subAgent !== undefined) return undefined;
  return orLogged(caller, kind, undefined, async () => {
    if (!(await isModelSet(caller))) return undefined;
    const place = projectPlace(event.cwd);
    if (env.LANEHOLD_BACKGROUND !== 'off') await launchPick(place, event, EVERY_MS[kind], caller);
    const { takesContext = [] } = findHookAgent(agent)?.hooks.capabilities ?? {};
    return takesContext.includes(kind) ? await picked(place, event, caller) : undefined;
  });
}

/** Most people have none: the settings are only parsed if they may have one. */
async function isModelSet({ env }: Caller): Promise<boolean> {
  if (!textIfThere(homeOf(env).config)?.includes('"model"')) return false;
  const { ownRecall } = await import('../../base/config/own-recall.ts');
  return ownRecall(env, 'model').value !== null;
}

async function picked(
  place: ProjectPlace,
  event: HookEvent,
  caller: Caller,
): Promise<string | undefined> {
  const [{ modelCallStore }, store] = await Promise.all([
    import('../../store/model-calls.ts'),
    caller.store(),
  ]);
  const projectId = projectStore(store).find(place.identity);
  const calls = modelCallStore(store);
  const untold = calls.untold(caller.agent, event.session);
  if (projectId === undefined || untold.length === 0) return undefined;
  const [{ recallStore }, { itemTellings, tell }, { listenerOf, TOOL_TOKENS }] = await Promise.all([
    import('../../store/recall.ts'),
    import('../../recall/told.ts'),
    import('./listener.ts'),
  ]);
  const items = untold
    .flatMap((it): string[] => JSON.parse(it))
    .flatMap((uid) => recallStore(store).find(uid) ?? [])
    .filter((it) => it.status === 'active' && [projectId, null].includes(it.projectId));
  const listener = listenerOf(place, event, { projectId, budget: TOOL_TOKENS }, caller);
  return store.write(() => {
    calls.setTold(caller.agent, event.session);
    return tell(store, itemTellings(items, listener), listener);
  });
}

async function launchPick(
  place: ProjectPlace,
  { session, transcript }: HookEvent,
  everyMs: number,
  caller: Caller,
): Promise<void> {
  const { agent, env, now, afterwards } = caller;
  const [{ startDetached }, { summaryId }] = await Promise.all([
    import('../../base/process/run.ts'),
    import('../../recall/summaries.ts'),
  ]);
  const home = homeOf(env);
  const about = [`--session=${summaryId({ agent, session })}`];
  if (transcript !== undefined) about.push(`--transcript=${transcript}`);
  afterwards(() => {
    if (!isDue(sessionFile(env, { agent, session }, ASKED), everyMs, now())) return;
    startDetached(process.execPath, [programFile(), 'recall', 'pick', ...about, '--quiet'], {
      cwd: place.root,
      env: { ...env, LANEHOLD_HOME: home.root, LANEHOLD_PROJECT: place.root },
      logFile: join(privateFolder(home.logs), 'pick.log'),
    });
  });
}
