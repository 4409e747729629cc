/** Reads what a push that git is about to make sends, and what each commit of it is compared with. */
import { REGISTRY_FILE } from '../../base/config/feature.ts';
import { type Git, GitError } from '../../base/git/git.ts';
import { readRefs } from '../../base/git/known-refs.ts';
import type { Refs } from '../../base/git/refs.ts';
import { remoteName, trackingOid, trackingRef } from '../../base/git/remotes.ts';
import { CannotTellError, MalformedPushError } from '../errors.ts';
import type { PushUpdate } from './push-updates.ts';

export interface Push {
  /** Name of the remote, or its address if it has none. */
  readonly remote: string;
  /** The lines that git wrote to the hook. */
  readonly lines: string;
}

export interface PushReading {
  /** Remote-tracking refs are replaced by what the remote has just reported. */
  readonly refs: Refs;
  /** Name of the remote, also if only its address was given. */
  readonly remote: string;
  readonly updates: readonly PushUpdate[];
  /** `lanehold.json` is in a commit that is sent, or in the one that the remote has at that ref now. */
  readonly registry: boolean;
  /** Why a part of it is unknown. */
  readonly problem: Error | undefined;
}

/** True if everything is up to date or is deleted. */
export function sendsNothing({ lines }: Push): boolean {
  const read = parsePushLines(lines);
  return !(read instanceof Error) && read.every(({ oid }) => oid === undefined);
}

/** @throws {GitError | CannotTellError} if git cannot read the repository. */
export async function readPush(push: Push, git: Git): Promise<PushReading> {
  const oids = [...new Set(push.lines.match(/\b(?:[0-9a-f]{64}|[0-9a-f]{40})\b/g))];
  const [refs, commits, registries] = await Promise.all([
    readRefs(git, []),
    readable(git.objects(oids.map((oid) => `${oid}^{commit}`))),
    readable(git.objects(oids.map((oid) => `${oid}:${REGISTRY_FILE}`))),
  ]);
  const known: Commits = new Map(oids.map((oid, at) => [oid, commits[at]?.oid]));
  const remote = remoteName(refs, push.remote);
  const registry = registries.some((it) => it?.type === 'blob');
  const lines = parsePushLines(push.lines);
  if (lines instanceof Error) return { refs, remote, registry, updates: [], problem: lines };
  const told = asTold(refs, remote, lines, known);
  return { refs: told, remote, registry, ...updatesIn(lines, known, told, remote) };
}

async function readable<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    throw new CannotTellError(
      'git cannot read the objects that are to be pushed',
      'run `git fsck` to see what is wrong with this repository',
    );
  }
}

type Commits = ReadonlyMap<string, string | undefined>;

/** The refs, with branches that the remote has just reported in place of local ones, which can be forged. */
function asTold(refs: Refs, remote: string, lines: readonly PushLine[], commits: Commits): Refs {
  const oids = new Map(refs.oids);
  const unknown = new Map(refs.unknown);
  for (const { destination, remoteOid } of lines) {
    const name = trackingRef(refs, remote, destination);
    if (name === undefined) continue;
    const commit = remoteOid === undefined ? undefined : commits.get(remoteOid);
    if (commit !== undefined) oids.set(name, commit);
    else if (remoteOid === undefined) oids.delete(name);
    else continue;
    unknown.delete(name);
  }
  return { ...refs, oids, unknown };
}

/**
 * The updates of the lines. If the remote's commit is not in this repository, the remote-tracking
 * branch is used, as for any push; for a new branch, its merge base with the default branch.
 */
function updatesIn(
  lines: readonly PushLine[],
  commits: Commits,
  refs: Refs,
  remote: string,
): Pick<PushReading, 'updates' | 'problem'> {
  const updates = new Map<string, PushUpdate>();
  let problem: Error | undefined;
  for (const { source, oid, destination, remoteOid } of lines) {
    if (oid === undefined) continue;
    const commit = commits.get(oid);
    if (commit === undefined) {
      problem ??= new CannotTellError(
        `${oid.slice(0, 12)}, which is to become ${destination}, is no commit in this repository`,
        'push commits, and tags of commits, in a push of their own',
      );
      continue;
    }
    const tracked =
      remoteOid === undefined
        ? undefined
        : (commits.get(remoteOid) ?? trackingOid(refs, remote, destination));
    // Many tags on one commit are one update.
    updates.set(`${commit} ${tracked}`, { oid: commit, source, destination, tracked });
  }
  return { updates: [...updates.values()], problem };
}

/** One ref that git is about to change at a remote. */
interface PushLine {
  readonly source: string;
  /** The object that is sent; `undefined` for a deletion, which sends nothing. */
  readonly oid: string | undefined;
  readonly destination: string;
  /** The object that the ref has at the remote now; `undefined` for a new one. */
  readonly remoteOid: string | undefined;
}

const OID = '[0-9a-f]{40}|[0-9a-f]{64}';
/** The line is matched from the end: the first field is as typed and may contain blanks, `HEAD@{1 day ago}`. */
const LINE = new RegExp(`^(.+) (${OID}) ([^ ]+) (${OID})$`);

/**
 * Reads what a push is about to send, from the lines that git writes to a `pre-push` hook.
 *
 * A line is `<local ref> <local oid> <remote ref> <remote oid>`. An oid of zeros means "none": on
 * the left a deletion, on the right a new ref. The order is git's.
 *
 * @param stdin all that git wrote; empty when there is nothing to send.
 * @returns an error if a line has another form. Callers then hold the push.
 * @see https://git-scm.com/docs/githooks#_pre_push
 */
export function parsePushLines(stdin: string): PushLine[] | MalformedPushError {
  const found: PushLine[] = [];
  for (const line of stdin === '' ? [] : stdin.replace(/\n$/, '').split('\n')) {
    const [, source, oid, destination, remoteOid] = LINE.exec(line) ?? [];
    if (!source || !oid || !destination || !remoteOid) return new MalformedPushError(line);
    found.push({ source, oid: unlessZeros(oid), destination, remoteOid: unlessZeros(remoteOid) });
  }
  return found;
}

function unlessZeros(oid: string): string | undefined {
  return /^0+$/.test(oid) ? undefined : oid;
}
