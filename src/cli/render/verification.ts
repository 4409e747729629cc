/** What a verification looks like while it runs, and when it has ended. */
import type { TestEvent, Verification } from '../../features/verify.ts';
import type { EvidenceRun } from '../../store/evidence.ts';
import { enumerated } from '../../text/count.ts';
import { printable } from '../../text/printable.ts';
import { duration } from '../../text/time.ts';
import type { Context } from '../context.ts';
import { painter } from './colour.ts';

export interface VerificationProgress {
  readonly onTest: (event: TestEvent) => void;
  stop(): void;
}

/** A long test says that it is still running. */
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

/** The verdict first, then one line for each feature that did not come out. */
export function summary(verifications: readonly Verification[]): { data: object; text: string } {
  const passed = verifications.filter(({ result }) => result === 'passed');
  const others = verifications.filter(({ result }) => result !== 'passed');
  const verdict =
    others.length === 0
      ? `Verified ${passed.length} of ${verifications.length}: ${names(passed)}`
      : `Not verified: ${others.length} of ${verifications.length}`;
  return {
    data: { verified: passed.length === verifications.length, features: verifications.map(toData) },
    text: [verdict, ...others.map((it) => `  ${it.assessed.feature.name}: ${problem(it)}`)].join(
      '\n',
    ),
  };
}

function names(verifications: readonly Verification[]): string {
  return verifications.map(({ assessed }) => assessed.feature.name).join(', ');
}

function problem(verification: Verification): string {
  const { name } = verification.assessed.feature;
  switch (verification.result) {
    case 'passed':
      return 'verified';
    case 'failed': {
      const failed = verification.runs.find(
        (run) => run.outcome !== 'exited' || run.exitCode !== 0,
      );
      return failed ? `\`${printable(failed.command)}\`: ${howItEnded(failed)}` : 'failed';
    }
    case 'changed-meanwhile':
      return `changed while its tests ran, which proves nothing: ${enumerated(verification.files, 3)}\n    hint: run it again when nothing writes there; files that tests write belong in .gitignore`;
    case 'no-smoke':
      return `has no smoke test\n    hint: lanehold feature add ${name} --replace --smoke '…', or verify ${name} --attest --notes '…'`;
    case 'interrupted':
      return 'interrupted, nothing recorded';
  }
}

function toData(verification: Verification): object {
  const { assessed, result } = verification;
  return {
    feature: assessed.feature.name,
    definedBy: assessed.definedBy,
    fingerprint: assessed.fingerprint,
    result,
    ...('evidenceId' in verification ? { evidence: verification.evidenceId } : {}),
    ...('runs' in verification ? { runs: verification.runs } : {}),
    ...('files' in verification ? { changedFiles: verification.files } : {}),
  };
}
