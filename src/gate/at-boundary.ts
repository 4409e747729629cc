/** Decides whether the content that a command sends may leave. */
import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { REGISTRY_FILE } from '../base/config/feature.ts';
import type { GatePolicy, KindPolicy } from '../base/config/policy.ts';
import { attempt } from '../base/errors.ts';
import { realPath } from '../base/files/real-path.ts';
import type { Git } from '../base/git/git.ts';
import {
  NoSuchFolderError,
  type ProjectPlace,
  placeOfGitDir,
  projectPlace,
} from '../base/git/project.ts';
import { snapshotOf } from '../base/git/repository-snapshot.ts';
import { printableLine } from '../base/text/printable.ts';
import { shellWord } from '../base/text/shell-quote.ts';
import type { Boundary } from '../commands/finding.ts';
import { matchesWords } from '../commands/tools/argv-pattern.ts';
import { type Comparison, lookAt } from '../features/comparison.ts';
import { reconcilePending } from '../features/pending.ts';
import { type Workspace, workspaceOn } from '../features/workspace.ts';
import { aboutHead, type GateAnswer, type GateCaller, mayHold } from './answer.ts';
import { asItStands, comparisonsAt, EVERYTHING, noteLetThrough } from './compare.ts';
import {
  aroundContent,
  contentComparisons,
  contentOf,
  contentText,
  type ProjectContent,
  repositoryMade,
} from './content-of.ts';
import { CannotTellError, orElse } from './errors.ts';
import { ranProgram } from './git/earlier-commands.ts';
import type { Hold } from './hold.ts';
import { assertTakenOver } from './moved.ts';
import { commitsAsked, contentsAsked } from './questions.ts';

/** @param late rejects when the time is up. */
export async function atBoundary(
  boundary: Boundary,
  caller: GateCaller,
  late: Promise<never>,
): Promise<GateAnswer> {
  const { rule } = boundary;
  let workspace: Workspace | undefined;
  try {
    const subject = await subjectOf(boundary, caller);
    if (subject === undefined) return { decision: 'none' };
    const { look, judged, content, comparing } = subject;
    workspace = look;
    assertTakenOver(workspace);
    // Git runs while the comparison is worked out.
    Promise.all([look.snapshot.status(), look.snapshot.hidden()]).catch(() => undefined);
    const [{ holdOn }, { denialText }] = await Promise.all([
      import('./hold.ts'),
      import('./denial.ts'),
    ]);
    const comparisons = await Promise.race([comparing, late]);
    const severity = (policy: GatePolicy) => severityOf(policy, boundary);
    const holding = holdOn(look, comparisons, caller.now(), severity);
    const hold = await Promise.race([holding, late]);
    notePending(workspace, judged, hold, caller.now());
    const letThrough = { workspace, hold, comparisons };
    if (hold.verdict === 'pass') return passUnlessBypassed(boundary, letThrough, caller);
    const doubted = comparisons.find((it) => it.doubted !== undefined)?.doubted;
    if (doubted !== undefined && (await gitHookFor(boundary, caller)) === 'reached') {
      const why = `what ${doubted} has is not known here`;
      return leftToGit(boundary, why, { workspace, caller, late });
    }
    const { verifiesFirst, withVerification } = await import('./verify-first.ts');
    const held = { ...caller, boundary: judged, hold, workspace };
    const verified = await verifiesFirst(held);
    if (verified === true) return passUnlessBypassed(boundary, letThrough, caller);
    const { refusalFacts } = await import('./pending.ts');
    const asking = hold.verdict === 'ask';
    let inOneCommand: string | undefined;
    const { tricks = [] } = boundary;
    const without = [...tricks, ...(verified === false ? [] : ['its verification'])];
    const context = {
      what: whatIsHeld(boundary, content),
      program: caller.program,
      way: wayTo(workspace.place.root, caller.cwd),
      // A person is asked about a command with a bypass even if nothing in it is held; a
      // verification that does not count may fail.
      ...(without.length > 0 && { again: `run the command again without ${without.join(', ')}` }),
      ...(await refusalFacts(workspace, hold, caller.now())),
      asking,
      takenFor: boundary.isUnlisted ? rule : undefined,
      doubted,
      uncounted: verified === false ? undefined : verified,
      inOneCommand(verify: string) {
        const isPlain = boundary.toolCall === undefined && content === undefined;
        if (isPlain && tricks.length === 0) inOneCommand = withVerification(held, verify);
        return inOneCommand;
      },
    };
    const answer = { rule, reason: denialText(hold, context), workspace, hold };
    if (!asking) return { decision: 'deny', ...answer, ...(inOneCommand && { inOneCommand }) };
    // A commit that is not made yet is known by the content of the features that are held.
    const about = [...commitsAsked(comparisons), ...contentsAsked(hold)];
    return { decision: 'ask', ...answer, about };
  } catch (error) {
    return cannotTellAnswer(boundary, { workspace, error }, caller, late);
  }
}

/**
 * The repository that the command means, or the project whose content that repository has. `undefined` outside of any
 * repository, where git itself refuses; a package can still be published from there.
 */
