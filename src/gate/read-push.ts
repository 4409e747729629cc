/** What a push that git is about to make sends, and what each commit of it is compared with. */
import { REGISTRY_FILE } from '../features/registry-name.ts';
import { commitsWith } from '../project/blobs.ts';
import type { Git } from '../project/git.ts';
import { type Refs, readRefs } from '../project/refs.ts';
import { CannotTellError, MalformedPushError } from './errors.ts';
import { type PushLine, parsePushLines } from './push-lines.ts';
import { type PushUpdate, remoteName, trackingOid } from './push-updates.ts';

export interface Push {
  /** Name of the remote, or its address if it has none. */
  readonly remote: string;
  /** What git wrote to the hook. */
  readonly lines: string;
}

export interface PushReading {
  readonly refs: Refs;
  /** Name of the remote, also where only its address was given. */
  readonly remote: string;
  readonly updates: readonly PushUpdate[];
  /** `lanehold.json` stands in a commit that is sent, or that the remote has there now. */
  readonly registry: boolean;
  /** Why some of it cannot be known. */
  readonly problem: Error | undefined;
}

/** @throws {GitError | CannotTellError} if git cannot read the repository. */
export async function readPush(push: Push, git: Git): Promise<PushReading> {
  const oids = [...new Set(push.lines.match(/\b(?:[0-9a-f]{64}|[0-9a-f]{40})\b/g))];
  const [refs, { commits, texts }] = await Promise.all([
    readRefs(git, []),
    commitsWith(git, oids, REGISTRY_FILE),
  ]);
  if (commits.length !== oids.length) {
    throw new CannotTellError(
      'git cannot read the objects that are to be pushed',
      'run `git fsck` to see what is wrong with this repository',
    );
  }
  const known = new Map(oids.flatMap((oid, at) => (commits[at] ? [[oid, commits[at]]] : [])));
  const remote = remoteName(refs, push.remote);
  const tracking = (destination: string) => trackingOid(refs, remote, destination);
  const registry = texts.some((text) => text !== undefined);
  return { refs, remote, registry, ...updatesIn(push.lines, known, tracking) };
}

/**
 * What the remote says that it has counts, where that commit is here. Otherwise it is as for any
 * push: what is known of the remote, or where a new branch left the default one.
 *
 * @param commits of each object that is one or, as a tag, stands for one.
 */
function updatesIn(
  text: string,
  commits: ReadonlyMap<string, string>,
  tracking: (destination: string) => string | undefined,
): Pick<PushReading, 'updates' | 'problem'> {
  const lines = linesOf(text);
  if (lines instanceof Error) return { updates: [], problem: lines };
  const updates = new Map<string, PushUpdate>();
  let problem: Error | undefined;
  for (const { oid, destination, remoteOid } of lines) {
    if (oid === undefined) continue;
    const commit = commits.get(oid);
    if (commit === undefined) {
      problem ??= noCommit(oid, destination);
      continue;
    }
    const tracked =
      remoteOid === undefined ? undefined : (commits.get(remoteOid) ?? tracking(destination));
    // A hundred tags of one release are one question.
    updates.set(`${commit} ${tracked}`, { oid: commit, destination, tracked });
  }
  return { updates: [...updates.values()], problem };
}

function linesOf(text: string): PushLine[] | MalformedPushError {
  try {
    return parsePushLines(text);
  } catch (error) {
    if (error instanceof MalformedPushError) return error;
    throw error;
  }
}

function noCommit(oid: string, destination: string): CannotTellError {
  return new CannotTellError(
    `${oid.slice(0, 12)}, which is to become ${destination}, is no commit in this repository`,
    'push commits, and tags of commits, in a push of their own',
  );
}
