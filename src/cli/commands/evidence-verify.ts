import type { Command } from 'commander';
import { ExitCode } from '../../errors.ts';
import type { Checked, CheckedRecord } from '../../evidence/check.ts';
import type { Trust } from '../../evidence/trust.ts';
import { plural } from '../../text/count.ts';
import { printableLine } from '../../text/printable.ts';
import { age } from '../../text/time.ts';
import { comparisonOf, gitOf } from '../comparison.ts';
import type { Context } from '../context.ts';
import { examples } from '../render/examples.ts';
import { openEvidenceWorkspace } from '../workspace.ts';

type Options = { readonly rev?: string; readonly base?: string; readonly allowedSigners?: string };

export function declareEvidenceVerify(parent: Command, context: () => Context): void {
  parent
    .command('verify')
    .description('Check the evidence noted at a commit: exit code 1 if any of it does not count')
    .option('--rev <revision>', 'the commit; default: HEAD')
    .option('--base <revision>', 'whose policy and signers count; default: the default branch')
    .option('--allowed-signers <file>', 'who may sign; default: the file of the base, or your own')
    .addHelpText(
      'after',
      examples(
        ['lanehold evidence verify', 'what is noted at HEAD, who signed it, does it count'],
        ['lanehold evidence verify --rev v1.2.0 --base origin/main', 'of a release'],
      ),
    )
    .action(async (options: Options) => {
      process.exitCode = await runEvidenceVerify(context(), options);
    });
}

export async function runEvidenceVerify(context: Context, options: Options): Promise<ExitCode> {
  const [{ checkNote }, { contentsAt }, { trustBetween }, { withScratch }] = await Promise.all([
    import('../../evidence/check.ts'),
    import('../../evidence/check.ts'),
    import('../../evidence/trust.ts'),
    import('../../evidence/ssh-signature.ts'),
  ]);
  const workspace = await openEvidenceWorkspace(context);
  const git = gitOf(workspace);
  const comparison = await comparisonOf(workspace, { head: options.rev, base: options.base });
  const { subject, trusted } = comparison;
  const sides = { head: subject.oid, base: trusted };
  const trust = await trustBetween(workspace, git, sides, options.allowedSigners);
  const now = context.now();
  const items = await contentsAt(workspace, comparison, now);
  const checked = await withScratch(context.env, (scratch) =>
    checkNote(items, { git, trust, now, scratch }, subject.oid),
  );
  const data = { commit: subject.oid, require: trust.require, signers: signersOf(trust) };
  context.print({ ...data, ...checked }, checkedText(checked, options.rev ?? 'HEAD', now));
  return checked.records.length > 0 && accepted(checked) === total(checked)
    ? ExitCode.done
    : ExitCode.failed;
}

const signersOf = ({ signers }: Trust) => (signers.kind === 'known' ? signers.from : null);
const accepted = ({ records }: Checked) => records.filter(({ refusal }) => refusal === null).length;
const total = ({ records, unreadable }: Checked) => records.length + unreadable.length;

function checkedText(checked: Checked, revision: string, now: Date): string {
  if (total(checked) === 0) return `No evidence is noted at ${revision}`;
  const verdict = `Accepted ${accepted(checked)} of ${plural(total(checked), 'record')} at ${revision}`;
  return [
    verdict,
    ...checked.records.map((it) => `  ${recordText(it, now)}`),
    ...checked.unreadable.map((reason) => `  a line that cannot be read: ${reason}`),
  ]
    .map((line) => printableLine(line, 240))
    .join('\n');
}

function recordText({ record, by, refusal }: CheckedRecord, now: Date): string {
  const what = `${record.feature}: ${record.kind} ${age(record.at, now)} by ${record.actor}`;
  const until = record.expiresAt === null ? '' : `, until ${record.expiresAt.toISOString()}`;
  return refusal === null ? `${what}${until}, ${by}` : `${what}: does not count: ${refusal}`;
}
