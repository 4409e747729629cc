/** The results of the smoke tests of proposed features, and the fate of the proposals. */
import type { DiscoveredFeatures } from '../../app/hold/features.ts';
import type { TriedFeature } from '../../app/hold/try-proposals.ts';
import { enumerated, plural, printable } from '../../base/text/printable.ts';
import { duration } from '../../base/text/time.ts';
import { isPartOfSuite } from '../../features/verify.ts';
import { hasPassed } from '../../store/evidence.ts';

const MOST_NAMED = 4;

export function outcome(it: TriedFeature | undefined): string {
  const runs = it?.runs ?? [];
  const counted = it?.tests == null ? ['passed'] : [`${plural(it.tests, 'test')} passed`];
  const time = duration(runs.reduce((sum, run) => sum + run.durationMs, 0));
  switch (it?.result) {
    case 'passed':
      if (runs.some(isPartOfSuite)) return 'passed with the whole suite';
      return [...counted, time].join(', ');
    case 'failed':
      return runs.some(({ outcome: how }) => how === 'timed-out') ? `over ${time}` : 'fails';
    case 'changed-meanwhile':
      return 'wrote files';
    case 'could-not-run':
      return it.because === 'ran-no-test' ? 'ran no test' : 'cannot run';
    default:
      return 'not tried';
  }
}

/** Remarks on the proposals for a person, a sentence for each kind of result. */
export function remarksOn({ tried, uncovered }: DiscoveredFeatures): string[] {
  const about = (
    is: (it: TriedFeature) => boolean,
    text: (names: string, last: TriedFeature) => string,
  ): string[] => {
    const those = tried.filter(is);
    const names = those.map(({ feature }) => feature);
    // The whole suite comes last, and says most.
    const last = those.at(-1);
    return last === undefined ? [] : [text(enumerated(names, MOST_NAMED), last)];
  };
  const another = ({ feature }: TriedFeature) =>
    `\`lanehold feature add ${feature} --replace --smoke 'COMMAND'\``;
  const asked =
    uncovered === null ? 'go as `gate.uncovered` says' : 'wait for a person (`gate.uncovered`)';
  return [
    ...about(
      ({ fate }) => fate === 'not-proposed',
      (names, it) =>
        `not proposed: ${names} (the test ${whyNoProof(it)}); files of no feature ${asked}; once it passes: \`lanehold feature discover --write\``,
    ),
    ...about(
      ({ fate }) => fate === 'left',
      (names) => `${names}: no test ran, so the whole suite has to pass for these files`,
    ),
    ...about(
      ({ fate, result }) => fate === 'proposed' && result === 'could-not-run',
      (names, it) =>
        `${names}: ${printable(it.why ?? '')}; ${printable(it.hint ?? '')}; or another test: ${another(it)}`,
    ),
    ...about(
      ({ fate, result }) => fate === 'proposed' && result === 'failed',
      (names) => `${names}: failing, so held until \`lanehold feature verify --pending\` passes`,
    ),
    ...about(
      ({ result }) => result === 'changed-meanwhile',
      (names, { changedFiles = [] }) =>
        `${names}: the test writes ${enumerated(changedFiles, 2)}, which belongs in .gitignore`,
    ),
  ];
}

function whyNoProof({ runs = [], why = '', hint, because, result }: TriedFeature): string {
  const failed = runs.find((run) => !hasPassed(run));
  if (result === 'interrupted') return 'was not run to its end';
  if (because === 'ran-no-test') return 'ran no test';
  if (failed === undefined) {
    const help =
      because === 'program-missing' ? `; ${hint?.replace(/[;,] then verify again$/, '')}` : '';
    return `cannot run: ${printable(`${why}${help}`)}`;
  }
  if (failed.outcome === 'timed-out') return `takes over ${duration(failed.durationMs)}`;
  return 'fails now';
}