async function subjectOf(boundary: Boundary, caller: GateCaller) {
  const pushed = pushedBy(boundary);
  const { place, made, missing } = pushed;
  const isNone = place.kind === 'folder' && made === undefined;
  if (boundary.leaves !== 'worktree' && isNone) return undefined;
  const git = caller.gitIn(place.root, caller.env);
  const snapshot = snapshotOf(git);
  // The status of a large repository takes longer than all else.
  snapshot.status().catch(() => undefined);
  const own = compare(boundary, place, git, caller.gitHookFor === undefined);
  // The database is loaded while git runs.
  const store = await caller.store();
  const content = await contentOf(pushed, { ...caller, store });
  if (content === undefined) {
    if (missing !== undefined) throw missing;
    const workspace = workspaceOn(store, place, git, caller.now);
    return { look: { ...workspace, snapshot }, content, judged: boundary, comparing: own };
  }
  const { project } = content;
  const gitThere = caller.gitIn(project.root, caller.env);
  const workspace = workspaceOn(store, project, gitThere, caller.now);
  const before = aroundContent(pushed.before, content);
  const comparing = contentComparisons(content, before, workspace, () => own);
  comparing.catch(() => undefined);
  const judged = { ...boundary, leaves: 'worktree' as const, before };
  return { look: lookAt(workspace), content, judged, comparing };
}

/** `cd FOLDER && ` if the folder is in another project, else nothing. */
export function wayTo(root: string, cwd: string): string {
  if (attempt(() => projectPlace(cwd).root) === root) return '';
  return `cd ${shellWord(relative(cwd, root))} && `;
}

/** Content that is written in the call itself cannot have been tested: a person decides, or git is used. */
export async function atCarriedContent(
  boundary: Boundary,
  caller: GateCaller,
): Promise<GateAnswer> {
  const { rule } = boundary;
  let workspace: Workspace | undefined;
  try {
    const place = placeOf(boundary);
    const git = caller.gitIn(place.root, caller.env);
    workspace = workspaceOn(await caller.store(), place, git, caller.now);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
  }
  if (!(await mayHold(workspace, caller))) return { decision: 'none' };
  if ((await severityInForce(boundary, workspace)) === 'off') return { decision: 'none' };
  const reason =
    `lanehold asks before \`${rule}\`: the content is in the call itself, so no test can have seen it.\n` +
    `Commit it here instead, then: ${caller.program} feature verify --pending && git push`;
  return { decision: 'ask', rule, reason, workspace };
}

async function cannotTellAnswer(
  boundary: Boundary,
  { workspace, error }: { readonly workspace: Workspace | undefined; readonly error: unknown },
  caller: GateCaller,
  late: Promise<never>,
): Promise<GateAnswer> {
  if (error instanceof CannotTellError && !(await mayHold(workspace, caller))) {
    return { decision: 'none' };
  }
  const { rule } = boundary;
  const severity = await severityInForce(boundary, workspace);
  if (severity === 'off') return { decision: 'none' };
  if (boundary.isUnlisted) {
    const { atOpaque } = await import('./at-opaque.ts');
    const why = `\`${rule}\` is taken for a release by its name`;
    return atOpaque({ ...boundary, verdict: 'opaque', why, suspicious: true }, caller);
  }
  const { cannotTellText } = await import('./denial.ts');
  let cure = '';
  if (error instanceof CannotTellError && error.about === 'content') {
    const hook = await gitHookFor(boundary, caller);
    if (severity === 'hold' && hook === 'reached' && workspace !== undefined) {
      return leftToGit(boundary, error.message, { workspace, caller, late });
    }
    if (hook === 'absent')
      cure = `\nOr let git itself judge what it sends, then run the command again: ${caller.program} git-hook install`;
  }
  const reason = `${cannotTellText(`\`${rule}\``, error)}${cure}`;
  const answer = { rule, reason, workspace, cannotTell: true } as const;
  if (severity === 'hold') return { decision: 'deny', ...answer };
  return { decision: 'ask', ...answer, about: await aboutHead(workspace) };
}

const gitHookFor = async (boundary: Boundary, caller: GateCaller) =>
  caller.gitHookFor?.(boundary, placeOf(boundary));

/**
 * Leaves the push to git's own hook, which judges what git sends. A program that runs earlier may remove that hook, and
 * `git stash -u` a registry that is not committed: then a push that would be denied if nothing changed is denied.
 */
async function leftToGit(
  boundary: Boundary,
  why: string,
  { workspace, caller, late }: { workspace: Workspace; caller: GateCaller; late: Promise<never> },
): Promise<GateAnswer> {
  const [committed] = await snapshotOf(workspace.git).texts(REGISTRY_FILE, ['HEAD']);
  const mayGo = committed === undefined && existsSync(join(workspace.place.root, REGISTRY_FILE));
  if (mayGo || ranProgram(boundary.before)) {
    const alone = { ...caller, gitHookFor: undefined };
    const present = await atBoundary(asItStands(boundary), alone, late);
    if (present.decision === 'deny') return present;
  }
  const undecided = `Undecided, and left to git’s own hook: ${why}`;
  return { decision: 'pass', rule: boundary.rule, workspace, undecided };
}

function notePending(workspace: Workspace, { leaves }: Boundary, hold: Hold, now: Date): void {
  const here = hold.features.filter(({ inWorktree }) => inWorktree);
  const held = new Map(here.map(({ name, changedFile }) => [name, changedFile]));
  // A feature that is verified in a commit may have been changed in the working tree since.
  const verified = new Set(leaves === 'worktree' ? hold.verified : []);
  reconcilePending(workspace, { held, isSettled: (feature) => verified.has(feature) }, now);
}

interface LetThrough {
  readonly workspace: Workspace;
  readonly hold: Hold;
  readonly comparisons: readonly Comparison[];
}

/** Asks a person if a command that would pass also switches off the check by git's hook. */
async function passUnlessBypassed(
  { rule, tricks = [] }: Boundary,
  { workspace, hold, comparisons }: LetThrough,
  caller: GateCaller,
): Promise<GateAnswer> {
  if (workspace.git !== undefined) noteLetThrough(workspace.git, comparisons);
  if (tricks.length === 0 || !(await mayHold(workspace, caller))) {
    return { decision: 'pass', rule, workspace, hold };
  }
  const reason =
    `lanehold asks before \`${rule}\`: nothing in it is held, but ${tricks.join(', ')} would ` +
    'skip the check that follows. Leave it out, or a person may agree to it.';
  return { decision: 'ask', rule, reason, workspace, hold };
}

