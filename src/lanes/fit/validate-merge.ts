/** Validates a merge: runs the validations of the lanes in it, or reuses verdicts on the same content. */
import { isAncestor, treeOf } from '../../base/git/plumbing.ts';
import { SetupFailedError } from '../../checkout/setup.ts';
import { type Integration, integrationStore } from '../../store/integrations.ts';
import { laneValidationStore, type Validation } from '../../store/lane-validations.ts';
import { type LaneView, laneStore, type Run } from '../../store/lanes.ts';
import { commandOf, type ValidationCommand } from '../judge/clean-run.ts';
import { validateCommit } from '../judge/validate-commit.ts';
import { settingsFor } from '../settings/settings-for.ts';
import { gitOfRun, type LaneContext } from '../spec/context.ts';
import { BASE_TESTS_FAILED } from '../spec/flags.ts';
import { scratchTree, type TreePurpose, withoutAttempt } from '../tree/scratch-tree.ts';

/** The commands of these lanes, each once, in their order. */
export function mergeCommands(lanes: readonly LaneView[]): ValidationCommand[] {
  const all = lanes.flatMap((lane) => commandOf(lane) ?? []);
  return all.filter((it, at) => all.findIndex(({ cmdHash }) => cmdHash === it.cmdHash) === at);
}

/** All rows that were integrated, landed or not; their lanes may be at work again. */
export function integratedRows({ store }: LaneContext, run: Run): Integration[] {
  const rows = integrationStore(store).ofRun(run.id);
  return rows.filter(({ state }) => state === 'integrated' || state === 'landed');
}

/** The lanes whose work is in the tip, in their present state. */
export function lanesInside(context: LaneContext, run: Run): LaneView[] {
  const inside = new Set(integratedRows(context, run).map(({ laneId }) => laneId));
  return laneStore(context.store)
    .ofRun(run.id)
    .filter(({ id }) => inside.has(id));
}

/** The lanes integrated in a commit that have not landed. A ref can be moved back by hand, so the commit decides. */
export async function integratedIn(context: LaneContext, run: Run, tip: string) {
  const { store } = context;
  const git = gitOfRun(context, run);
  const inside: { readonly lane: LaneView; readonly row: Integration }[] = [];
  for (const row of integrationStore(store).ofRun(run.id)) {
    if (row.state !== 'integrated' || row.resultSha === null) continue;
    const lane = laneStore(store).byId(row.laneId);
    if (lane && (await isAncestor(git, row.resultSha, tip))) inside.push({ lane, row });
  }
  return inside;
}

/** Whether the tip passes the present validations of all lanes in it. */
export function isTipValidated(context: LaneContext, run: Run, tip: string): boolean {
  const commands = mergeCommands(lanesInside(context, run));
  return commands.every((it) => lastOn(context, run, tip, it)?.result === 'pass');
}

function lastOn({ store }: LaneContext, run: Run, sha: string, { cmdHash }: ValidationCommand) {
  return laneValidationStore(store)
    .ofRun(run.id)
    .findLast((it) => it.sha === sha && it.subject === 'integration' && it.cmdHash === cmdHash);
}

export type MergeVerdict = Awaited<ReturnType<typeof validateMerge>>;

export interface MergeToValidate {
  readonly context: LaneContext;
  readonly run: Run;
  readonly purpose: TreePurpose;
  readonly sha: string;
  readonly commands: readonly ValidationCommand[];
  readonly base: string;
  /** `commit`: needs a pass of exactly this commit; `content`: a verdict on the same tree is enough. */
  readonly evidence: 'commit' | 'content';
  readonly signal: AbortSignal;
  /** The base's tests have to pass as well, although lanes have changed them. */
  readonly withBaseTests?: boolean;
}

/**
 * Reuses known verdicts. Stops at the first command that does not pass.
 *
 * @returns `by`: the passed validations, by the hash of their command; `unclear`: it could not run, or it is flaky, and
 *   no lane is to blame.
 */
export async function validateMerge(question: MergeToValidate) {
  const { context, run, sha } = question;
  const tree = await treeOf(gitOfRun(context, run), sha);
  const passed = new Map<string, Validation>();
  for (const command of question.commands) {
    try {
      const validation = known(question, tree, command) ?? (await validate(question, command));
      const { result } = validation;
      const breaksBase = validation.flags.some((it) => it.startsWith(BASE_TESTS_FAILED));
      const isBroken = breaksBase && question.withBaseTests === true;
      if (result === 'fail' || result === 'timeout' || isBroken)
        return { kind: 'fail' as const, validation };
      if (result !== 'pass')
        return { kind: 'unclear' as const, why: unclearText(validation), validation };
      passed.set(command.cmdHash, validation);
    } catch (error) {
      // A failed setup says nothing about the tests, so there is no verdict.
      if (!(error instanceof SetupFailedError)) throw error;
      return { kind: 'unclear' as const, why: error.message, validation: undefined };
    }
  }
  return { kind: 'pass' as const, by: passed };
}

/** The known verdict. For a commit that moves the tip only a pass is reused: a failure may have had another cause. */
function known(
  { context, run, sha, evidence }: MergeToValidate,
  tree: string,
  command: ValidationCommand,
): Validation | undefined {
  if (evidence === 'commit') {
    const last = lastOn(context, run, sha, command);
    return last?.result === 'pass' ? last : undefined;
  }
  const ofRun = laneValidationStore(context.store).ofRun(run.id);
  const last = ofRun.findLast((it) => it.cmdHash === command.cmdHash && it.tree === tree);
  return last?.result === 'pass' || last?.result === 'fail' ? last : undefined;
}

function unclearText({ cmd, result, why, exitCode }: Validation): string {
  const exit = exitCode === null ? '' : ` (exit code ${exitCode})`;
  const how =
    result === 'flaky' ? 'passes and fails on the same commit' : `could not be run${exit}`;
  return `\`${cmd}\` ${how}${why && `: ${why}`}`;
}

/** Finished work waits for an integration. Trial merges run after everything that is waited for. */
const PRIORITY: Readonly<Record<TreePurpose, number>> = { integration: 10, composition: -10 };

async function validate(question: MergeToValidate, command: ValidationCommand) {
  const { context, run, purpose, sha, base, signal, withBaseTests = false } = question;
  signal.throwIfAborted();
  const { home } = context.store;
  const settings = await settingsFor(context, run);
  const { marker, dir } = scratchTree(home, purpose, run);
  return withoutAttempt(home, { marker, run, ports: command.ports }, (place) =>
    validateCommit(context, {
      subject: purpose,
      run,
      sha,
      base,
      command,
      // Removed tests were judged with the lane.
      removesTests: 'declared',
      withBaseTests,
      dir,
      place,
      settings,
      priority: PRIORITY[purpose],
      signal,
    }),
  );
}
