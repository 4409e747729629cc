/**
 * The integration as a linear history on the target branch: one commit for each lane, or the lanes' own commits. The
 * last one has exactly the validated tree.
 */
import type { Git } from '../../base/git/git.ts';
import { mergeCommit } from '../../base/git/merge.ts';
import { splitNul } from '../../base/git/paths.ts';
import { AUTHOR, commitTree, isAncestor, mergeTrees, treeOf } from '../../base/git/plumbing.ts';
import { shortRef } from '../../base/text/printable.ts';
import { attemptStore } from '../../store/attempts.ts';
import type { LaneView, Run } from '../../store/lanes.ts';
import { titleOf } from '../run/prompt-for.ts';
import type { LaneContext } from '../spec/context.ts';
import { authorOf } from '../tree/lane-commit.ts';
import { signed, signedUnless } from '../tree/sign.ts';

interface Line extends Readonly<Record<'from' | 'tip', string>> {
  readonly context: LaneContext;
  readonly git: Git;
  readonly run: Run;
  readonly way: 'squash' | 'rebase';
  /** The lanes to land, with their commits in the tip. */
  readonly lanes: readonly { readonly lane: LaneView; readonly sha: string }[];
}

interface Step {
  readonly message: string;
  /** `Name <address>` of all its authors. */
  readonly authors: readonly string[];
  /** The time of its writing, if it is one commit. */
  readonly time?: string;
  /** The step is the whole state after the lane. Other steps are a single change. */
  readonly isWhole: boolean;
  /** `undefined`: it conflicts here, and can only come with a later step. */
  readonly tree: (head: string) => Promise<string | undefined>;
}

/** Writes the commits without moving a ref. @returns the last one. */
export async function inLine(landed: Line): Promise<string> {
  const from = await startOf(landed);
  const line = { ...landed, from };
  const { context, git, tip } = line;
  const steps = await stepsOf(line);
  const validated = await treeOf(git, tip);
  let head = from;
  let waiting: Step[] = [];
  for (const [at, step] of steps.entries()) {
    const comesLater = waiting.length > 0 && !step.isWhole;
    const its = comesLater ? undefined : await step.tree(head);
    const tree = at === steps.length - 1 ? validated : its;
    waiting.push(step);
    if (tree === undefined) continue;
    if (tree !== (await treeOf(git, head))) {
      const [author = '', ...others] = new Set(waiting.flatMap((it) => it.authors));
      const message = waiting.map((it) => it.message.trimEnd()).join('\n\n');
      const left = others.filter((it) => !message.includes(it));
      const made = commitTree(git, {
        tree,
        parents: [head],
        message: [message, ...left.map((it) => `Co-authored-by: ${it}`)].join('\n'),
        author: AUTHOR,
        writtenBy: { author, time: step.time },
        at: context.now(),
      });
      head = await signed(git, made);
    }
    waiting = [];
  }
  return head;
}

/** The target, with the commits that the run began from, which may be those of a remote: no lane has written them. */
async function startOf({ git, run, from, tip }: Line): Promise<string> {
  const { baseSha: theirs, targetRef } = run;
  if (!(await isAncestor(git, theirs, tip))) return from;
  if (await isAncestor(git, from, theirs)) return theirs;
  const message = `Merge ${theirs.slice(0, 12)} into ${shortRef(targetRef)}`;
  const merge = await mergeCommit(git, { ours: from, theirs, message });
  return merge.kind === 'merged' ? signedUnless(git, merge.commit, [from]) : from;
}

