/** Deletes what is remembered for good: rows, documents of notes, backups. */
import { closeSync, openSync, readdirSync, readSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { attempt, UsageError } from '../../base/errors.ts';
import { takeLateNow } from '../../recall/late.ts';
import { indexNotes } from '../../recall/notes.ts';
import { compact, type ForgetWish, forgetInBackups, forgetting } from '../../store/forget.ts';
import type { Store } from '../../store/open.ts';
import { agreedBy } from '../agreement.ts';
import { type AppContext, openProject } from '../context.ts';
import { showSession } from './sessions.ts';

/** A selection by all given fields: from `since` on, and before `until`. */
export interface ForgetRequest {
  readonly words: readonly string[];
  readonly session?: string | undefined;
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
  /** `whole`: all of this project; `everywhere`: matches in any project. */
  readonly reach: 'project' | 'whole' | 'everywhere';
}

export type Forgettable = Awaited<ReturnType<typeof whatForgets>>;
export type Forgotten = Awaited<ReturnType<typeof forget>>;

/** Lists what would be deleted. @throws {UsageError} if nothing is selected. */
export async function whatForgets(context: AppContext, request: ForgetRequest) {
  return (await planned(context, request)).plan;
}

/** @throws {ExplainedError} if an agent runs this, and no person was asked about exactly it. */
export async function forget(context: AppContext, request: ForgetRequest) {
  const { plan, wish, workspace } = await planned(context, request);
  const { store } = workspace;
  await agreedBy(context, workspace, 'deletion');
  // Documents are deleted first, because they would be read again.
  for (const { path } of plan.entries) if (path !== null) rmSync(path, { force: true });
  const { changed, unreadable } = deleteAll(store, wish);
  const mentioning =
    wish.words.length === 0 ? [] : filesWith(store.home.root, wish.words.join(' '));
  const left = new Set([...unreadable, ...mentioning].map((it) => relative(store.home.root, it)));
  return {
    ...plan,
    /** Backups that also had it. */
    backups: changed,
    /** Files of lanehold that still have the words, or unreadable backups; relative to its home. */
    left: [...left],
  };
}

/** Deletes from the database, its backups, and the bytes of the files. */
export function deleteAll(store: Store, wish: ForgetWish) {
  store.write(() => forgetting(store.db, store.home, wish).drop());
  const inBackups = forgetInBackups(store.home, wish);
  compact(store.db, store.home.database);
  return inBackups;
}

async function planned(context: AppContext, request: ForgetRequest) {
  const { words, session, since, until, reach } = request;
  if (reach !== 'whole' && words.length === 0 && !(session ?? since ?? until)) {
    throw new UsageError('nothing says what to forget', {
      hint: 'give words, --session, --since or --until, or --project for all of this project',
    });
  }
  const workspace = await openProject(context);
  const { store, place } = workspace;
  takeLateNow(store);
  indexNotes(workspace);
  const of = session === undefined ? undefined : await showSession(context, session);
  const wish: ForgetWish = {
    project: reach === 'everywhere' ? null : place.identity,
    words: words.flatMap((it) => it.split(/\s+/)).filter((it) => it !== ''),
    session: of === undefined ? null : { agent: of.agent, session: of.session },
    since: since ?? null,
    until: until ?? null,
  };
  const found = forgetting(store.db, store.home, wish);
  const rows = found.rows();
  const plan = {
    events: rows.filter(({ uid }) => uid === null).length,
    items: rows.filter(({ uid }) => uid !== null).length,
    others: found.others(),
    /** The oldest first; times are ISO 8601. */
    entries: rows.map(({ at, ...row }) => ({ ...row, at: new Date(at).toISOString() })),
    /** Notes in the repository, which stay. */
    shared: found.shared(),
  };
  return { plan, wish, workspace };
}

/** Folders of working trees and compiled code, which are not searched. */
const SKIPPED = new Set(['worktrees', 'cache']);
const BLOCK = 1_000_000;

function filesWith(folder: string, text: string): string[] {
  const wanted = [text, text.toLowerCase()].map((it) => Buffer.from(it));
  const entries = attempt(() => readdirSync(folder, { withFileTypes: true })) ?? [];
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : filesWith(path, text);
    return entry.isFile() && attempt(() => hasBytes(path, wanted)) ? [path] : [];
  });
}

/** Whether a file has one of the texts; it is read in blocks, since logs may be large. */
function hasBytes(file: string, wanted: readonly Buffer[]): boolean {
  const overlap = Math.max(...wanted.map(({ length }) => length)) - 1;
  const block = Buffer.alloc(BLOCK + overlap);
  const descriptor = openSync(file, 'r');
  try {
    for (let at = 0; ; at += BLOCK) {
      const read = block.subarray(0, readSync(descriptor, block, 0, block.length, at));
      if (wanted.some((it) => read.includes(it))) return true;
      if (read.length < block.length) return false;
    }
  } finally {
    closeSync(descriptor);
  }
}
