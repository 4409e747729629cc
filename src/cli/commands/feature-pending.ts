import type { Command } from 'commander';
import { ExitCode } from '../../errors.ts';
import type { Subject } from '../../features/assess.ts';
import type { Workspace } from '../../features/workspace.ts';
import type { HeldFeature, Hold } from '../../gate/hold.ts';
import type { Context } from '../context.ts';
import { examples } from '../render/examples.ts';
import { openContextWorkspace } from '../workspace.ts';

type Options = { readonly head?: string };

export function declareFeaturePending(parent: Command, context: () => Context): void {
  parent
    .command('pending')
    .description('List features whose present content is not verified (exit code 3 if any)')
    .option('--head <revision>', 'look at this revision instead of the working tree')
    .addHelpText(
      'after',
      examples(
        ['lanehold feature pending', 'what a push of the working tree would be held for'],
        [
          'lanehold feature pending --head HEAD',
          'what a push of the last commit would be held for',
        ],
      ),
    )
    .action(async (options: Options) => {
      process.exitCode = await runFeaturePending(context(), options);
    });
}

export async function runFeaturePending(context: Context, options: Options): Promise<ExitCode> {
  const [{ ordinarily }, { holdOn }, { holdData }, { heldText }] = await Promise.all([
    import('../../gate/pending.ts'),
    import('../../gate/hold.ts'),
    import('../render/hold.ts'),
    import('../../gate/denial.ts'),
  ]);
  const workspace = await openContextWorkspace(context);
  const subject = await subjectOf(workspace, options.head);
  const now = context.now();
  const hold = await holdOn(workspace, [await ordinarily(workspace, subject)], now);
  context.print(
    holdData(hold),
    render(hold, (held) => heldText(held, now)),
  );
  return hold.features.length === 0 ? ExitCode.done : ExitCode.held;
}

/** @throws {UsageError} if the revision is none. */
export async function subjectOf(
  { git }: Workspace,
  revision: string | undefined,
): Promise<Subject> {
  if (revision === undefined) return { kind: 'worktree' };
  const { commitOf } = await import('../../git/refs.ts');
  return { kind: 'revision', oid: await commitOf(git, revision) };
}

function render({ features }: Hold, text: (held: HeldFeature) => string): string {
  if (features.length === 0) return 'Nothing pending';
  const lines = features.map((held) => `  ${text(held)}`);
  const verdict = `${features.length} pending`;
  return [verdict, ...lines, 'hint: run `lanehold feature verify --pending`'].join('\n');
}
