/**
 * The known facts about the files that a tool edits: rules, which can refuse an edit, notes, and files that usually
 * change together.
 */
import type { Reply } from '../../agents/types.ts';
import { askAbout } from '../../recall/doubts.ts';
import { guardsOf, refusalBy, ruleLine } from '../../recall/guards.ts';
import { isMet, isNoteOf, wordsAbout } from '../../recall/occasions.ts';
import { togetherLine } from '../../recall/together.ts';
import { tellItems, tellOnce } from '../../recall/told.ts';
import type { Store } from '../../store/open.ts';
import { projectStore } from '../../store/projects.ts';
import { isFor, type RecallItem, recallStore, remembersAnything } from '../../store/recall.ts';
import { movesIn } from './doubted-notes.ts';
import { type Edits, editsByProject } from './edits-by-project.ts';
import { type Caller, orLogged, type ToolEvent, withContext } from './handler.ts';
import { listenerOf, TOOL_TOKENS } from './listener.ts';

/** The most files of one edit whose companions are looked up. */
const MOST_LOOKED_UP = 5;

interface ToolMoment {
  readonly caller: Caller;
  /** Whether notes are told at this event. Where they were told before the tool, what it changed is asked after it. */
  readonly tells: boolean;
}

/** Never throws: if the store fails, the tool runs. */
export async function recallForEdit(
  edited: readonly string[],
  event: ToolEvent,
  reply: Reply & { readonly decision: 'none' },
  telling: ToolMoment,
): Promise<Reply> {
  return orLogged(telling.caller, event.kind, reply, async () => {
    const answers = [];
    for (const { place, paths } of editsByProject(edited, event.cwd, telling.caller.env.HOME)) {
      const store = await telling.caller.store();
      const answer = await ofEdit(store, { place, paths }, event, telling);
      if (answer.refusal !== undefined) return { decision: 'deny', reason: answer.refusal };
      answers.push(...answer.texts);
    }
    return withContext(reply, answers);
  });
}

async function ofEdit(
  store: Store,
  { place, paths }: Edits,
  event: ToolEvent,
  { caller, tells }: ToolMoment,
): Promise<{ refusal?: string; texts: readonly string[] }> {
  const projectId = projectStore(store).find(place.identity);
  if (projectId === undefined || !remembersAnything(store, projectId)) return { texts: [] };
  const listener = listenerOf(place, event, { projectId, budget: TOOL_TOKENS }, caller);
  const guards = guardsOf(store, projectId, paths);
  if (event.kind === 'before-tool') {
    const denying = guards.filter(({ denies }) => denies);
    // A refusal reaches the model, once, if it takes no text before the tool.
    const held = tells
      ? []
      : guards.filter((it) => !it.denies && tellOnce(store, ruleLine(it), listener));
    // That the session met it is on record once.
    for (const it of denying) tellOnce(store, ruleLine(it), listener);
    const refusing = denying.length > 0 ? denying : held;
    if (refusing.length > 0) return { refusal: refusalBy(refusing, listener.program), texts: [] };
  }
  const isForIt = (it: RecallItem) => isFor(it, caller.agent);
  const recall = recallStore(store);
  const notes = recall
    .withFiles(projectId, paths)
    .filter((it) => isForIt(it) && isNoteOf(it, paths));
  const asks = tells || event.kind === 'after-tool';
  const doubts = asks ? await askAbout(store, notes, movesIn(place, caller), listener) : [];
  if (!tells) return { texts: doubts };
  const conditional = recall.withConditions(projectId).filter(isForIt);
  // The subject of a file is looked up once while the notes are the same, because that reads many commits.
  const seen = conditional.map(({ digest }) => digest).join();
  const met = paths
    .slice(0, conditional.length === 0 ? 0 : MOST_LOOKED_UP)
    .filter((path) => tellOnce(store, { uid: `about:${path}`, text: seen }, listener))
    .flatMap((path) => {
      const about = { words: wordsAbout(store, projectId, place.root, path), paths: [path] };
      return conditional.filter(({ conditions }) => isMet(conditions, about));
    });
  const rules = guards.map(ruleLine).filter((it) => tellOnce(store, it, listener));
  // Companions are looked up only at the first edit of a file, because that reads many commits.
  const others = paths
    .slice(0, MOST_LOOKED_UP)
    .filter((path) => tellOnce(store, { uid: `together:${path}`, text: '' }, listener))
    .flatMap((path) => togetherLine(store, projectId, path) ?? []);
  return {
    texts: [
      ...rules.map(({ text }) => text),
      tellItems(store, [...notes, ...met], listener),
      ...doubts,
      ...others,
    ].filter((it) => it !== undefined),
  };
}
