/**
 * Asks about notes whose files a command, a checkout or a person has changed or removed. The files are looked at when a
 * session starts, after a command, and at the end of a turn; what was found is asked at the next event that takes text.
 */
import { findHookAgent } from '../../agents/registry.ts';
import type { HookEvent } from '../../agents/types.ts';
import { type ProjectPlace, projectPlace } from '../../base/git/project.ts';
import type { LostFiles } from '../../recall/renames.ts';
import type { Store } from '../../store/open.ts';
import { projectStore } from '../../store/projects.ts';
import { isFor, type RecallItem, recallStore } from '../../store/recall.ts';
import { toldStore } from '../../store/told.ts';
import { type Caller, orLogged } from './handler.ts';
import { sessionOf } from './listener.ts';

/** Older notes are not looked at: it takes too long after each command. */
const MOST_NOTES = 500;
/** The notes that were found last, with the time, are what is to be asked. */
const MOST_LISTED = 20;
/** Renames in earlier commits were followed by then. */
const MOST_COMMITS = 20;

type Moment = Pick<HookEvent, 'cwd' | 'session' | 'subAgent'> & { readonly kind: string };

interface Here {
  readonly store: Store;
  readonly place: ProjectPlace;
  readonly projectId: number;
}

export async function doubtsAt(moment: Moment, caller: Caller): Promise<string | undefined> {
  const { agent, env, looksOnly } = caller;
  const { kind, cwd } = moment;
  if (looksOnly || env.LANEHOLD_RECALL === 'off') return undefined;
  return orLogged(caller, kind, undefined, async () => {
    const place = projectPlace(cwd);
    const store = await caller.store();
    const projectId = projectStore(store).find(place.identity);
    if (projectId === undefined) return undefined;
    const here = { store, place, projectId };
    // A prompt waits for no file: they were looked at after the last turn.
    const look = kind === 'prompt-submit' ? undefined : await lookAtFiles(here, caller.now());
    const list = look?.list ?? listedIn(here);
    const takesText = findHookAgent(agent)?.hooks.capabilities.takesContext.some(
      (it) => it === kind,
    );
    const texts = list !== '' && takesText ? await askedOnce(here, list, moment, caller) : [];
    // git, which is asked for renames, comes before the first write.
    look?.record();
    return texts.join('\n') || undefined;
  });
}

const listName = ({ root }: ProjectPlace): string => `doubted:${root}`;
const listedIn = ({ store, place }: Here): string =>
  toldStore(store).shown('', '', listName(place)) ?? '';

async function lookAtFiles(here: Here, at: Date) {
  const { store, place, projectId } = here;
  const bound = recallStore(store).boundNotes(projectId, MOST_NOTES);
  if (bound.length === 0) return undefined;
  const { lookForDoubts } = await import('../../recall/look.ts');
  const look = lookForDoubts(store, place.root, bound, at);
  if (look === undefined) return undefined;
  const listed = listedIn(here);
  const uids = new Set([...look.found, ...listed.split(' ').slice(1)]);
  const list =
    look.found.length === 0 ? listed : [+at, ...[...uids].slice(0, MOST_LISTED)].join(' ');
  const row = { agent: '', session: '', uid: listName(place), digest: list, at, tokens: 0 };
  const record = () =>
    store.write(() => {
      look.record();
      if (list !== '') toldStore(store).show(row);
    });
  return { list, record };
}

/** The questions about the listed notes, unless the session has had this list. */
async function askedOnce(
  here: Here,
  list: string,
  moment: Moment,
  caller: Caller,
): Promise<string[]> {
  const { store, place } = here;
  const told = toldStore(store);
  const session = sessionOf(moment);
  const shown = { agent: caller.agent, session, uid: listName(place) };
  if (told.shown(shown.agent, session, shown.uid) === list) return [];
  const [, ...uids] = list.split(' ');
  const notes = uids.flatMap((uid) => recallStore(store).find(uid) ?? []);
  const texts = await questionsOn(notes, here, moment, caller);
  store.write(() => told.show({ ...shown, digest: list, at: caller.now(), tokens: 0 }));
  return texts;
}

/** The questions about those of the notes whose files are no longer what they speak of. */
export async function questionsOn(
  notes: readonly RecallItem[],
  { store, place, projectId }: Here,
  moment: Moment,
  caller: Caller,
): Promise<string[]> {
  const own = notes.filter((it) => isFor(it, caller.agent));
  if (own.length === 0) return [];
  const [{ askAbout }, { listenerOf }] = await Promise.all([
    import('../../recall/doubts.ts'),
    import('./listener.ts'),
  ]);
  const listener = listenerOf(place, moment, { projectId, budget: 0 }, caller);
  return askAbout(store, own, (lost) => movesOf(lost, place, caller), listener);
}

/** Where lost files are now. The notes follow them in a process of its own. */
async function movesOf(lost: LostFiles, place: ProjectPlace, caller: Caller) {
  if (place.kind !== 'git') return (path: string) => path;
  const [{ hookGit }, { movedPaths }, { launchRefresh }] = await Promise.all([
    import('../../base/git/small-git.ts'),
    import('../../recall/renames.ts'),
    import('./launch-refresh.ts'),
  ]);
  const placeOf = await movedPaths(hookGit(place.root, caller.env), place.root, lost, MOST_COMMITS);
  const isMoved = [...lost.keys()].some((it) => placeOf(it) !== it);
  if (isMoved) await launchRefresh(place, caller, 'command');
  return placeOf;
}
