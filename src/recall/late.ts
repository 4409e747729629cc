/**
 * Records of events for which the database was locked for too long. Those of one event are a file, which a later event
 * or command adds to the database. The first line has the event's id and answer: the event counts as answered once its
 * records are added, and they are not added twice.
 */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../base/errors.ts';
import { type Home, privateFolder } from '../base/files/home.ts';
import { PRIVATE, replaceFile } from '../base/files/replace-file.ts';
import { type JsonObject, jsonLine } from '../base/text/json.ts';
import { type Decision, decisionStore } from '../store/decisions.ts';
import { type AnsweredEvent, hookEventStore } from '../store/hook-events.ts';
import type { Store } from '../store/open.ts';
import { addObserved, type Observed } from './observed.ts';

/** A record whose secrets are already removed. */
export type LateRecord = Observed | { readonly decision: Decision };

const END = '.jsonl';
/** With more files the database is evidently never repaired, and no more are written. */
const MOST_FILES = 5_000;

/** @throws the errors of the file system. */
export function keepLate(home: Home, event: AnsweredEvent, records: readonly LateRecord[]): void {
  const folder = privateFolder(home.late);
  if (readdirSync(folder).length > MOST_FILES) return;
  const name = event.id.replaceAll(/[^\w-]/g, '_');
  const lines = [event, ...records].map((it) => `${JSON.stringify(it)}\n`);
  replaceFile(join(folder, `${name}${END}`), lines.join(''), { mode: PRIVATE });
}

/** Adds them to the database, inside a write. @returns the files, to be deleted once that is committed. */
export function takeLate(store: Store): readonly string[] {
  const events = lateFiles(store.home).flatMap((file) => attempt(() => readLate(file)) ?? []);
  const inOrder = events.toSorted((one, other) => one.at.getTime() - other.at.getTime());
  for (const { id, at, answer, records } of inOrder) {
    if (!hookEventStore(store).add({ id, at, answer })) continue;
    for (const it of records) attempt(() => add(store, it));
  }
  return inOrder.map(({ file }) => file);
}

export function dropTaken(files: readonly string[]): void {
  for (const file of files) attempt(() => rmSync(file, { force: true }));
}

/** The same for a command: adds the records of the files to the database, and deletes the files. */
export function takeLateNow(store: Store): void {
  if (lateFiles(store.home).length > 0) dropTaken(store.write(() => takeLate(store)));
}

function lateFiles(home: Home): string[] {
  const names = (existsSync(home.late) && attempt(() => readdirSync(home.late))) || [];
  return names.filter((it) => it.endsWith(END)).map((it) => join(home.late, it));
}

interface LateEvent extends AnsweredEvent {
  readonly file: string;
  readonly records: readonly JsonObject[];
}

function readLate(file: string): LateEvent {
  const lines = readFileSync(file, 'utf8').split('\n').map(jsonLine);
  const [{ id, at, answer } = {}, ...records] = lines.filter((it) => it !== undefined);
  return { id: String(id), at: new Date(String(at)), answer: String(answer), records, file };
}

/** A line that is no record of this version is ignored: the database refuses a record that lacks a field. */
function add(store: Store, record: JsonObject): void {
  const { decision, ...observed } = record as object as Observed & { readonly decision?: Decision };
  if (decision === undefined) addObserved(store, observed);
  else decisionStore(store).add({ ...decision, at: new Date(decision.at) });
}
