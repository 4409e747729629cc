/**
 * Records of events for which the database was locked for too long: those of one event are a file, which a later
 * event or command takes in. The first line has the event's id and answer, so that it counts as answered once the
 * records are taken in, and they never are a second time.
 */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../base/errors.ts';
import { type Home, privateFolder } from '../base/files/home.ts';
import { PRIVATE, replaceFile } from '../base/files/replace-file.ts';
import { isJsonObject, jsonLine } from '../base/text/json.ts';
import { type Decision, decisionStore } from '../store/decisions.ts';
import { type AnsweredEvent, hookEventStore } from '../store/hook-events.ts';
import type { Store } from '../store/open.ts';

/** Redacted already. */
export interface LateRecord {
  readonly decision: Decision;
}

const END = '.jsonl';
/** Beyond this a database that nobody repairs has made them, and no more are written. */
const MOST_FILES = 5_000;

/** @throws what the file system throws. */
export function keepLate(home: Home, event: AnsweredEvent, records: readonly LateRecord[]): void {
  const folder = privateFolder(home.late);
  if (readdirSync(folder).length > MOST_FILES) return;
  const name = event.id.replaceAll(/[^\w-]/g, '_');
  const lines = [event, ...records].map((it) => `${JSON.stringify(it)}\n`);
  replaceFile(join(folder, `${name}${END}`), lines.join(''), { mode: PRIVATE });
}

/** Takes them in. Call it inside a write. @returns the files, to be deleted once that is committed. */
export function takeLate(store: Store): readonly string[] {
  const names = attempt(() => readdirSync(store.home.late)) ?? [];
  const files = names.filter((it) => it.endsWith(END)).map((it) => join(store.home.late, it));
  const events = files.flatMap((file) => {
    const text = attempt(() => readFileSync(file, 'utf8')) ?? '';
    const [event, ...records] = text.split('\n').flatMap((it) => jsonLine(it) ?? []);
    return event === undefined ? [] : [{ event: event as object as AnsweredEvent, records }];
  });
  const time = ({ event }: (typeof events)[number]) => Date.parse(String(event.at));
  for (const { event, records } of events.toSorted((one, other) => time(one) - time(other))) {
    const { id, at, answer } = event;
    const isNew = attempt(() => hookEventStore(store).add({ id, at: new Date(at), answer }));
    if (isNew !== true) continue;
    for (const it of records) attempt(() => add(store, it as object as LateRecord));
  }
  return files;
}

function add(store: Store, { decision }: LateRecord): void {
  if (isJsonObject(decision)) {
    decisionStore(store).add({ ...decision, at: new Date(decision.at) });
  }
}

export function dropTaken(files: readonly string[]): void {
  for (const file of files) attempt(() => rmSync(file, { force: true }));
}
