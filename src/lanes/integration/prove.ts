/** Does a commit pass the validations of all lanes that are in it? */
import { join } from 'node:path';
import { treeOf } from '../../project/plumbing.ts';
import { laneValidationStore, type Validation } from '../../store/lane-validations.ts';
import type { Run } from '../../store/runs.ts';
import { validateCommit } from '../validation/validate-commit.ts';
import type { LaneWorld } from '../world.ts';
import type { ProofCommand } from './commands.ts';
import { checkOut, type TreePurpose } from './detached-tree.ts';
import { gitOfRun } from './repository.ts';

export type Proof =
  /** What passed, by the hash of its command. */
  | { readonly kind: 'pass'; readonly by: ReadonlyMap<string, Validation> }
  | { readonly kind: 'fail'; readonly validation: Validation }
  /** It could not be run, or says now this, now that: nobody is to blame. */
  | { readonly kind: 'unclear'; readonly validation: Validation };

export interface Question {
  readonly world: LaneWorld;
  readonly run: Run;
  readonly purpose: TreePurpose;
  readonly sha: string;
  readonly commands: readonly ProofCommand[];
  /** Whose failures are nothing new. */
  readonly base: string;
  /** `commit`: a pass of exactly this commit; `content`: a verdict on the same files will do. */
  readonly evidence: 'commit' | 'content';
  readonly priority: number;
  /** How many validations run at once on this machine; the machine decides by default. */
  readonly slots?: number | undefined;
  readonly signal: AbortSignal;
}

/** Nothing that is known already is run again. Stops at the first command that does not pass. */
export async function prove(question: Question): Promise<Proof> {
  const { world, run, sha } = question;
  const tree = await treeOf(gitOfRun(world, run), sha);
  const passed = new Map<string, Validation>();
  for (const command of question.commands) {
    const validation = known(question, tree, command) ?? (await validate(question, tree, command));
    if (validation.result === 'fail' || validation.result === 'timeout') {
      return { kind: 'fail', validation };
    }
    if (validation.result !== 'pass') return { kind: 'unclear', validation };
    passed.set(command.cmdHash, validation);
  }
  return { kind: 'pass', by: passed };
}

/** What moves the tip is run again unless it has passed: something else may have been in the way. */
function known(
  { world, run, sha, evidence }: Question,
  tree: string,
  { cmdHash }: ProofCommand,
): Validation | undefined {
  const verdicts = laneValidationStore(world.store).ofRun(run.id);
  const ofCommand = verdicts.filter((it) => it.cmdHash === cmdHash);
  if (evidence === 'content') {
    const last = ofCommand.findLast((it) => it.tree === tree);
    return last?.result === 'pass' || last?.result === 'fail' ? last : undefined;
  }
  const last = ofCommand.findLast((it) => it.sha === sha && it.subject === 'integration');
  return last?.result === 'pass' ? last : undefined;
}

async function validate(
  { world, run, purpose, sha, base, priority, signal }: Question,
  tree: string,
  command: ProofCommand,
): Promise<Validation> {
  signal.throwIfAborted();
  const { path } = await checkOut(world, run, purpose, sha);
  const validation = await validateCommit(world, {
    run,
    subject: purpose,
    laneId: null,
    attemptId: null,
    sha,
    tree,
    worktree: path,
    command,
    setupHash: '',
    specHash: null,
    base: { sha: base },
    // What a lane may take away was judged with the lane.
    removesTests: 'declared',
    env: proofEnvironment(world, run, purpose, path),
    dir: join(world.store.home.runs, 'lanes', `${purpose}-${run.id}`),
    priority,
    owner: `${purpose} of ${run.name}`,
    signal,
  });
  signal.throwIfAborted();
  return validation;
}

function proofEnvironment(
  world: LaneWorld,
  run: Run,
  purpose: TreePurpose,
  worktree: string,
): Record<string, string> {
  const kept = Object.entries(world.env).filter(
    (it): it is [string, string] => it[1] !== undefined && !it[0].startsWith('GIT_'),
  );
  return {
    ...Object.fromEntries(kept),
    LANEHOLD_ATTEMPT: `${purpose}-${run.id}`,
    LANEHOLD_STAGE: 'validate',
    LANEHOLD_RUN: run.id,
    LANEHOLD_WORKTREE: worktree,
    LANEHOLD_HOME: world.store.home.root,
  };
}
