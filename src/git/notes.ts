/**
 * Lines that travel with commits, in git notes under one ref. A note is a set of lines: what two
 * people add at the same time is merged as a union, and nobody's line is ever taken away.
 */
import { randomUUID } from 'node:crypto';
import { ExplainedError } from '../errors.ts';
import { blobsAt } from './blobs.ts';
import type { Git } from './git.ts';

export const NOTES_REF = 'refs/notes/lanehold';

/** Anybody who may push can put anything there: what is read is bounded. */
const MAX_NOTE_BYTES = 4 * 1024 * 1024;
const MAX_BYTES = 32 * 1024 * 1024;
const MAX_NOTES = 1_000;

/** Each try reads anew what was changed meanwhile. */
const ATTEMPTS = 10;

export interface Note {
  readonly commit: string;
  readonly lines: readonly string[];
}

export interface Notes {
  /** Newest commit first. */
  readonly notes: readonly Note[];
  /** How many notes were left out because there are too many, or because they are too large. */
  readonly unread: number;
}

/** Somebody else changes the same ref faster than it can be merged. */
class NotesBusyError extends ExplainedError {
  override readonly code = 'NOTES_BUSY';

  constructor(where: string, detail: string) {
    super(`cannot write ${NOTES_REF} ${where}: ${detail}`, {
      hint: 'run it again; if it stays, see whether you may push that ref',
    });
  }
}

/** The notes of commits that are here; those of commits that are not say nothing about this tree. */
export async function readNotes(git: Git, first: string): Promise<Notes> {
  const listing = await git.maybe(['notes', `--ref=${NOTES_REF}`, 'list'], [1, 128]);
  const blobs = new Map<string, string>();
  for (const line of (listing ?? '').split('\n')) {
    const [blob, commit] = line.split(' ');
    if (blob && commit) blobs.set(commit, blob);
  }
  if (blobs.size === 0) return { notes: [], unread: 0 };
  const args = ['rev-list', '--no-walk=sorted', '--ignore-missing', '--stdin'];
  const here = await git.text(args, [...blobs.keys()].map((it) => `${it}\n`).join(''));
  const others = here.split('\n').filter((it) => it !== '' && it !== first);
  const commits = [...(blobs.has(first) ? [first] : []), ...others];
  return readBlobs(
    git,
    commits.map((commit) => ({ commit, blob: blobs.get(commit) ?? '' })),
  );
}

async function readBlobs(
  git: Git,
  noted: readonly { commit: string; blob: string }[],
): Promise<Notes> {
  const sizes = await git.text(
    ['cat-file', '--batch-check=%(objecttype) %(objectsize)'],
    noted.map(({ blob }) => `${blob}\n`).join(''),
  );
  let bytes = 0;
  const fitting = noted.filter((_, at) => {
    const [type, size] = sizes.split('\n')[at]?.split(' ') ?? [];
    const own = Number(size);
    if (type !== 'blob' || !(own <= MAX_NOTE_BYTES) || bytes + own > MAX_BYTES) return false;
    bytes += own;
    return true;
  });
  const wanted = fitting.slice(0, MAX_NOTES);
  const texts = await blobsAt(
    git,
    wanted.map(({ blob }) => blob),
  );
  const notes = wanted.map(({ commit }, at) => ({ commit, lines: linesOf(texts[at]) }));
  return { notes, unread: noted.length - notes.length };
}

export async function noteLines(git: Git, commit: string, ref = NOTES_REF): Promise<string[]> {
  return linesOf(await git.maybe(['notes', `--ref=${ref}`, 'show', commit], [1]));
}

/** Adds lines to the note of a commit. Returns how many of them were not there yet. */
export async function addNoteLines(
  git: Git,
  commit: string,
  lines: readonly string[],
): Promise<number> {
  let added = 0;
  await change(git, async (ref) => {
    const before = await noteLines(git, commit, ref);
    const all = [...new Set([...before, ...lines])].sort();
    added = all.length - new Set(before).size;
    if (added === 0) return;
    const blob = (
      await git.text(['hash-object', '-w', '--stdin'], all.map((it) => `${it}\n`).join(''))
    ).trim();
    const identity = await identitySettings(git);
    // By `-C`: text that git is given in another way it tidies up.
    await git.text([...identity, 'notes', `--ref=${ref}`, 'add', '--force', '-C', blob, commit]);
  });
  return added;
}

