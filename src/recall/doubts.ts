/** Finds notes whose files have changed or are gone, and asks whether they still hold. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../base/errors.ts';
import { plural } from '../base/text/printable.ts';
import { sha256 } from '../base/text/sha256.ts';
import type { Store } from '../store/open.ts';
import { isFor, type RecallItem } from '../store/recall.ts';
import { toldStore } from '../store/told.ts';
import { anchorsOf, driftOf, isOutdated } from './anchors.ts';
import { inert, quoted } from './fence.ts';
import type { LostFiles } from './renames.ts';
import type { Listener } from './told.ts';

/** The sessions that are asked, one after the other, while none answers. */
const MOST_SESSIONS = 2;
/** The questions of one moment; the others are counted. */
const MOST_QUESTIONS = 3;

/** More files are not looked at: it takes too long after each command. */
const MOST_FILES = 2_000;
/** The notes whose files are read, and those that are listed. A pull may change the files of all notes. */
const MOST_DOUBTED = 20;

/**
 * The ids of the bound notes that were outdated when their files were last looked at, of those whose files have changed
 * since as they are now. All sessions in a folder have the same.
 *
 * @returns `record`: until it is called, the next look finds the same.
 */
export function lookAtFiles(
  store: Store,
  bound: readonly Readonly<Record<'uid' | 'anchors', string>>[],
  { root, now: at }: Listener,
) {
  const uid = `doubted:${root}`;
  const [listed = '', seen = '{}'] = toldStore(store).shown('', '', uid)?.split('\n') ?? [];
  const before = JSON.parse(seen);
  const notes = bound.map(({ uid, anchors }) => ({ uid, anchors: JSON.parse(anchors) }));
  const paths = [...new Set(notes.flatMap(({ anchors }) => Object.keys(anchors)))];
  const files = paths.slice(0, MOST_FILES).map((it) => [it, stateOf(join(root, it))] as const);
  const changed = new Set(files.flatMap(([path, now]) => (before[path] === now ? [] : path)));
  const looked = notes
    .filter(({ anchors }) => Object.keys(anchors).some((it) => changed.has(it)))
    .slice(0, MOST_DOUBTED);
  const known = new Set(looked.map((it) => it.uid));
  const found = looked.filter((it) => isOutdated(root, it)).map((it) => it.uid);
  const earlier = listed.split(' ').filter((it) => !known.has(it));
  const doubted = [...found, ...earlier].slice(0, MOST_DOUBTED);
  const digest = `${doubted.join(' ')}\n${JSON.stringify(Object.fromEntries(files))}`;
  const row = { agent: '', session: '', uid, digest, at, tokens: 0 };
  const record = () => changed.size > 0 && store.write(() => toldStore(store).show(row));
  return { doubted, record };
}

/** What changes with a file, whoever writes it and whatever the clock says; empty if there is none. */
const stateOf = (file: string): string =>
  attempt(() => {
    const { ino, size, ctimeMs } = statSync(file);
    return `${ino} ${size} ${ctimeMs}`;
  }) ?? '';

type Moves = (lost: LostFiles) => Promise<(path: string) => string>;

/** Questions about the notes whose files are not as they were. @param moves tells where lost files are now. */
export async function askAbout(
  store: Store,
  notes: readonly RecallItem[],
  moves: Moves,
  listener: Listener,
): Promise<string[]> {
  const { agent, root, program } = listener;
  const due = notes.flatMap((item) => {
    // A listed note may have been corrected since.
    if (item.status !== 'active' || !isFor(item, agent)) return [];
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
