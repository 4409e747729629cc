/** Shows and makes the change of a proposal. A repetition changes nothing. */
import { isDeepStrictEqual } from 'node:util';
import { ExplainedError } from '../../base/errors.ts';
import { diffLines } from '../../base/text/diff.ts';
import { PROPOSED } from '../../recall/dream/rules.ts';
import {
  changeNotes,
  type Notebook,
  noteFile,
  openNotebook,
  type ReadNote,
} from '../../recall/notes.ts';
import { putItem } from '../../recall/put-item.ts';
import { guardStore } from '../../store/guards.ts';
import type { Operation } from '../../store/operations.ts';
import { recallStore } from '../../store/recall.ts';
import { type AppContext, openFeatures, openProject } from '../context.ts';
import { addFeature } from '../hold/feature-editing.ts';
import { addGuard, removeGuard } from '../hold/guards.ts';
import { defined } from '../values.ts';
import { addNote, editNote, rejectNote, setAside } from './note-editing.ts';

type Create = Extract<Operation, { op: 'create' }>;

/** The change as lines with `-` and `+`. */
export function operationDiff(book: Notebook, operation: Operation): string[] {
  switch (operation.op) {
    case 'create':
      return [
        `+ ${pathOf(operation)} (${operation.kind})`,
        ...added(operation.title, operation.body),
        ...operation.files.map((it) => `+ about ${it}`),
        ...operation.from.map((it) => `- suggestion ${it}`),
      ];
    case 'update': {
      const { header, body } = noteOf(book, operation.note).note;
      const after = `${operation.title ?? header.title}\n${operation.body ?? body}`;
      return diffLines(`${header.title}\n${body}`, after);
    }
    case 'merge':
      return operation.notes.flatMap((it) => statusDiff(book, it, operation.into));
    case 'supersede':
      return statusDiff(book, operation.note, operation.by);
    case 'archive': {
      const { header } = noteOf(book, operation.note).note;
      return [`  ${header.title}`, `- status: ${header.status}`, '+ status: archived'];
    }
    case 'guard':
      return [`+ before edits of ${operation.files}:`, ...added(operation.rule)];
    case 'unguard':
      return [`- rule ${operation.guard}`];
    case 'feature':
      return [
        `+ feature ${operation.name}`,
        ...operation.files.map((it) => `+   ${it}`),
        ...operation.smoke.map((it) => `+   verified by: ${it}`),
      ];
  }
}

const added = (...texts: readonly string[]) =>
  texts.flatMap((text) => (text === '' ? [] : text.split('\n').map((it) => `+ ${it}`)));

function statusDiff(book: Notebook, note: string, by: string): string[] {
  const [older, newer] = [note, by].map((it) => noteOf(book, it).note);
  return [
    `- ${older?.header.title}`,
    `+ ${newer?.header.title}`,
    '- status: active',
    `+ status: superseded by ${by}`,
  ];
}

function noteOf(book: Notebook, uid: string): ReadNote {
  const found = book.all().find(({ note }) => note.header.id === uid);
  if (found !== undefined) return found;
  throw new ExplainedError(`there is no note ${uid} any more`, {
    hint: 'reject the proposal, or see `lanehold note list --all`',
  });
}

/** @param id the proposal's id, which ends the note's path, so that it is written only once. */
export async function perform(
  context: AppContext,
  id: string,
  operation: Operation,
): Promise<void> {
  switch (operation.op) {
    case 'create':
      return create(context, operation);
    case 'update':
      return update(context, operation);
    case 'merge': {
      for (const it of operation.notes) await supersede(context, it, operation.into);
      return;
    }
    case 'supersede':
      return supersede(context, operation.note, operation.by);
    case 'archive': {
      await rejectNote(context, operation.note);
      return;
    }
    case 'guard': {
      const { store, projectId } = await openProject(context);
      const rules = guardStore(store).list(projectId);
      const { files, rule } = operation;
      if (rules.some((it) => it.files === files && it.rule === rule)) return;
      await addGuard(context, { files, rule, deny: false, reason: `${PROPOSED}${id}` });
      return;
    }
    case 'unguard': {
      const { store, projectId } = await openProject(context);
      const isThere = guardStore(store)
        .list(projectId)
        .some(({ uid }) => uid === operation.guard);
      if (isThere) await removeGuard(context, operation.guard);
      return;
    }
    case 'feature': {
      const { name, files, smoke } = operation;
      const { registry } = await openFeatures(context);
      const before = registry.features.get(name);
      if (before !== undefined && isDeepStrictEqual([...before.files], [...files])) return;
      await addFeature(context, name, { files, smoke });
    }
  }
}

function pathOf({ kind, title }: Create): string {
  const words = title.toLowerCase().match(/[a-z0-9]+/g) ?? ['note'];
  return `project/${kind}s/${words.slice(0, 7).join('-').slice(0, 80)}`;
}

async function create(context: AppContext, operation: Create): Promise<void> {
  const { kind, title, body, files, from } = operation;
  const workspace = await openProject(context);
  const path = pathOf(operation);
  const file = noteFile(workspace, path);
  const there = openNotebook(workspace).all();
  const isDone = there.some((it) => it.file === file && it.note.header.title === title);
  if (!isDone) await addNote(context, { path, kind, title, body, files, source: 'dream' });
  const recall = recallStore(workspace.store);
  workspace.store.write(() => {
    for (const uid of from) {
      const item = recall.find(uid);
      if (item?.status === 'suggested') putItem(recall, { ...item, status: 'archived' });
    }
  });
}

async function update(
  context: AppContext,
  { note, title, body }: Extract<Operation, { op: 'update' }>,
): Promise<void> {
  const before = noteOf(openNotebook(await openProject(context)), note);
  // An edited note has a new id; the earlier text is the superseded one.
  if (before.note.header.status === 'superseded') return;
  await editNote(context, note, { ...defined({ title, body }), source: 'dream' });
}

async function supersede(context: AppContext, note: string, by: string): Promise<void> {
  await changeNotes(await openProject(context), (book) => {
    noteOf(book, by);
    const older = noteOf(book, note);
    if (older.note.header.status !== 'superseded') setAside(book, older, by);
  });
}