/** Starts git first, because it takes longest; `isFirst`: git's own hook judges afterwards. */
function compare(boundary: Boundary, place: ProjectPlace, git: Git, isFirst: boolean) {
  if (place.kind === 'folder') return Promise.resolve([EVERYTHING]);
  const comparing = comparisonsAt(boundary, git, place.root, isFirst);
  // The promise is awaited later; without a handler an early failure would end the process.
  comparing.catch(() => undefined);
  return comparing;
}

/** The repository that is pushed; `missing`: why it is unknown, unless the command makes it of a project's content. */
function pushedBy(boundary: Boundary) {
  const { directory = '' } = boundary;
  const before = boundary.before.map((it) => {
    return { ...it, directory: it.directory && realPath(it.directory) };
  });
  try {
    const place = placeOf(boundary);
    return { place, before, made: repositoryMade(place, realPath(directory), before) };
  } catch (missing) {
    if (directory === '' || existsSync(directory)) throw missing;
    let around = directory;
    while (!existsSync(around)) around = dirname(around);
    const place = projectPlace(around);
    const made = repositoryMade(place, realPath(directory), before);
    if (made === undefined) throw missing;
    return { place, before, made, missing };
  }
}

/** The repository that the command names, else the one that it runs in. */
function placeOf({ rule, directory, gitDir }: Boundary): ProjectPlace {
  if (directory === undefined) {
    throw new CannotTellError(
      `which folder \`${rule}\` runs in is not in the command`,
      'write the folder out, or change to it in a command of its own first',
      'place',
    );
  }
  try {
    return gitDir === undefined ? projectPlace(directory) : placeOfGitDir(gitDir);
  } catch (error) {
    if (!(error instanceof NoSuchFolderError)) throw error;
    const hint = `make it first, then run \`${rule}\` in a command of its own`;
    throw new CannotTellError(error.message, hint, 'place');
  }
}

/** The boundary with the way to it: `git push`, and in a longer command the parts around it. */
function whatIsHeld({ rule, path }: Boundary, content: ProjectContent | undefined): string {
  const way = path.slice(0, -1).map((step) => printableLine(step, 40));
  const at = way.length === 0 ? '' : ` (at ${way.slice(-3).join(' > ')})`;
  return `\`${rule}\`${at}${content === undefined ? '' : contentText(content)}`;
}

/** The answer of a policy at a boundary where something is not verified. */
function severityOf(
  { kinds, removed, opaque }: GatePolicy,
  { kind, rule, argv, isUnlisted }: Pick<Boundary, 'kind' | 'rule' | 'argv' | 'isUnlisted'>,
): KindPolicy {
  if (removed.some((it) => it === rule || matchesWords(it.split(' '), argv))) return 'off';
  // The name alone is no proof: such a command counts as one that cannot be read.
  return isUnlisted && kinds[kind] === 'hold' ? AS_OPAQUE[opaque] : kinds[kind];
}

const AS_OPAQUE = { allow: 'off', ask: 'ask', deny: 'hold' } as const;

/** The policy's answer; a policy that cannot be read holds. */
async function severityInForce(
  boundary: Boundary,
  workspace: Workspace | undefined,
): Promise<KindPolicy> {
  const unread: KindPolicy = boundary.isUnlisted ? 'ask' : 'hold';
  if (workspace === undefined) return unread;
  return orElse(unread, async () => {
    const { policyInForce } = await import('./pending.ts');
    return severityOf(await policyInForce(workspace), boundary);
  });
}
