/**
 * Decides which remote-tracking refs are what the address of their remote has. Any program can write a ref, and can
 * give a remote another address. So a ref counts as it was noted for that address: when a session started, after a
 * fetch, whose address git writes down, or after a push that was seen.
 */
import { lstatSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { attempt } from '../errors.ts';
import { readPlainFile, startOfFile } from '../files/plain-file.ts';
import { makePrivateFolder } from '../files/private-folder.ts';
import { PRIVATE, replaceFile } from '../files/replace-file.ts';
import { parsedObject } from '../text/json.ts';
import { plainAddress } from './address.ts';
import type { Git } from './git.ts';
import { placeOfGit } from './project.ts';
import { type Refs, refsAsTheyAre } from './refs.ts';
import { addressesOf, trackingRefs } from './remotes.ts';

/** The commits of each address: by the names of their refs here, or by their ids. */
type Notes = ReadonlyMap<string, Readonly<Record<string, string>>>;

/** The file is in the directory that all working trees share, so it is copied and moved with the refs. */
const notesFile = (git: Git): string => join(placeOfGit(git).identity, 'lanehold/remotes');

/** The notes; `undefined` if no session has started here. */
function notesOf(git: Git): Notes | undefined {
  const text = attempt(() => readPlainFile(notesFile(git)));
  const found = text === undefined ? undefined : parsedObject(text);
  return found && new Map(Object.entries(found as Record<string, Record<string, string>>));
}

function write(git: Git, notes: Notes): void {
  const file = notesFile(git);
  const text = `${JSON.stringify(Object.fromEntries(notes))}\n`;
  // A repository that cannot be written has no refs that change.
  attempt(() => {
    makePrivateFolder(dirname(file));
    const isOurs = lstatSync(dirname(file)).isDirectory();
    if (isOurs && readPlainFile(file) !== text) replaceFile(file, text, { mode: PRIVATE });
  });
}

/** Notes all remotes as they are: earlier fetches and pushes are unknown. */
function noteRemotes(git: Git, refs: Refs): void {
  const notes = new Map<string, Record<string, string>>();
  for (const remote of refs.remotes) {
    const had = trackingRefs(refs, remote).map((it) => [it, refs.oids.get(it) ?? '']);
    for (const address of allAddresses(refs, remote)) {
      notes.set(address, { ...notes.get(address), ...Object.fromEntries(had) });
    }
  }
  write(git, notes);
}

const allAddresses = (refs: Refs, remote: string): string[] => [
  ...addressesOf(refs, remote, 'push'),
  ...addressesOf(refs, remote, 'fetch'),
];

/** Adds commits that an address now has, if notes are kept. */
export function noteCommits(
  git: Git,
  added: Iterable<readonly [address: string, oids: Iterable<string>]>,
): void {
  const notes = notesOf(git);
  if (notes === undefined) return;
  const all = new Map(notes);
  for (const [address, oids] of added) {
    const own = Object.fromEntries([...oids].map((it) => [it, it]));
    all.set(address, { ...all.get(address), ...own });
  }
  write(git, all);
}

/** Notes the last fetch from git's own record, which the next fetch replaces. */
export const noteFetched = (git: Git): void => noteCommits(git, fetched(git));

/** @see https://git-scm.com/docs/git-fetch#_output */
function fetched(git: Git): ReadonlyMap<string, ReadonlySet<string>> {
  const { identity, gitDir = identity } = placeOfGit(git);
  const linked = attempt(() => readdirSync(join(identity, 'worktrees'))) ?? [];
  const folders = [identity, gitDir, ...linked.map((it) => join(identity, 'worktrees', it))];
  const found = new Map<string, Set<string>>();
  for (const folder of new Set(folders)) {
    const text = attempt(() => readPlainFile(join(folder, 'FETCH_HEAD'))) ?? '';
    for (const [, oid = '', from = ''] of text.matchAll(FETCHED)) {
      const address = plainAddress(from, git.directory);
      found.set(address, (found.get(address) ?? new Set()).add(oid));
    }
  }
  return found;
}

/** `<oid> <tab> not-for-merge <tab> branch 'main' of <address>`; what is between tabs and address may be missing. */
const FETCHED = /^([0-9a-f]{40,64})\t[^\t\n]*\t(?:[^\n]*?' of )?([^\n]+)$/gm;

/**
 * @param config `key=value` settings of the command line; they count last.
 * @param at given when a session starts: the present refs are then taken for what remotes have.
 */
export async function readRefs(
  git: Git,
  config: readonly string[],
  at?: 'session-start',
): Promise<Refs> {
  const refs = await refsAsTheyAre(git, config);
  if (at === undefined) return asKnown(git, refs);
  noteRemotes(git, refs);
  return refs;
}

/** The refs; for a remote-tracking ref that is in doubt, the noted commit counts. */
function asKnown(git: Git, refs: Refs): Refs {
  const seen = { notes: notesOf(git), lately: fetched(git) };
  const oids = new Map(refs.oids);
  const unknown = new Map<string, string>();
  for (const remote of refs.remotes) {
    const { isBelieved, known, before } = knownOf(git, refs, remote, seen);
    for (const name of trackingRefs(refs, remote)) {
      const oid = refs.oids.get(name) ?? '';
      if (known.has(oid)) continue;
      unknown.set(name, oid);
      if (isBelieved) continue;
      if (before[name] === undefined) oids.delete(name);
      else oids.set(name, before[name]);
    }
  }
  return { ...refs, oids, unknown };
}

interface Seen {
  readonly notes: Notes | undefined;
  readonly lately: ReadonlyMap<string, ReadonlySet<string>>;
}

function knownOf(git: Git, refs: Refs, remote: string, { notes, lately }: Seen) {
  const to = addressesOf(refs, remote, 'push');
  const all = allAddresses(refs, remote);
  const isBelieved = notes === undefined && !isClonedFromElsewhere(git, refs, all);
  const isNoted = notes !== undefined && all.every((it) => notes.has(it));
  // A fetch from one address says nothing about another address for pushes, unless both were there before.
  const oids = (isBelieved || isNoted ? all : to).flatMap((it) => [
    ...Object.values(notes?.get(it) ?? {}),
    ...(lately.get(it) ?? []),
  ]);
  return { isBelieved, known: new Set(oids), before: (isNoted && notes.get(to[0] ?? '')) || {} };
}

/** True if git has written down that it cloned from another address, which was changed later. */
function isClonedFromElsewhere(git: Git, refs: Refs, addresses: readonly string[]): boolean {
  const log = startOfFile(join(placeOfGit(git).identity, 'logs/HEAD'), 4_096).toString('utf8');
  const [, source] = /^[^\n]*\tclone: from ([^\n]+)\n/.exec(log) ?? [];
  return source !== undefined && !addresses.includes(refs.destinationOf(source, 'fetch'));
}
