import type { Command } from 'commander';
import { ExitCode } from '../../errors.ts';
import type { ImportedEvidence } from '../../evidence/import.ts';
import { plural } from '../../text/count.ts';
import { printableLine } from '../../text/printable.ts';
import { comparisonOf, gitOf } from '../comparison.ts';
import type { Context } from '../context.ts';
import { examples } from '../render/examples.ts';
import { openFeatures } from '../workspace.ts';

type Options = { readonly remote?: string };

const MOST_REFUSALS = 5;

export function declareEvidencePull(parent: Command, context: () => Context): void {
  parent
    .command('pull')
    .description('Fetch the evidence of others and take over what the policy lets count')
    .option('--remote <name>', 'where from; default: where the current branch goes')
    .addHelpText(
      'after',
      examples(
        ['lanehold evidence pull', 'what a colleague or CI verified need not be run again here'],
        ['lanehold evidence pull --remote upstream', 'from another remote'],
      ),
    )
    .action(async (options: Options) => {
      process.exitCode = await runEvidencePull(context(), options);
    });
}

export async function runEvidencePull(context: Context, options: Options): Promise<ExitCode> {
  const [{ importEvidence }, { trustBetween }, { withScratch }] = await Promise.all([
    import('../../evidence/import.ts'),
    import('../../evidence/trust.ts'),
    import('../../evidence/ssh-signature.ts'),
  ]);
  const [{ gitIn }, { fetchNotes }, { remoteMeant }] = await Promise.all([
    import('../../git/git.ts'),
    import('../../git/notes.ts'),
    import('../../git/refs.ts'),
  ]);
  const { workspace, registry } = await openFeatures(context);
  const git = gitOf(workspace);
  const remote = await remoteMeant(git, options.remote);
  await fetchNotes(git, gitIn(workspace.place.root, context.env, { network: true }), remote);
  const { subject, trusted } = await comparisonOf(workspace, {});
  const sides = { head: subject.oid, base: trusted };
  // No file can be named here: what is taken over lifts holds of the agent that may be asking.
  const trust = await trustBetween(workspace, git, sides, undefined);
  const now = context.now();
  const taken = await withScratch(context.env, (scratch) =>
    importEvidence(workspace, registry.features, { git, trust, now, scratch }, subject.oid),
  );
  context.print({ remote, require: trust.require, ...taken }, takenText(taken, remote));
  return ExitCode.done;
}

function takenText({ records, refusals, unreadable }: ImportedEvidence, remote: string): string {
  const verdict =
    records.length === 0
      ? `No evidence of ${remote} is new here`
      : `Took over ${plural(records.length, 'record')} from ${remote}`;
  const taken = records.map((it) => `  ${it.feature}: ${it.kind}, ${it.source}`);
  const refused = refusals
    .slice(0, MOST_REFUSALS)
    .map((it) => `  ${it.feature} at ${it.commit.slice(0, 12)}: ${it.reason}`);
  const rest = refusals.length - refused.length;
  return [
    verdict,
    ...taken.slice(0, 20),
    ...(taken.length > 20 ? [`  and ${taken.length - 20} more`] : []),
    ...(refused.length > 0 ? ['Does not count:', ...refused] : []),
    ...(rest > 0 ? [`  and ${rest} more`] : []),
    ...(unreadable > 0 ? [`${plural(unreadable, 'note line')} could not be read`] : []),
  ]
    .map((line) => printableLine(line, 200))
    .join('\n');
}
