/** Asks whether notes still hold whose files have changed or are gone. */
import { plural } from '../base/text/printable.ts';
import { sha256 } from '../base/text/sha256.ts';
import type { Store } from '../store/open.ts';
import type { RecallItem } from '../store/recall.ts';
import { toldStore } from '../store/told.ts';
import { anchorsOf, driftOf } from './anchors.ts';
import { inert, quoted } from './fence.ts';
import type { Listener } from './told.ts';

/** The sessions that are asked, one after the other, while none answers. */
const MOST_SESSIONS = 2;
/** The questions of one moment; the others are counted. */
const MOST_QUESTIONS = 3;

/** Questions about the notes whose lines in these files have changed. @param paths relative to the root. */
export function askAboutChanged(
  store: Store,
  notes: readonly RecallItem[],
  paths: readonly string[],
  listener: Listener,
): string[] {
  const { root, program } = listener;
  return notes.flatMap((item) => {
    const file = driftOf(root, item).changed.find((it) => paths.includes(it));
    if (file === undefined) return [];
    const now = anchorsOf(root, [file], `${item.title} ${item.body}`)[file] ?? '';
    // A note about a whole file is not asked about at each edit.
    const record = whenDue(store, item, now.startsWith('lines:') ? now : '', listener);
    if (record === undefined) return [];
    record();
    const said = `${inert(file, 80)} no longer says what note ${item.uid} was written about`;
    return [question(said, item, program)];
  });
}

/** The same for notes with files that are gone. @param renames tells where a path is now. */
export async function askAboutGone(
  store: Store,
  notes: readonly RecallItem[],
  renames: () => Promise<(path: string) => string>,
  listener: Listener,
): Promise<string[]> {
  const { root, program } = listener;
  const due = notes.flatMap((item) => {
    const record = whenDue(store, item, 'gone', listener);
    return record === undefined ? [] : [{ item, record, gone: driftOf(root, item).gone }];
  });
  if (due.length === 0) return [];
  const placeOf = await renames();
  const asked = due.flatMap(({ item, record, gone }) => {
    const file = gone.find((it) => placeOf(it) === it);
    if (file === undefined) return [];
    record();
    return [question(`note ${item.uid} is about ${inert(file, 80)}, which is gone`, item, program)];
  });
  const more = asked.splice(MOST_QUESTIONS).length;
  const others = `lanehold: files of ${plural(more, 'other note')} are gone, see \`${program} note list\`.`;
  return more === 0 ? asked : [...asked, others];
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
