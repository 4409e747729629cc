/**
 * Notes that the model of `recall.model` picked for a session. A process of its own asks it, which an event starts; a
 * later event brings the notes. No event waits.
 */
import { findHookAgent } from '../../agents/registry.ts';
import type { HookEvent } from '../../agents/types.ts';
import { type ProjectPlace, projectPlace } from '../../base/git/project.ts';
import { projectStore } from '../../store/projects.ts';
import { sessionFile } from './activity.ts';
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
    const { ownRecall } = await import('../../base/config/own-recall.ts');
    if (ownRecall(env, 'model').value === null) return undefined;
    const place = projectPlace(event.cwd);
    await launchPick(place, event, EVERY_MS[kind], caller);
    const { takesContext = [] } = findHookAgent(agent)?.hooks.capabilities ?? {};
    return takesContext.includes(kind) ? await picked(place, event, caller) : undefined;
  });
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
  const { agent, env, afterwards } = caller;
  const [{ launchBeside }, { summaryId }] = await Promise.all([
    import('./launch-refresh.ts'),
    import('../../recall/summaries.ts'),
  ]);
  const args = ['recall', 'pick', `--session=${summaryId({ agent, session })}`];
  if (transcript !== undefined) args.push(`--transcript=${transcript}`);
  const stamp = sessionFile(env, { agent, session }, '.asked');
  afterwards(() => launchBeside(place.root, caller, { args, stamp, everyMs, log: 'pick.log' }));
}