/** The steps in the order in which the lanes were merged; lanes that came inside of another one are last. */
async function stepsOf(line: Line): Promise<Step[]> {
  const { git, run, from, tip, lanes } = line;
  const args = ['log', '-z', '--first-parent', '--reverse', '--no-show-signature'];
  const fields = splitNul(await git.text([...args, '--format=%H%x00%P%x00%s', tip, `^${from}`]));
  const left = new Set(lanes);
  const steps: Step[] = [];
  for (let at = 0; at < fields.length; at += 3) {
    const [merge = '', parents = '', subject] = fields.slice(at);
    const [before, theirs] = parents.split(' ');
    const taken = [...left].find(({ lane, sha }) =>
      theirs ? sha === theirs : subject === `Lane ${lane.key} of ${run.name}`,
    );
    if (taken === undefined) continue;
    left.delete(taken);
    // A lane whose commits were not taken in must not get them back.
    steps.push(...(await stepsOfLane(line, taken, merge, theirs && before)));
  }
  for (const inside of left) steps.push(...(await stepsOfLane(line, inside, tip, undefined)));
  return steps;
}

async function stepsOfLane(
  line: Line,
  { lane, sha }: Line['lanes'][number],
  merge: string,
  before: string | undefined,
): Promise<Step[]> {
  const { git, from } = line;
  const commits = before === undefined ? [] : await commitsOf(git, sha, [before, from]);
  const whole = async () => {
    if (await isAncestor(git, from, merge)) return treeOf(git, merge);
    return cleanTree(git, from, merge);
  };
  if (line.way === 'rebase' && commits.length > 0) {
    const last = commits.length - 1;
    return commits.map(({ message, author, time, tree }, at) => {
      const isWhole = at === last;
      return { message, authors: [author], time, isWhole, tree: isWhole ? whole : tree };
    });
  }
  const { name, email } = authorOf(lane);
  const authors = commits.length > 0 ? commits.map((it) => it.author) : [`${name} <${email}>`];
  const merged = await git.text(['log', '-1', '--no-show-signature', '--format=%b', merge]);
  const message = messageFor(line, lane, /^Conflict in .+/m.exec(merged)?.[0]);
  return [{ message, authors, isWhole: true, tree: whole }];
}

async function commitsOf(git: Git, sha: string, known: readonly string[]) {
  const args = ['log', '-z', '--reverse', '--topo-order', '--no-merges', '--no-show-signature'];
  const format = ['--encoding=UTF-8', '--format=%H%x00%P%x00%an <%ae>%x00%at +0000%x00%B'];
  const fields = splitNul(
    await git.text([...args, ...format, sha, ...known.map((it) => `^${it}`)]),
  );
  return Array.from({ length: fields.length / 5 }, (_, at) => {
    const [id = '', parent = '', author = '', time = '', message = ''] = fields.slice(at * 5);
    return { author, time, message, tree: (head: string) => treeWith(git, { id, parent, head }) };
  });
}

/** The tree of `head` with the change of one commit. */
async function treeWith(git: Git, at: Readonly<Record<'id' | 'parent' | 'head', string>>) {
  if (at.parent === '') return undefined;
  const onParent = { parents: [at.parent], message: 'a side of a merge', author: AUTHOR };
  const tree = await treeOf(git, at.head);
  return cleanTree(git, commitTree(git, { ...onParent, tree, at: new Date(0) }), at.id);
}

async function cleanTree(git: Git, ours: string, theirs: string): Promise<string | undefined> {
  const { tree, conflicts } = await mergeTrees(git, ours, theirs);
  return conflicts.length === 0 ? tree : undefined;
}

const TITLE_CHARS = 72;

function messageFor({ context, run }: Line, lane: LaneView, conflict: string | undefined): string {
  const { key, spec, validateCmd } = lane;
  const title = titleOf(spec);
  const isShort = title.length <= TITLE_CHARS;
  const rest = isShort ? spec.desc.slice(title.length).trim() : spec.desc;
  const attempts = attemptStore(context.store).ofLane(lane.id);
  const workers = new Set(attempts.flatMap(({ agent }) => agent ?? []));
  const trailers = [`Lane: ${key}`, `Run: ${run.name}`];
  return [
    isShort ? title : `${title.slice(0, TITLE_CHARS - 2)} …`,
    rest,
    `Validated by: ${validateCmd}`,
    conflict,
    [...trailers, ...[...workers].map((it) => `Worker: ${it}`)].join('\n'),
  ]
    .filter((it) => it)
    .join('\n\n');
}
