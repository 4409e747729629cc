/**
 * Lines attached to commits, in git notes under one ref. A note is a set of lines: concurrent
 * additions are merged as a union, and no line is ever removed.
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ExplainedError } from '../errors.ts';
import { withLock } from '../process/with-lock.ts';
import { type Git, reasonIn, type Transfer } from './git.ts';
import { blobsAt } from './paths.ts';
import { refAt } from './plumbing.ts';
import { placeOfGit } from './project.ts';

export const NOTES_REF = 'refs/notes/lanehold';

/** Limits on what is read: everyone who may push can put anything there. */
const MAX_NOTE_BYTES = 4 * 1024 * 1024;
const MAX_BYTES = 32 * 1024 * 1024;
const MAX_NOTES = 1_000;

/** The most tries: each reads again what others have changed meanwhile. */
const ATTEMPTS = 10;

export interface Note {
  readonly commit: string;
  readonly lines: readonly string[];
}

export interface Notes {
  /** Newest commit first. */
  readonly notes: readonly Note[];
  /** Number of notes that were left out because they are too many or too large. */
  readonly unread: number;
}

/**
 * The notes of commits that this repository has.
 *
 * @param first the commit whose note is read first, if the limits are reached.
 */
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
  const blobOf = (commit: string) => blobs.get(commit) ?? '';
  const check = ['cat-file', '--batch-check=%(objecttype) %(objectsize)'];
  const answers = await git.text(check, commits.map((it) => `${blobOf(it)}\n`).join(''));
  const sizes = answers.split('\n');
  let bytes = 0;
  const fitting = commits.filter((_, at) => {
    const [type, size] = sizes[at]?.split(' ') ?? [];
    const own = Number(size);
    if (type !== 'blob' || !(own <= MAX_NOTE_BYTES) || bytes + own > MAX_BYTES) return false;
    bytes += own;
    return true;
  });
  const wanted = fitting.slice(0, MAX_NOTES);
  const texts = await blobsAt(git, wanted.map(blobOf));
  const notes = wanted.map((commit, at) => ({ commit, lines: linesOf(texts[at]) }));
  return { notes, unread: commits.length - notes.length };
}

export async function noteLines(git: Git, commit: string): Promise<string[]> {
  return linesOf(await git.maybe(['notes', `--ref=${NOTES_REF}`, 'show', commit], [1]));
}

export const addNoteLines = (git: Git, commit: string, lines: readonly string[]): Promise<void> =>
  alone(git, async () => {
    const before = await noteLines(git, commit);
    const text = [...new Set([...before, ...lines])].sort().map((it) => `${it}\n`);
    const blob = (await git.text(['hash-object', '-w', '--stdin'], text.join(''))).trim();
    const identity = await identitySettings(git);
    // The option `-C` is used because git reformats text that it gets in another way.
    const add = ['notes', `--ref=${NOTES_REF}`, 'add', '--force', '-C', blob, commit];
    await git.text([...identity, ...add]);
  });

/** Merges the remote's notes into the local ref. Returns the remote's tip, if it has one. */
export async function fetchNotes(git: Git, remote: string, transfer: Transfer = {}) {
  // Git merges notes only below `refs/notes/`.
  const fetched = `refs/notes/lanehold-staging-${process.pid}-${randomUUID()}`;
  try {
    // Without `--refmap=`, a configured refspec for notes would overwrite the local ref.
    const args = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--refmap=', '--force'];
    args.push('--no-auto-maintenance', '--no-recurse-submodules', '--', remote);
    const network = git.at(git.directory, { ...transfer, network: true });
    const { exitCode, stderr } = await network.attempt([...args, `${NOTES_REF}:${fetched}`]);
    if (exitCode !== 0) {
      if (/couldn't find remote ref/i.test(stderr)) return undefined;
      throw new ExplainedError(`cannot fetch ${NOTES_REF} of ${remote}: ${reasonIn(stderr)}`, {
        hint: `\`git fetch ${remote}\` says more`,
      });
    }
    const theirs = await refAt(git, fetched);
    await alone(git, () => merge(git, fetched));
    return theirs;
  } finally {
    await git.attempt(['update-ref', '-d', fetched]);
  }
}

/** Merges the remote's notes and pushes the result; repeats both if the remote moved meanwhile. */
export async function pushNotes(
  git: Git,
  remote: string,
  transfer: Transfer = {},
): Promise<'sent' | 'nothing-new'> {
  let refusal = '';
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const theirs = await fetchNotes(git, remote, transfer);
    const ours = await refAt(git, NOTES_REF);
    if (ours === undefined || ours === theirs) return 'nothing-new';
    const options = ['--porcelain', '--no-follow-tags', '--recurse-submodules=no'];
    const args = ['push', ...options, '--', remote, `${ours}:${NOTES_REF}`];
    const network = git.at(git.directory, { ...transfer, network: true });
    const { exitCode, stdout, stderr } = await network.attempt(args);
    if (exitCode === 0) return 'sent';
    refusal = /^!\t[^\t]*\t(.*)$/m.exec(stdout)?.[1] ?? reasonIn(stderr);
    if (exitCode !== 1) break;
  }
  // Others change the ref faster than it can be merged.
  throw new ExplainedError(`cannot write ${NOTES_REF} of ${remote}: ${refusal}`, {
    code: 'NOTES_BUSY',
    hint: 'run it again; if it stays, see whether you may push that ref',
  });
}

/** Runs the work under a lock: several processes of a machine may change the ref, which git reads before it writes. */
async function alone<T>(git: Git, work: () => Promise<T>): Promise<T> {
  const folder = join(placeOfGit(git).identity, 'lanehold');
  mkdirSync(folder, { recursive: true });
  return withLock(join(folder, 'notes.lock'), { waitMs: 60_000, what: NOTES_REF }, work);
}

async function merge(git: Git, theirs: string): Promise<void> {
  if ((await refAt(git, NOTES_REF)) === undefined) {
    await git.text(['update-ref', NOTES_REF, theirs]);
    return;
  }
  const identity = await identitySettings(git);
  const strategy = ['--quiet', '--strategy=cat_sort_uniq'];
  await git.text([...identity, 'notes', `--ref=${NOTES_REF}`, 'merge', ...strategy, theirs]);
}

/** The author of a note, which is a commit; build machines often have none configured. */
async function identitySettings(git: Git): Promise<readonly string[]> {
  const { exitCode } = await git.attempt(['var', 'GIT_COMMITTER_IDENT']);
  if (exitCode === 0) return [];
  return ['-c', 'user.name=lanehold', '-c', 'user.email=lanehold@localhost'];
}

function linesOf(text: string | undefined): string[] {
  return (text ?? '').split('\n').filter((line) => line.trim() !== '');
}
