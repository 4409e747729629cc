import type { Command } from 'commander';
import { ExitCode, UsageError } from '../../errors.ts';
import type { Context } from '../context.ts';
import { examples } from '../render/examples.ts';
import { durationOf } from '../values.ts';
import { itemsFor } from '../verification-items.ts';
import { openContextWorkspace } from '../workspace.ts';

type Options = { readonly reason: string; readonly expires?: string; readonly at?: string };

export function declareFeatureWaive(parent: Command, context: () => Context): void {
  parent
    .command('waive')
    .argument('<name...>')
    .description('Let features leave unverified, for exactly their present content')
    .requiredOption('--reason <text>', 'why; it is recorded with your name')
    .option('--expires <duration>', 'the waiver ends after this time: 90m, 24h')
    .option('--at <revision>', 'waive the content of this revision instead of the working tree')
    .addHelpText(
      'after',
      examples(
        [
          "lanehold feature waive checkout --reason 'payment sandbox is down, tested by hand'",
          'until the next edit',
        ],
        ["lanehold feature waive checkout --reason 'hotfix' --expires 24h", 'a day at most'],
      ),
    )
    .action(async (names: string[], options: Options) => {
      process.exitCode = await runFeatureWaive(context(), names, options);
    });
}

export async function runFeatureWaive(
  context: Context,
  names: readonly string[],
  { reason, expires, at }: Options,
): Promise<ExitCode> {
  if (reason.trim() === '') {
    throw new UsageError('a waiver needs a reason', { hint: "--reason 'what makes it safe'" });
  }
  const [{ recordEvidence }, { redact }, { actorOf }, { subjectOf }] = await Promise.all([
    import('../../features/verify.ts'),
    import('../../text/redact/redact.ts'),
    import('../../agents/actor.ts'),
    import('./feature-pending.ts'),
  ]);
  const expiresAt =
    expires === undefined ? null : new Date(context.now().getTime() + durationOf(expires));
  const workspace = await openContextWorkspace(context);
  const subject = await subjectOf(workspace, at);
  const items = await itemsFor(workspace, { names, subject, now: context.now() });
  const actor = actorOf(context);
  const revision = subject.kind === 'revision' ? subject.oid : null;
  const ids = items.map((item) =>
    recordEvidence(
      workspace,
      item,
      {
        kind: 'waived',
        actor: actor.name,
        session: actor.session,
        reason: redact(reason),
        expiresAt,
        revision,
        source: null,
        runs: [],
      },
      context.now(),
    ),
  );
  const until = expiresAt === null ? '' : `, and not after ${expiresAt.toISOString()}`;
  context.print(
    { waived: names, reason: redact(reason), expiresAt, evidence: ids },
    `Waived ${names.join(', ')} for exactly the present content${until}`,
  );
  return ExitCode.done;
}
