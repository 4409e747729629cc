/** The texts of a verification: while it runs, and at its end. */
import type { VerificationReport, VerifiedFeature, Waived } from '../../app/hold/verification.ts';
import { enumerated, printable, printableLine } from '../../base/text/printable.ts';
import { age, duration } from '../../base/text/time.ts';
import type { TestEvent } from '../../features/verify.ts';
import { type EvidenceRun, hasPassed } from '../../store/evidence.ts';
import type { Output } from './output.ts';
import { SLOW_MS, spinner } from './spinner.ts';
import { painter } from './table.ts';

/** A test that takes longer is reported as still running, again and again. */
const STILL_RUNNING_MS = 10_000;

export async function verificationProgress(context: Omit<Output, 'verbose'>) {
  const paint = await painter(context, 'stderr');
  const spin = spinner(context);
  const unseen = unseenLines();
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => {
    clearInterval(timer);
    spin?.stop();
  };

  return {
    stop,
    onStep(what: string): void {
      stop();
      const label = printableLine(what);
      if (spin !== undefined) {
        spin.show(label);
        return;
      }
      const started = performance.now();
      const say = (): void =>
        context.progress(paint.faint(`${label} (${duration(performance.now() - started)})`));
      timer = setInterval(() => {
        stop();
        say();
        timer = setInterval(say, STILL_RUNNING_MS);
      }, SLOW_MS);
    },
    onTest(event: TestEvent): void {
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
      const passed = hasPassed(event.run);
      const outcome = event.ranNoTest ? 'ran no test' : passed ? 'passed' : 'failed';
      const word = outcome === 'passed' ? paint.good(outcome) : paint.bad(outcome);
      const shared = event.shared ? ', the same run as before' : '';
      context.progress(`${label} ${word} (${howItEnded(event.run)}${shared})`);
      // A missing test run is reported at the end, with the path of the output.
      const isShown = !passed && !event.shared && !event.ranNoTest;
      if (isShown) context.progress(failureOutput(event, unseen));
    },
  };
}

/**
 * The lines of each failure that can be shown. Smoke tests of several features often fail by the same test: of a
 * failure that was mostly shown before, only new lines are left.
 */
export function unseenLines(): (failure: readonly string[]) => readonly string[] {
  const seen = new Set<string>();
  const withoutTimes = (line: string) => line.replaceAll(/\b\d+(?:\.\d+)? ?m?s\b/g, '').trim();
  return (failure) => {
    const lines = failure.map(printable);
    const written = lines.filter((it) => it.trim() !== '');
    const unseen = written.filter((it) => !seen.has(withoutTimes(it)));
    for (const it of unseen) seen.add(withoutTimes(it));
    if (unseen.length * 2 >= written.length) return lines;
    return [...unseen, '(else as the failure before)'];
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

function failureOutput(
  { run, failure }: Extract<TestEvent, { kind: 'ended' }>,
  unseen: ReturnType<typeof unseenLines>,
): string {
  const lines = unseen(failure).map((line) => `  ${line}`);
  return [...lines, `  (all of it: ${run.outputFile})`].join('\n');
}

/** The verdict, then one line for each feature that is not verified, or was elsewhere. */
export function verificationText(report: VerificationReport, now: Date): string {
  const { verified, features, beside = [], newPackages = [] } = report;
  const others = features.filter(({ result }) => result !== 'passed');
  const verdict = verified
    ? `Verified ${features.length} of ${features.length}: ${features.map((it) => it.feature).join(', ')}`
    : `Not verified: ${others.length} of ${features.length}`;
  const lines = [verdict, ...others.map((it) => `  ${it.feature}: ${problem(it)}`)];
  for (const { feature, elsewhere } of features) {
    if (elsewhere === undefined) continue;
    const by = elsewhere.by.replace(/^signed by /, 'by ');
    lines.push(`  ${feature}: verified ${printableLine(by)}, ${age(elsewhere.at, now)}`);
  }
  if (beside.length > 0) {
    const files = enumerated(beside, 3);
    lines.push(
      `  beside ${files}, which no push sends: to verify what it sends,`,
      '  add `--at HEAD` once all is committed; a file that git ignores does not count',
    );
  }
  if (newPackages.length > 0) {
    const have = newPackages.length === 1 ? 'has' : 'have';
    lines.push(
      `  ${enumerated(newPackages, 3)} ${have} no feature: \`lanehold feature discover --write --try\``,
    );
  }
  return lines.join('\n');
}

function problem(verified: VerifiedFeature): string {
  const { feature, runs = [], changedFiles = [], why = '', hint = '', failure = [] } = verified;
  switch (verified.result) {
    case 'passed':
      return 'verified';
    case 'failed': {
      const failed = runs.find((run) => !hasPassed(run));
      return failed ? `\`${printable(failed.command)}\`: ${howItEnded(failed)}` : 'failed';
    }
    case 'changed-meanwhile':
      return `changed while its tests ran, which proves nothing: ${enumerated(changedFiles, 3)}\n    hint: run it again when nothing writes there; files that tests write belong in .gitignore`;
    case 'no-smoke':
      return `has no smoke test\n    hint: give it one: \`lanehold feature add ${feature} --replace --smoke 'COMMAND'\`\n    or vouch for it: \`lanehold feature verify ${feature} --attest --notes 'NOTES'\``;
    case 'could-not-run': {
      const { outputFile = null } = verified;
      const lines = failure.map((line) => `\n      ${printable(line)}`).join('');
      // The output of a test was shown when it ended.
      const isShown = outputFile === null || verified.because === 'program-missing';
      const all = isShown ? '' : `\n    (all of it: ${outputFile})`;
      const fact = verified.because === 'ran-no-test' ? '' : 'could not run: ';
      return `${fact}${printable(why)}${lines}${all}\n    hint: ${printable(hint)}`;
    }
    case 'interrupted':
      return 'interrupted, nothing recorded';
  }
}

export function waivedText({ waived, expiresAt }: Waived): string {
  const until = expiresAt === null ? '' : `, and not after ${expiresAt.toISOString()}`;
  return `Waived ${waived.join(', ')} for exactly the present content${until}`;
}
