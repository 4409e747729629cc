/** How the smoke tests of proposed features ended, and what became of the proposals. */
import type { DiscoveredFeatures } from '../../app/hold/features.ts';
import type { TriedFeature } from '../../app/hold/try-proposals.ts';
import { enumerated } from '../../base/text/count.ts';
import { printable } from '../../base/text/printable.ts';
import { duration } from '../../base/text/time.ts';
import { hasPassed } from '../../store/evidence.ts';

const MOST_NAMED = 4;

/** In a few words, for a table. */
export function outcome(it: TriedFeature | undefined): string {
  const runs = it?.runs ?? [];
  const time = duration(runs.reduce((sum, run) => sum + run.durationMs, 0));
  switch (it?.result) {
    case 'passed':
      return `passed, ${time}`;
    case 'failed':
      return runs.some(({ outcome: how }) => how === 'timed-out') ? `over ${time}` : 'fails';
    case 'changed-meanwhile':
      return 'wrote files';
    case 'could-not-run':
      return 'cannot run';
    default:
      return 'not tried';
  }
}

/** What a person should know of the proposals, a sentence for each kind of result. */
export function remarksOn({ tried, uncovered }: DiscoveredFeatures): string[] {
  const those = (is: (it: TriedFeature) => boolean) => tried.filter(is);
  const named = (them: readonly TriedFeature[]) =>
    enumerated(
      them.map(({ feature }) => feature),
      MOST_NAMED,
    );
  const about = (
    them: readonly TriedFeature[],
    text: (names: string, first: TriedFeature) => string,
  ): string[] => {
    const [first] = them;
    return first === undefined ? [] : [text(named(them), first)];
  };
  return [
    ...about(
      those(({ fate }) => fate === 'not-proposed'),
      (_, it) =>
        `the whole suite ${whyNoProof(it)}: so ${uncovered === null ? 'files of no feature are not held' : 'you are asked about files of no feature (`gate.uncovered`)'}. Once it passes: \`lanehold init\` proposes it no more, \`lanehold feature discover --write\` does`,
    ),
    ...about(
      those(({ fate }) => fate === 'left'),
      (names) => `${names}: no test ran, so the whole suite has to pass for these files`,
    ),
    ...about(
      those(({ fate }) => fate === 'without-test'),
      (names, { feature }) =>
        `${names}: no test ran; once there is one: \`lanehold feature add ${feature} --replace --smoke 'COMMAND'\``,
    ),
    ...about(
      those((it) => it.fate === 'proposed' && it.result === 'could-not-run'),
      (names, { feature, why = '', hint = '' }) =>
        `${names}: ${printable(why)}; ${printable(hint)}; or another test: \`lanehold feature add ${feature} --replace --smoke 'COMMAND'\``,
    ),
    ...about(
      those((it) => it.fate === 'proposed' && it.result === 'failed'),
      (names) =>
        `${names}: failing now, so held until \`lanehold feature verify --pending\` passes`,
    ),
    ...about(
      those((it) => it.result === 'changed-meanwhile'),
      (names, { changedFiles = [] }) =>
        `${names}: the test writes ${enumerated(changedFiles, 2)}, which belongs in .gitignore`,
    ),
  ];
}

function whyNoProof({ runs = [], why, result }: TriedFeature): string {
  const failed = runs.find((run) => !hasPassed(run));
  if (result === 'interrupted') return 'was not run to its end';
  if (failed === undefined) return `cannot run: ${printable(why ?? '')}`;
  if (failed.outcome === 'timed-out') return `takes over ${duration(failed.durationMs)}`;
  return 'fails now';
}
