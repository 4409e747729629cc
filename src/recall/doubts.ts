/** Asks whether notes still hold whose files have changed or are gone. */
import { plural } from '../base/text/printable.ts';
import { sha256 } from '../base/text/sha256.ts';
import type { Store } from '../store/open.ts';
import type { RecallItem } from '../store/recall.ts';
import { toldStore } from '../store/told.ts';
import { anchorsOf, driftOf } from './anchors.ts';
import { inert, quoted } from './fence.ts';
import type { LostFiles } from './renames.ts';
import type { Listener } from './told.ts';

/** The sessions that are asked, one after the other, while none answers. */
const MOST_SESSIONS = 2;
/** The questions of one moment; the others are counted. */
const MOST_QUESTIONS = 3;

/** Questions about the notes whose files are not as they were. @param moves tells where lost files are now. */
export async function askAbout(
  store: Store,
  notes: readonly RecallItem[],
  moves: (lost: LostFiles) => Promise<(path: string) => string>,
  listener: Listener,
): Promise<string[]> {
  const { root, program } = listener;
  const due = notes.flatMap((item) => {
    const { changed, gone } = driftOf(root, item);
    const [file = gone[0]] = changed;
    const record = file && whenDue(store, item, linesNow(root, file, item), listener);
    return record ? [{ item, record, changed, gone }] : [];
  });
  const lost = due.flatMap(({ item: { anchors }, gone }) =>
    gone.map((it) => [it, anchors?.[it] ?? ''] as const),
  );
  const placeOf = lost.length === 0 ? undefined : await moves(new Map(lost));
  const asked = due.flatMap(({ item, record, changed: [changed], gone }) => {
    const left = gone.find((it) => placeOf?.(it) === it);
    if (changed === undefined && left === undefined) return [];
    record();
    const said =
      changed === undefined
        ? `note ${item.uid} is about ${inert(left ?? '', 80)}, which is gone`
        : `${inert(changed, 80)} no longer says what note ${item.uid} was written about`;
    return [question(said, item, program)];
  });
  const more = asked.splice(MOST_QUESTIONS).length;
  const others = `lanehold: ${plural(more, 'other note')} may be out of date, see \`${program} note list\`.`;
  return more === 0 ? asked : [...asked, others];
}

/** The lines that the note would be about now. A note about a whole file is not asked about at each edit. */
function linesNow(root: string, file: string, { title, body }: RecallItem): string {
  const now = anchorsOf(root, [file], `${title} ${body}`)[file] ?? 'gone';
  return now.startsWith('lines:') || now === 'gone' ? now : '';
}

const question = (said: string, { uid, title }: RecallItem, program: string): string =>
  `lanehold: ${said}: ${quoted(title, 120)}. Still true: \`${program} note confirm ${uid}\`; else \`note edit\` or \`note remove\`.`;

/**
 * Records the question; `undefined` if it was asked in this session or in two others, until the note or the lines that
 * it is about change again.
 */
function whenDue(
  store: Store,
  { uid, digest }: RecallItem,
  lines: string,
  { agent, session, now: at }: Listener,
): (() => void) | undefined {
  if (session === undefined) return undefined;
  const told = toldStore(store);
  // Questions of all sessions have the same name.
  const everybody = { agent: '', session: '', uid: `doubt:${uid}` };
  const matter = sha256(`${digest} ${lines}`).slice(0, 16);
  const [before, ...sessions] = told.shown('', '', everybody.uid)?.split(' ') ?? [];
  const asked = before === matter ? sessions : [];
  const own = sha256(`${agent} ${session}`).slice(0, 8);
  if (asked.includes(own) || asked.length >= MOST_SESSIONS) return undefined;
  const state = [matter, ...asked, own].join(' ');
  return () => store.write(() => told.show({ ...everybody, digest: state, at, tokens: 0 }));
}
