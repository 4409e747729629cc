import type { Command } from 'commander';
import { ExitCode } from '../../errors.ts';
import type { Sent } from '../../evidence/send.ts';
import type { Signer } from '../../evidence/signing.ts';
import { plural } from '../../text/count.ts';
import { comparisonOf, gitOf } from '../comparison.ts';
import type { Context } from '../context.ts';
import { examples } from '../render/examples.ts';
import { openContextWorkspace } from '../workspace.ts';

type Options = { readonly remote?: string; readonly rev?: string; readonly sign: boolean };

export function declareEvidencePush(parent: Command, context: () => Context): void {
  parent
    .command('push')
    .description('Note the evidence that holds at a commit, signed, and push the notes')
    .option('--remote <name>', 'where to; default: where the current branch goes')
    .option('--rev <revision>', 'the commit; default: HEAD')
    .option('--no-sign', 'unsigned, although git has a signing key')
    .addHelpText(
      'after',
      examples(
        ['lanehold evidence push', 'after a verification, so that CI need not run it again'],
        ['lanehold evidence push --rev HEAD~1 --remote upstream', 'of another commit, elsewhere'],
      ),
    )
    .action(async (options: Options) => {
      process.exitCode = await runEvidencePush(context(), options);
    });
}

export async function runEvidencePush(context: Context, options: Options): Promise<ExitCode> {
  const [{ contentsAt }, { noteEvidence }, { configuredSigner }, { withScratch }] =
    await Promise.all([
      import('../../evidence/check.ts'),
      import('../../evidence/send.ts'),
      import('../../evidence/signing.ts'),
      import('../../evidence/ssh-signature.ts'),
    ]);
  const [{ gitIn }, { pushNotes }, { remoteMeant }] = await Promise.all([
    import('../../git/git.ts'),
    import('../../git/notes.ts'),
    import('../../git/refs.ts'),
  ]);
  const workspace = await openContextWorkspace(context);
  const git = gitOf(workspace);
  const { root } = workspace.place;
  const remote = await remoteMeant(git, options.remote);
  const comparison = await comparisonOf(workspace, { head: options.rev });
  const commit = comparison.subject.oid;
  const now = context.now();
  const items = await contentsAt(workspace, comparison, now);
  const { sent, signer } = await withScratch(context.env, async (scratch) => {
    const signer: Signer = options.sign
      ? await configuredSigner(git, root, scratch)
      : { kind: 'none', why: '`--no-sign` was given' };
    const sent = await noteEvidence(workspace, items, { git, commit, signer, scratch, now });
    return { sent, signer };
  });
  if (sent.length === 0) {
    context.print({ commit, remote, sent }, nothingText(options.rev ?? 'HEAD'));
    return ExitCode.done;
  }
  const network = gitIn(root, context.env, { network: true });
  const outcome = await pushNotes(git, network, remote);
  const signed = signer.kind !== 'none';
  context.print(
    { commit, remote, signed, pushed: outcome === 'sent', sent },
    sentText(sent, signer, remote),
  );
  return ExitCode.done;
}

function nothingText(revision: string): string {
  return `Nothing to send: no shared feature has evidence for the content of ${revision}\nhint: \`lanehold feature verify NAME --at ${revision}\``;
}

function sentText(sent: readonly Sent[], signer: Signer, remote: string): string {
  const names = [...new Set(sent.map(({ feature }) => feature))].join(', ');
  const added = sent.filter((it) => it.added).length;
  if (added === 0) return `${remote} has the evidence for ${names} already`;
  const verdict = `Sent ${plural(added, 'record')} to ${remote}: ${names}`;
  if (signer.kind !== 'none') return `${verdict}, signed`;
  return `${verdict}, unsigned (${signer.why}): it counts only where \`evidence.require\` is \`any\``;
}
