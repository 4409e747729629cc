/** Deletes what is remembered for good: rows, documents of notes, backups; and what is older than it is kept. */
import { rmSync } from 'node:fs';
import { relative } from 'node:path';
import { ownRecall } from '../../base/config/own-recall.ts';
import { UsageError } from '../../base/errors.ts';
import { CHECKOUT_MS, gitIn } from '../../base/git/git-in.ts';
import { splitNul } from '../../base/git/paths.ts';
import { parseAge } from '../../base/text/time.ts';
import { takeLateNow } from '../../recall/late.ts';
import { indexNotes } from '../../recall/notes.ts';
import { putSummary } from '../../recall/summaries.ts';
import { compact, type ForgetWish, forgetInBackups, forgetting } from '../../store/forget.ts';
import type { Store } from '../../store/open.ts';
import { type PruneLimits, prunable, prune } from '../../store/prune.ts';
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
  const { root } = store.home;
  await agreedBy(context, workspace, 'deletion');
  // Documents are deleted first, because they would be read again.
  for (const { path } of plan.entries) if (path !== null) rmSync(path, { force: true });
  const { changed, unreadable } = deleteAll(store, wish);
  const mentioning =
    wish.words.length === 0 ? [] : await filesWith(root, wish.words.join(' '), context.env);
  const left = new Set([...unreadable.map((it) => relative(root, it)), ...mentioning]);
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
  store.write(() => {
    const wanted = forgetting(store.db, store.home, wish);
    const sessions = wanted.sessions();
    wanted.drop();
    // The summary of a session that lost a part is made again; it is deleted if it still has the words.
    for (const it of sessions) putSummary(store, it);
    wanted.drop();
  });
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

const GREP = ['grep', '--no-index', '-l', '-z', '--text', '-i', '-F', '-e'];
/** Folders of working trees and compiled code. */
const SKIPPED = [':(exclude)worktrees', ':(exclude)cache'];

/** Relative to the folder, with its logs and the database. */
async function filesWith(folder: string, text: string, env: AppContext['env']): Promise<string[]> {
  const git = gitIn(folder, env, { timeoutMs: CHECKOUT_MS });
  return splitNul((await git.maybe([...GREP, text, '--', '.', ...SKIPPED], [1])) ?? '');
}

/**
 * Deletes records that are older than the user's limits.
 *
 * @param olderThan an age that replaces all settings.
 * @throws {ExplainedError} if an agent gives one, and no person was asked.
 */
export async function pruneRecall(
  context: AppContext,
  { olderThan, dryRun }: { readonly olderThan?: string | undefined; readonly dryRun: boolean },
) {
  const workspace = await openProject(context);
  const { store } = workspace;
  const keptFor = (name: 'keepEvents' | 'keepSuggestions' | 'keepSummaries') =>
    olderThan ?? ownRecall(context.env, name).value;
  const kept = {
    keepEvents: keptFor('keepEvents'),
    keepSuggestions: keptFor('keepSuggestions'),
    keepSummaries: keptFor('keepSummaries'),
  };
  const limits: PruneLimits = {
    events: limitOf(kept.keepEvents, context.now()),
    suggestions: limitOf(kept.keepSuggestions, context.now()),
    summaries: limitOf(kept.keepSummaries, context.now()),
  };
  if (dryRun) return { ...prunable(store, limits), kept };
  if (olderThan !== undefined) await agreedBy(context, workspace, 'deletion');
  takeLateNow(store);
  return { ...prune(store, limits), kept };
}

function limitOf(age: string, now: Date): Date | null {
  const ms = parseAge(age);
  return ms === undefined ? null : new Date(now.getTime() - ms);
}
