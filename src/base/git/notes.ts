/**
 * Lines attached to commits, in git notes under one ref. A note is a set of lines: concurrent
 * additions are merged as a union, and no line is ever removed.
 */
import { randomUUID } from 'node:crypto';
import { ExplainedError } from '../errors.ts';
import { type Git, reasonIn, type Transfer } from './git.ts';
import { blobsAt } from './paths.ts';
import { refAt } from './plumbing.ts';

export const NOTES_REF = 'refs/notes/lanehold';

/** Limits on what is read: everyone who may push can put anything there. */
const MAX_NOTE_BYTES = 4 * 1024 * 1024;
const MAX_BYTES = 32 * 1024 * 1024;
const MAX_NOTES = 1_000;

/** Each try reads again what others have changed meanwhile. */
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

/** Others change the same ref faster than it can be merged. */
function notesBusy(where: string, detail: string): ExplainedError {
  return new ExplainedError(`cannot write ${NOTES_REF} ${where}: ${detail}`, {
    code: 'NOTES_BUSY',
    hint: 'run it again; if it stays, see whether you may push that ref',
  });
}

/**
 * The notes of commits that this repository has.
 *
 * @param first the commit whose note is read first, should the limits be reached.
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
    const text = all.map((it) => `${it}\n`).join('');
    const blob = (await git.text(['hash-object', '-w', '--stdin'], text)).trim();
    const identity = await identitySettings(git);
    // With `-C`, because git reformats text that it gets in another way.
    await git.text([...identity, 'notes', `--ref=${ref}`, 'add', '--force', '-C', blob, commit]);
  });
  return added;
}

/** Merges the remote's notes into the local ref. Returns the remote's tip, if it has one. */
export async function fetchNotes(git: Git, remote: string, transfer: Transfer = {}) {
  const fetched = stagingRef();
  try {
    // Without `--refmap=` a configured refspec for notes would overwrite the local ref.
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
    await change(git, (ref) => merge(git, ref, fetched));
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
  throw notesBusy(`of ${remote}`, refusal);
}

/** Changes a copy of the ref and swaps it in; starts again if the ref was changed meanwhile. */
async function change(git: Git, work: (ref: string) => Promise<void>): Promise<void> {
  let refusal = '';
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const copy = stagingRef();
    try {
      const before = await refAt(git, NOTES_REF);
      if (before !== undefined) await git.text(['update-ref', copy, before]);
      await work(copy);
      const after = await refAt(git, copy);
      if (after === undefined || after === before) return;
      const swapped = await git.attempt(['update-ref', NOTES_REF, after, before ?? '']);
      if (swapped.exitCode === 0) return;
      refusal = reasonIn(swapped.stderr);
    } finally {
      await git.attempt(['update-ref', '-d', copy]);
    }
  }
  throw notesBusy('here', refusal);
}

async function merge(git: Git, ref: string, theirs: string): Promise<void> {
  const ours = await refAt(git, ref);
  const tip = (await refAt(git, theirs)) ?? '';
  if (ours === undefined) {
    await git.text(['update-ref', ref, tip]);
    return;
  }
  const identity = await identitySettings(git);
  const strategy = ['--quiet', '--strategy=cat_sort_uniq'];
  await git.text([...identity, 'notes', `--ref=${ref}`, 'merge', ...strategy, theirs]);
}

/** A note is a commit and needs an author; build machines often have none configured. */
async function identitySettings(git: Git): Promise<readonly string[]> {
  const { exitCode } = await git.attempt(['var', 'GIT_COMMITTER_IDENT']);
  if (exitCode === 0) return [];
  return ['-c', 'user.name=lanehold', '-c', 'user.email=lanehold@localhost'];
}

/** The ref lies below `refs/notes/`, because git merges notes only there. */
function stagingRef(): string {
  return `refs/notes/lanehold-staging-${process.pid}-${randomUUID()}`;
}

function linesOf(text: string | undefined): string[] {
  return (text ?? '').split('\n').filter((line) => line.trim() !== '');
}
