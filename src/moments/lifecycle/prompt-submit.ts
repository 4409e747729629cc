/** Gives the session its news at a prompt, which mostly has none. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { homeOf } from '../../base/files/home.ts';
import { type ProjectPlace, projectPlace } from '../../base/git/project.ts';
import { pendingSubject, pendingSummary } from '../../features/pending.ts';
import { laneMark } from '../../lanes/spec/lane-mark.ts';
import type { Store } from '../../store/open.ts';
import { pendingStore } from '../../store/pending.ts';
import { hasOpenRun, projectStore } from '../../store/projects.ts';
import { sessionStore } from '../../store/sessions.ts';
import { doubtsAt } from './doubted-notes.ts';
import { type Caller, type Handler, NO_OPINION, programFor, withContext } from './handler.ts';
import { hookNews } from './hook-news.ts';
import { compareTranscript } from './ran-commands.ts';

export const promptSubmit: Handler<'prompt-submit'> = async (event, caller) => {
  // The client may have written these entries after the end of the turn.
  await compareTranscript(event.session, event.transcript, caller);
  const asked = await doubtsAt(event, caller);
  const parts = [await news(event, caller), await recalled(event, caller), asked];
  return withContext(NO_OPINION, parts, '\n\n');
};

type Event = Parameters<typeof promptSubmit>[0];

async function recalled({ prompt, ...event }: Event, caller: Caller): Promise<string | undefined> {
  if (prompt === undefined) return undefined;
  const { recallForPrompt } = await import('./recall.ts');
  return recallForPrompt({ ...event, prompt }, caller);
}

async function news({ cwd, session }: Event, caller: Caller): Promise<string | undefined> {
  const { env } = caller;
  const mark = laneMark(env, cwd);
  const lanes = existsSync(join(homeOf(env).runs, 'lanes'));
  if (lanes && mark !== undefined) {
    const { newsAtPrompt } = await import('./in-lane.ts');
    const told = await newsAtPrompt(mark, caller);
    if (told !== 'no lane') return told.text;
  }
  return promptNews({ cwd, session }, { lanes, pending: mark === undefined }, caller);
}

/** @param about the subjects that it may get. */
async function promptNews(
  { cwd, session }: Record<'cwd' | 'session', string>,
  about: Record<'lanes' | 'pending', boolean>,
  caller: Caller,
): Promise<string | undefined> {
  const store = await caller.store();
  const place = projectPlace(cwd);
  const projectId = projectStore(store).find(place.identity);
  if (projectId === undefined) return undefined;
  const lines = [
    about.lanes ? await lanesLine(store, projectId, session, caller) : undefined,
    about.pending ? pendingLine(store, projectId, { place, session }, caller) : undefined,
    about.pending ? await hookNews({ cwd, session, moment: 'prompt-submit' }, caller) : undefined,
  ].filter((line) => line !== undefined);
  return lines.length === 0 ? undefined : lines.join('\n');
}

async function lanesLine(
  store: Store,
  projectId: number,
  session: string,
  caller: Caller,
): Promise<string | undefined> {
  if (!hasOpenRun(store, projectId)) return undefined;
  const [{ reconcileLanes }, { takeNeeds }] = await Promise.all([
    import('./reconcile-lanes.ts'),
    import('../../lanes/talk/coordinator-needs.ts'),
  ]);
  reconcileLanes(store, caller);
  return takeNeeds(store, projectId, { session, now: caller.now() });
}

/** The pending features of this working tree; each is shown once in a session. */
function pendingLine(
  store: Store,
  projectId: number,
  { place, session }: { readonly place: ProjectPlace; readonly session: string },
  caller: Caller,
): string | undefined {
  const sessions = sessionStore(store);
  const pending = pendingStore(store).ofWorktree(projectId, place.root);
  if (pending.length === 0) return undefined;
  const unannounced = store.write(() =>
    pending.filter(({ feature }) =>
      sessions.firstShowing(session, pendingSubject(projectId, feature), caller.now()),
    ),
  );
  if (unannounced.length === 0) return undefined;
  return `lanehold: changed and not verified: ${pendingSummary(unannounced, session)}; before a push or publish, run \`${programFor(caller)} feature verify --pending\`.`;
}
