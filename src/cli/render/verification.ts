/** A verification while it runs, and its result. */
import type { VerificationReport, VerifiedFeature } from '../../app/verification.ts';
import type { TestEvent } from '../../features/verify.ts';
import type { EvidenceRun } from '../../store/evidence.ts';
import { enumerated } from '../../text/count.ts';
import { printable } from '../../text/printable.ts';
import { duration } from '../../text/time.ts';
import type { Context } from '../context.ts';
import { painter } from './colour.ts';

export interface VerificationProgress {
  readonly onTest: (event: TestEvent) => void;
  readonly stop: () => void;
}

/** A test that takes longer is said to be still running, again and again. */
const STILL_RUNNING_MS = 10_000;
const FAILURE_LINES = 15;

export async function verificationProgress(context: Context): Promise<VerificationProgress> {
  const paint = await painter(context, 'stderr');
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => clearInterval(timer);

  return {
    stop,
    onTest(event) {
      stop();
      const label = `${event.feature}: ${printable(event.test.command)}`;
      if (event.kind === 'started') {
        const started = performance.now();
        context.progress(`${label} …`);
        timer = setInterval(() => {
          const elapsed = duration(performance.now() - started);
          context.progress(paint.faint(`${label} has been running for ${elapsed}`));
        }, STILL_RUNNING_MS);
        return;
      }
      const passed = event.run.outcome === 'exited' && event.run.exitCode === 0;
      const word = passed ? paint.good('passed') : paint.bad('failed');
      const shared = event.shared ? ', the same run as before' : '';
      context.progress(`${label} ${word} (${howItEnded(event.run)}${shared})`);
      if (!passed && !event.shared) context.progress(failureOutput(event.run));
    },
  };
}

function howItEnded({ outcome, exitCode, detail, durationMs }: EvidenceRun): string {
  const time = duration(durationMs);
  switch (outcome) {
    case 'exited':
      return exitCode === 0 ? time : `exit code ${exitCode}, ${time}`;
    case 'timed-out':
      return `stopped after ${time}`;
    case 'killed':
      return `${detail}, ${time}`;
    case 'not-started':
      return `could not be started: ${detail}`;
  }
}

function failureOutput({ outputTail, outputFile, exitCode }: EvidenceRun): string {
  const lines = printable(outputTail.trimEnd()).split('\n').slice(-FAILURE_LINES);
  const missing = exitCode === 127 ? ['hint: a program of this command is not installed here'] : [];
  return [...lines.map((line) => `  ${line}`), `  (all of it: ${outputFile})`, ...missing].join(
    '\n',
  );
}

/** The verdict first, then one line for each feature that is not verified. */
export function verificationText({ verified, features }: VerificationReport): string {
  const others = features.filter(({ result }) => result !== 'passed');
  const verdict = verified
    ? `Verified ${features.length} of ${features.length}: ${features.map((it) => it.feature).join(', ')}`
    : `Not verified: ${others.length} of ${features.length}`;
  return [verdict, ...others.map((it) => `  ${it.feature}: ${problem(it)}`)].join('\n');
}

function problem({ feature, result, runs = [], changedFiles = [] }: VerifiedFeature): string {
  switch (result) {
    case 'passed':
      return 'verified';
    case 'failed': {
      const failed = runs.find((run) => run.outcome !== 'exited' || run.exitCode !== 0);
      return failed ? `\`${printable(failed.command)}\`: ${howItEnded(failed)}` : 'failed';
    }
    case 'changed-meanwhile':
      return `changed while its tests ran, which proves nothing: ${enumerated(changedFiles, 3)}\n    hint: run it again when nothing writes there; files that tests write belong in .gitignore`;
    case 'no-smoke':
      return `has no smoke test\n    hint: lanehold feature add ${feature} --replace --smoke '…', or verify ${feature} --attest --notes '…'`;
    case 'interrupted':
      return 'interrupted, nothing recorded';
  }
}
