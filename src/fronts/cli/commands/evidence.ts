import { checkEvidence, importEvidence, sendEvidence } from '../../../app/hold/evidence.ts';
import { ExitCode } from '../../../base/errors.ts';
import type { Transfer } from '../../../base/git/git.ts';
import { spinner } from '../../words/spinner.ts';
import { checkedText, countsAll, importedText, sentText } from '../../words/status.ts';
import { type Context, command, group, INTERRUPTED, interruptible } from '../command.ts';

/** Ctrl-C ends git; its progress is shown on a terminal. */
function transferring(context: Context, work: (transfer: Transfer) => Promise<number>) {
  return interruptible(async (signal) => {
    const spin = spinner(context);
    try {
      return await work({
        signal,
        progress: ({ stage, progress }) =>
          spin?.show(`git: ${stage.replace(':', '')} ${progress} %`),
      });
    } catch (error) {
      if (!signal.aborted) throw error;
      return context.print({ interrupted: true }, 'Interrupted', INTERRUPTED);
    } finally {
      spin?.stop();
    }
  });
}

const push = command({
  name: 'push',
  about: 'Note the evidence that holds at a commit, signed, and push the notes',
  options: [
    ['--remote <name>', 'where to; default: where the current branch goes'],
    ['--rev <revision>', 'the commit; default: HEAD'],
    ['--no-sign', 'unsigned, although git has a signing key'],
  ],
  examples: [
    ['lanehold evidence push', 'after a verification, so that CI need not run it again'],
    ['lanehold evidence push --rev HEAD~1 --remote upstream', 'of another commit, elsewhere'],
  ],
  run: (context, options) =>
    transferring(context, async (transfer) => {
      const report = await sendEvidence(context, options, transfer);
      return context.print(report.data, sentText(report, options.rev ?? 'HEAD'));
    }),
});

const pull = command({
  name: 'pull',
  about: 'Fetch the evidence of others and import what the policy lets count',
  options: [['--remote <name>', 'where from; default: where the current branch goes']],
  examples: [
    ['lanehold evidence pull', 'what a colleague or CI verified need not be run again here'],
    ['lanehold evidence pull --remote upstream', 'from another remote'],
  ],
  run: (context, options) =>
    transferring(context, async (transfer) => {
      return context.print(await importEvidence(context, options, transfer), importedText);
    }),
});

const verify = command({
  name: 'verify',
  about: 'Check the evidence noted at a commit: exit code 1 if any of it does not count',
  options: [
    ['--rev <revision>', 'the commit; default: HEAD'],
    ['--base <revision>', 'whose policy and signers count; default: the default branch'],
    ['--allowed-signers <file>', 'who may sign; default: the file of the base, or your own'],
  ],
  examples: [
    ['lanehold evidence verify', 'what is noted at HEAD, who signed it, does it count'],
    ['lanehold evidence verify --rev v1.2.0 --base origin/main', 'of a release'],
  ],
  async run(context, options) {
    const checked = await checkEvidence(context, options);
    const text = checkedText(checked, options.rev ?? 'HEAD', context.now());
    return context.print(checked, text, countsAll(checked) ? ExitCode.done : ExitCode.failed);
  },
});

export const declareEvidence = group({
  name: 'evidence',
  about: 'Send evidence with commits, import that of others, check it',
  commands: [push, pull, verify],
});