/** Brings what a remote has into the ref here. Returns the remote's tip. */
export async function fetchNotes(
  git: Git,
  network: Git,
  remote: string,
): Promise<string | undefined> {
  const fetched = stagingRef();
  try {
    // Without `--refmap=` a configured refspec for notes would overwrite what is here.
    const args = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--refmap=', '--force'];
    const { exitCode, stderr } = await network.attempt([
      ...args,
      '--no-auto-maintenance',
      '--no-recurse-submodules',
      '--',
      remote,
      `${NOTES_REF}:${fetched}`,
    ]);
    if (exitCode !== 0) {
      if (/couldn't find remote ref/i.test(stderr)) return undefined;
      throw new ExplainedError(`cannot fetch ${NOTES_REF} of ${remote}: ${lastLine(stderr)}`, {
        hint: `\`git fetch ${remote}\` says more`,
      });
    }
    const theirs = await tipOf(git, fetched);
    await change(git, (ref) => merge(git, ref, fetched));
    return theirs;
  } finally {
    await git.attempt(['update-ref', '-d', fetched]);
  }
}

/** Sends the ref, after having merged what the remote has; again, if that moved meanwhile. */
export async function pushNotes(
  git: Git,
  network: Git,
  remote: string,
): Promise<'sent' | 'nothing-new'> {
  let refusal = '';
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const theirs = await fetchNotes(git, network, remote);
    const ours = await tipOf(git, NOTES_REF);
    if (ours === undefined || ours === theirs) return 'nothing-new';
    // No hook of the repository: what leaves is evidence, and no work.
    const options = ['--porcelain', '--no-verify', '--no-follow-tags', '--recurse-submodules=no'];
    const { exitCode, stdout, stderr } = await network.attempt([
      'push',
      ...options,
      '--',
      remote,
      `${ours}:${NOTES_REF}`,
    ]);
    if (exitCode === 0) return 'sent';
    refusal = /^!\t[^\t]*\t(.*)$/m.exec(stdout)?.[1] ?? lastLine(stderr);
    if (exitCode !== 1) break;
  }
  throw new NotesBusyError(`of ${remote}`, refusal);
}

/** Changes a copy of the ref and swaps it in, if nobody else has changed the ref meanwhile. */
async function change(git: Git, work: (ref: string) => Promise<void>): Promise<void> {
  let refusal = '';
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const copy = stagingRef();
    try {
      const before = await tipOf(git, NOTES_REF);
      if (before !== undefined) await git.text(['update-ref', copy, before]);
      await work(copy);
      const after = await tipOf(git, copy);
      if (after === undefined || after === before) return;
      const swapped = await git.attempt(['update-ref', NOTES_REF, after, before ?? '']);
      if (swapped.exitCode === 0) return;
      refusal = lastLine(swapped.stderr);
    } finally {
      await git.attempt(['update-ref', '-d', copy]);
    }
  }
  throw new NotesBusyError('here', refusal);
}

async function merge(git: Git, ref: string, theirs: string): Promise<void> {
  const ours = await tipOf(git, ref);
  const tip = (await tipOf(git, theirs)) ?? '';
  if (ours === undefined) {
    await git.text(['update-ref', ref, tip]);
    return;
  }
  const identity = await identitySettings(git);
  const strategy = ['--quiet', '--strategy=cat_sort_uniq'];
  await git.text([...identity, 'notes', `--ref=${ref}`, 'merge', ...strategy, theirs]);
}

/** A build machine often has no name of its own, and a note is a commit. */
async function identitySettings(git: Git): Promise<readonly string[]> {
  const { exitCode } = await git.attempt(['var', 'GIT_COMMITTER_IDENT']);
  if (exitCode === 0) return [];
  return ['-c', 'user.name=lanehold', '-c', 'user.email=lanehold@localhost'];
}

/** git merges notes only below `refs/notes/`. */
function stagingRef(): string {
  return `refs/notes/lanehold-staging-${process.pid}-${randomUUID()}`;
}

async function tipOf(git: Git, ref: string): Promise<string | undefined> {
  return (await git.maybe(['rev-parse', '--verify', '--quiet', ref]))?.trim();
}

function linesOf(text: string | undefined): string[] {
  return (text ?? '').split('\n').filter((line) => line.trim() !== '');
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}
