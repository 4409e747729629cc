/** The user's own checkout, which no lane may change: its fingerprint, and a copy of the difference. Read only. */
import { lstatSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { ExplainedError } from '../../base/errors.ts';
import { checkpointTree, privateTree } from '../../base/git/checkpoint.ts';
import { gitIn } from '../../base/git/git-in.ts';
import { fileAt } from '../../base/git/paths.ts';
import { AUTHOR, commitTree, isAncestor, moveRef, refAt, treeOf } from '../../base/git/plumbing.ts';
import { readStatus } from '../../base/git/repository-snapshot.ts';
import { somebodyWorksIn } from '../../base/process/end-tree.ts';
import { literally } from '../../base/text/pattern.ts';
import { enumerated } from '../../base/text/printable.ts';
import { sha256 } from '../../base/text/sha256.ts';
import { CHECKOUT_CHANGED, laneEventStore, type NewLaneEvent } from '../../store/lane-events.ts';
import { laneStore, type Run, runStore } from '../../store/lanes.ts';
import { type LaneContext, laneBranch } from '../spec/context.ts';
import { asideRef } from '../spec/paths.ts';

interface Watched extends Pick<NewLaneEvent, 'laneId' | 'attemptId'> {
  /** The fingerprint from before. */
  readonly before: string;
  /** The last event at that time. */
  readonly since: number;
  /** The key of a lane, or of a merge: it names the ref for the difference. */
  readonly key: string;
  /** The work since then, as a clause. */
  readonly when: string;
  readonly dir: string;
  readonly again?: () => Promise<unknown>;
  /** The output of the worker, with its tool calls. */
  readonly said?: () => string;
}

/**
 * Reports a change once, and pauses the run if a lane has made it. The author of a change is not recorded anywhere: it
 * was a lane if nobody else works there, if a repetition writes the same files, or if the worker has named them.
 *
 * @returns the files; `undefined` if every change was already reported.
 */
export async function watchedChange(context: LaneContext, run: Run, watched: Watched) {
  const { store, env, now } = context;
  const { before, since, key, when, dir, laneId, attemptId } = watched;
  const of = { laneId, attemptId };
  const root = run.repository;
  const after = await checkoutPrint(root, env);
  if (after === before || isLanding(context, run, before, after)) return undefined;
  const files = differing(before, after);
  const events = laneEventStore(store);
  const print = sha256(after);
  const isTold = () => {
    const last = events.last(run.id, CHECKOUT_CHANGED);
    return last !== undefined && last.seq > since && last.data.print === print;
  };
  if (isTold()) return undefined;
  const wanted = asideRef(run, `main-checkout-${key}`);
  const indexFile = join(dir, 'main.index');
  const sha = await saveDiff(root, { ref: wanted, env, indexFile, now: now() });
  const ref = sha === undefined ? undefined : wanted;
  // A person checks out other commits, and a lane its own.
  const own =
    headOf(before) === headOf(after)
      ? await writtenByLane(root, files, watched)
      : (await isWorkOf(context, run, laneId, headOf(after)))
        ? files
        : [];
  if (own.length > 0) {
    const see = ref === undefined ? '' : `: see \`git show ${ref}\``;
    const reason = `the main checkout was changed while ${when} (${enumerated(own, 3)})${see}`;
    pause(context, run, { reason, sha, ...of });
  }
  // The report comes last, so that it is repeated after a kill.
  return store.write(() => {
    if (own.length === 0 && isTold()) return undefined;
    const data = { why: `${enumerated(files, 3)} changed while ${when}`, files, print, ref };
    events.add({ type: CHECKOUT_CHANGED, data, by: 'lanehold', ...of, runId: run.id }, now());
    return files;
  });
}

/**
 * The changed files; if somebody else works there, only those that are written again, and those that a tool call of the
 * worker names in this checkout, because a person may have saved the others.
 */
async function writtenByLane(
  root: string,
  files: readonly string[],
  { again, said }: Pick<Watched, 'again' | 'said'>,
) {
  if (!somebodyWorksIn(root)) return files;
  const text = said?.() ?? '';
  const wentThere = new RegExp(`${literally(root)}(?![\\w./-])`).test(text);
  const isNamed = (path: string) =>
    text.includes(join(root, path)) || (wentThere && text.includes(path));
  const times = () => files.map((path) => statOf(root, path)?.ctimeNs);
  const before = times();
  await again?.();
  const after = times();
  return files.filter((path, at) => after[at] !== before[at] || isNamed(path));
}

/** Whether a commit is a lane's work, which nobody has integrated. */
async function isWorkOf(
  { store, env }: LaneContext,
  run: Run,
  laneId: string | null | undefined,
  commit: string,
): Promise<boolean> {
  const lane = laneStore(store).rowOf(laneId ?? '');
  if (lane === undefined) return false;
  const git = gitIn(run.repository, env);
  const tip = await refAt(git, laneBranch(lane));
  const base = lane.baseSha ?? run.baseSha;
  if (tip === undefined || !(await isAncestor(git, commit, tip))) return false;
  return !(await isAncestor(git, commit, base));
}

/** Whether a landing of a run is the only change. */
function isLanding({ store }: LaneContext, run: Run, before: string, after: string): boolean {
  const landed = runStore(store)
    .all(run.projectId)
    .flatMap(({ id }) => laneEventStore(store).ofType(id, 'run.landed'));
  const [head, ...changes] = after.split('\n');
  const isSame = changes.join('\n') === before.slice(before.indexOf('\n') + 1);
  return isSame && landed.some(({ data }) => data.to === head);
}

const headOf = (print: string): string => print.split('\n', 1)[0] ?? '';

/** The files in which two fingerprints differ, else the present commit. */
function differing(before: string, after: string): string[] {
  const [old, now] = [before, after].map((it) => new Set(it.split('\n').slice(2)));
  const lines = [...(old ?? []), ...(now ?? [])].filter((it) => old?.has(it) !== now?.has(it));
  const paths = new Set(lines.map((it) => it.slice(it.indexOf(' ') + 1)));
  return paths.size > 0 ? [...paths] : [`at ${headOf(after).slice(0, 8)}`];
}

/** Pauses a run until a person has looked. */
export function pause(
  { store, now }: Pick<LaneContext, 'store' | 'now'>,
  { id: runId }: Pick<Run, 'id'>,
  { laneId, attemptId, ...data }: Pick<Watched, 'laneId' | 'attemptId'> & Paused,
): void {
  store.write(() => {
    runStore(store).setIntent(runId, 'paused', data.reason);
    const event = { type: 'run.paused', data, by: 'lanehold' };
    laneEventStore(store).add({ ...event, laneId, attemptId, runId }, now());
  });
}

interface Paused {
  readonly reason: string;
  readonly sha?: string | undefined;
}

/** Larger files are identified by size and times. */
const MAX_HASHED_BYTES = 4 * 1024 * 1024;

/**
 * The fingerprint: HEAD, the branch, staged content, and every changed or untracked file with its content. Ignored
 * files, caches and times do not count. Lines: the checked-out commit, the branch, then a digest and a path for each
 * file.
 */
export async function checkoutPrint(root: string, env: NodeJS.ProcessEnv): Promise<string> {
  const takenAt = performance.now();
  const { head, branch, changes } = await readStatus(gitIn(root, env));
  const lines = changes.map((change) => {
    const digest = sha256(JSON.stringify([change, contentOf(root, change.path)]));
    return `${digest} ${change.path.replaceAll('\n', '\\n')}`;
  });
  const print = [head ?? '', branch ?? '', ...lines].join('\n');
  newest = { root, print, takenAt };
  return print;
}

let newest: Readonly<{ root: string; print: string; takenAt: number }> | undefined;
/** A change within this time counts as made during the work that begins then. */
const FRESH_MS = 1_000;

/** The fingerprint before work begins: that of the work before, if it has just ended. */
export async function printBefore(root: string, env: NodeJS.ProcessEnv): Promise<string> {
  const isFresh = newest?.root === root && performance.now() - newest.takenAt < FRESH_MS;
  return isFresh && newest ? newest.print : await checkoutPrint(root, env);
}

const statOf = (root: string, path: string) =>
  lstatSync(fileAt(root, path), { throwIfNoEntry: false, bigint: true });

function contentOf(root: string, path: string): string {
  const file = fileAt(root, path);
  const stats = statOf(root, path);
  if (stats === undefined) return 'gone';
  if (stats.isSymbolicLink()) return `link ${readlinkSync(file, 'latin1')}`;
  if (!stats.isFile()) return `${stats.mode}`;
  const known = `${stats.mode} ${stats.size}`;
  if (stats.size > MAX_HASHED_BYTES) return `${known} ${stats.mtimeNs} ${stats.ctimeNs}`;
  try {
    return `${known} ${sha256(readFileSync(file))}`;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    // The file is unreadable, or was deleted meanwhile.
    return `${known} ${error.code}`;
  }
}

/**
 * Saves the checkout's present files as a commit on top of HEAD, so that `git show <ref>` is the difference, which the
 * user can apply or revert.
 *
 * @returns the commit; `undefined` if nothing differs.
 */
export async function saveDiff(
  root: string,
  wish: Readonly<{ env: NodeJS.ProcessEnv; ref: string; indexFile: string; now: Date }>,
): Promise<string | undefined> {
  const { env, ref, indexFile, now } = wish;
  const tree = privateTree(root, indexFile, env);
  const { git } = tree;
  const head = (await git.text(['rev-parse', '--verify', 'HEAD^{commit}'])).trim();
  const taken = await checkpointTree(tree);
  if (taken.tree === (await treeOf(git, head))) return undefined;
  const message = `The main checkout ${root} as found`;
  const commit = { tree: taken.tree, parents: [head], message, author: AUTHOR, at: now };
  const sha = commitTree(git, commit);
  const before = (await refAt(git, ref)) ?? '';
  if ((await moveRef(git, ref, sha, before, 'lanehold: main checkout')) === 'moved') return sha;
  throw new ExplainedError(`another process is writing ${ref}`, { hint: 'try again' });
}
