import type { Command } from 'commander';
import { ExitCode, UsageError } from '../../errors.ts';
import type { Assessed, Subject } from '../../features/assess.ts';
import type { Verification } from '../../features/verify.ts';
import type { Workspace } from '../../features/workspace.ts';
import type { Context } from '../context.ts';
import { examples } from '../render/examples.ts';
import { itemsFor } from '../verification-items.ts';
import { openContextWorkspace } from '../workspace.ts';
import { subjectOf } from './feature-pending.ts';

type Options = {
  readonly pending?: boolean;
  readonly at?: string;
  readonly attest?: boolean;
  readonly notes?: string;
};

/** What a shell reports for a program that ended on Ctrl-C. */
const INTERRUPTED = 130;

export function declareFeatureVerify(parent: Command, context: () => Context): void {
  parent
    .command('verify')
    .argument('[name...]')
    .description('Run the smoke tests of features and record how they ended')
    .option('--pending', 'every feature that is held now')
    .option('--at <revision>', 'in a temporary worktree of this revision, not in the working tree')
    .option('--attest', 'run nothing and vouch for it; for features without a smoke test')
    .option('--notes <text>', 'what was checked, for --attest')
    .addHelpText(
      'after',
      examples(
        ['lanehold feature verify --pending', 'all that a push would be held for'],
        ['lanehold feature verify checkout cart', 'these two'],
        [
          'lanehold feature verify checkout --at HEAD',
          'the last commit, whatever lies in the tree',
        ],
        ["lanehold feature verify docs --attest --notes 'read it through'", 'nothing to run'],
      ),
    )
    .action(async (names: string[], options: Options) => {
      process.exitCode = await runFeatureVerify(context(), names, options);
    });
}

export async function runFeatureVerify(
  context: Context,
  names: readonly string[],
  options: Options,
): Promise<number> {
  if (names.length === 0 && !options.pending) {
    throw new UsageError('say which features to verify', {
      hint: '`lanehold feature verify --pending`, or their names',
    });
  }
  const workspace = await openContextWorkspace(context);
  const subject = await subjectOf(workspace, options.at);
  const selected = options.pending ? 'pending' : names;
  const items = await itemsFor(workspace, { names: selected, subject, now: context.now() });
  if (items.length === 0) {
    context.print({ verified: [] }, 'Nothing pending');
    return ExitCode.done;
  }
  if (options.attest) return attest(context, workspace, items, { notes: options.notes, subject });
  return verify(context, workspace, items, subject);
}

async function verify(
  context: Context,
  workspace: Workspace,
  items: readonly Assessed[],
  subject: Subject,
): Promise<number> {
  const [
    { verifyFeatures },
    { withVerificationCheckout },
    { actorOf },
    { verificationProgress, summary },
  ] = await Promise.all([
    import('../../features/verify.ts'),
    import('../../features/verification-checkout.ts'),
    import('../../agents/actor.ts'),
    import('../render/verification.ts'),
  ]);
  const interruption = new AbortController();
  const interrupt = (): void => interruption.abort();
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, interrupt);
  const actor = actorOf(context);
  const progress = await verificationProgress(context);
  try {
    const verifications = await withVerificationCheckout(
      workspace,
      subject,
      context.env,
      (checkout) =>
        verifyFeatures(checkout, items, {
          actor: actor.name,
          session: actor.session,
          env: context.env,
          now: context.now,
          signal: interruption.signal,
          onTest: progress.onTest,
        }),
    );
    const { data, text } = summary(verifications);
    context.print(data, text);
    return exitCodeOf(verifications);
  } finally {
    progress.stop();
    for (const signal of signals) process.off(signal, interrupt);
  }
}

function exitCodeOf(verifications: readonly Verification[]): number {
  if (verifications.some(({ result }) => result === 'interrupted')) return INTERRUPTED;
  return verifications.every(({ result }) => result === 'passed') ? ExitCode.done : ExitCode.failed;
}

async function attest(
  context: Context,
  workspace: Workspace,
  items: readonly Assessed[],
  { notes, subject }: { notes: string | undefined; subject: Subject },
): Promise<number> {
  if (notes === undefined || notes.trim() === '') {
    throw new UsageError('an attestation needs notes', { hint: "--notes 'what was checked'" });
  }
  const [{ recordEvidence }, { policyAt }, { ordinarily }, { redact }, { actorOf }] =
    await Promise.all([
      import('../../features/verify.ts'),
      import('../../features/assess.ts'),
      import('../../gate/pending.ts'),
      import('../../text/redact/redact.ts'),
      import('../../agents/actor.ts'),
    ]);
  const policy = await policyAt(workspace, await ordinarily(workspace, subject));
  const testable = items.find(({ feature }) => feature.smoke.length > 0);
  if (testable !== undefined && policy.attest === 'without-smoke') {
    throw new UsageError(`\`${testable.feature.name}\` has a smoke test, so it has to be run`, {
      hint: `\`lanehold feature verify ${testable.feature.name}\`, or set \`gate.attest\` to \`any\``,
    });
  }
  const actor = actorOf(context);
  for (const item of items) {
    recordEvidence(
      workspace,
      item,
      {
        kind: 'attested',
        actor: actor.name,
        session: actor.session,
        reason: redact(notes),
        expiresAt: null,
        revision: subject.kind === 'revision' ? subject.oid : null,
        source: null,
        runs: [],
      },
      context.now(),
    );
  }
  const attested = items.map(({ feature }) => feature.name);
  context.print({ attested, notes: redact(notes) }, `Attested ${attested.join(', ')}`);
  return ExitCode.done;
}
