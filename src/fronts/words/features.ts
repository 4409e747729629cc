/** The texts of commands about features, the verdict first. */
import type { AddedFeature, SharedFeatures } from '../../app/hold/feature-editing.ts';
import type {
  DiscoveredFeatures,
  FeatureCoverage,
  FeatureHistory,
  FeatureList,
  ListedFeature,
  ShownFeature,
} from '../../app/hold/features.ts';
import type { PendingHold } from '../../app/hold/holds.ts';
import { enumerated, inLines, plural, printableLine } from '../../base/text/printable.ts';
import { age } from '../../base/text/time.ts';
import { reasonText } from '../../gate/denial.ts';
import { type Evidence, hasPassed } from '../../store/evidence.ts';
import type { Output } from './output.ts';
import { renderTable } from './table.ts';
import { outcome, remarksOn } from './tried.ts';

export function addedText({ feature, shared, files, unmatched, replaced }: AddedFeature): string {
  const { name, smoke } = feature;
  const where = shared ? 'lanehold.json' : 'this machine only; `--shared` writes lanehold.json';
  const size = `${plural(files, 'file')}, ${plural(smoke.length, 'smoke test')}`;
  return inLines([
    `${replaced ? 'Replaced' : 'Added'} feature ${name}: ${size} (${where})`,
    files === 0 && 'warning: its patterns match no file yet',
    ...unmatched.flatMap(({ pattern, meant }) => {
      if (meant !== undefined) return `warning: \`${pattern}\` is a folder: write \`${meant}\``;
      return files === 0 ? [] : `warning: \`${pattern}\` matches no file yet`;
    }),
    smoke.length === 0 && 'warning: without a smoke test it can only be attested',
    shared && 'hint: commit lanehold.json',
  ]);
}

export function listText({ features }: FeatureList, now: Date): string {
  if (features.length === 0) {
    return 'No features yet\nhint: `lanehold feature discover` looks for some';
  }
  const rows = features.map(({ name, state, at, fileCount, origin, smoke }) => [
    name,
    [state.replace('-', ' '), ...(at === null ? [] : [age(at, now)])].join(' '),
    plural(fileCount, 'file'),
    origin,
    smoke[0]?.command ?? '(no smoke test)',
  ]);
  const count = (wanted: ListedFeature['state']) =>
    features.filter(({ state }) => state === wanted).length;
  const vouched = (['attested', 'waived'] as const).flatMap((it) =>
    count(it) === 0 ? [] : `, ${count(it)} ${it}`,
  );
  const verdict = `${plural(features.length, 'feature')}, ${count('verified')} verified as they are now`;
  return `${verdict}${vouched.join('')}\n${renderTable(rows)}`;
}

export function shownText(shown: ShownFeature, { verbose, now }: Pick<Output, 'verbose' | 'now'>) {
  const { description, files, rest, smoke, dependsOn, origin, fingerprint, paths, fileCount } =
    shown;
  const withOthers = paths.length === fileCount ? '' : `, ${paths.length} with dependencies`;
  return inLines([
    `${shown.name}: ${stateText(shown, now())}`,
    description !== '' && `about        ${description}`,
    `files        ${rest ? 'each that counts and that no other feature has' : files.join('  ')}`,
    ...smoke.map(({ command, cwd, timeoutMs }) => {
      const where = cwd === '' ? '' : ` in ${cwd}`;
      return `smoke test   ${command}${where} (at most ${timeoutMs / 1000} s)`;
    }),
    dependsOn.length > 0 && `depends on   ${dependsOn.join(', ')}`,
    `registered   ${origin === 'local' ? 'on this machine only' : 'in lanehold.json'}`,
    `content      ${plural(fileCount, 'file')}${withOthers}`,
    verbose && [`fingerprint  ${fingerprint}`, ...paths.map((path) => `  ${path}`)],
  ]);
}

function stateText({ evidence, reason }: ShownFeature, now: Date): string {
  if (evidence === null) {
    return `not verified: ${reason === null ? 'unknown' : reasonText(reason, now)}`;
  }
  const { kind, at } = evidence;
  return `${kind === 'passed' ? 'verified' : kind} ${age(at, now)}`;
}

export function sharedText({ shared, publishGuard }: SharedFeatures): string {
  return inLines([
    shared.length > 0 && `Shared ${shared.join(', ')} in lanehold.json\nhint: commit lanehold.json`,
    publishGuard !== null && PUBLISH_GUARD[publishGuard],
  ]);
}

const PUBLISH_GUARD = {
  added: 'package.json asks the gate before `npm publish`\nhint: commit package.json',
  present: 'package.json asks the gate before `npm publish` already',
} as const;

/** The text of the file, without the line end that printing adds. */
export function draftText({ draft }: DiscoveredFeatures): string {
  return (draft ?? '{}').replace(/\n$/, '');
}

/** The number of needs that are shown for a proposal; the draft has all of them. */
const MOST_NEEDS = 4;

/** Fewer commits do not show how often a file changes. */
const FEWEST_COMMITS = 20;

export function discoveredText(discovered: DiscoveredFeatures): string {
  const { proposed, commits, added, kept, always, tried, unread } = discovered;
  if (proposed.length === 0) {
    return `Nothing to propose: ${noProposal(discovered)}\nhint: lanehold feature add NAME --files 'GLOB' --smoke 'COMMAND'`;
  }
  const table = renderTable(
    proposed.map(({ name, fileCount, smoke, dependsOn, because, changes }) => [
      name,
      plural(fileCount, 'file'),
      smoke.map((test) => test.command).join(' && ') || '(no smoke test)',
      [
        ...(kept.includes(name) ? ['registered already'] : []),
        ...tried.filter(({ feature }) => feature === name).map(outcome),
        because,
        ...(commits < FEWEST_COMMITS ? [] : [`changed by ${changes} of ${commits} commits`]),
        ...(dependsOn.length === 0 ? [] : [`depends on ${enumerated(dependsOn, MOST_NEEDS)}`]),
      ].join('; '),
    ]),
  );
  const fresh = proposed.length - kept.length;
  if (fresh === 0) {
    return `Nothing to add: ${plural(kept.length, 'proposal')} registered already\n${table}`;
  }
  const left = kept.length === 0 ? '' : `; ${kept.length} registered already, kept as they are`;
  const [verdict, hint] =
    added.length > 0
      ? [
          `Added ${plural(added.length, 'feature')} to lanehold.json${left}`,
          'edit lanehold.json until it says what matters, then commit it',
        ]
      : [
          `${plural(fresh, 'feature')} proposed, nothing written${left}`,
          '`lanehold feature discover --write` adds them to lanehold.json, `--draft` prints it',
        ];
  const shared = always.length === 0 ? [] : [`count for every feature: ${always.join(', ')}`];
  const notRead = unread === 0 ? [] : [`the imports of ${plural(unread, 'file')} were not read`];
  return [verdict, table, ...notRead, ...remarksOn(discovered), ...shared, `hint: ${hint}`].join(
    '\n',
  );
}

function noProposal({ untested, uncovered }: DiscoveredFeatures): string {
  if (!untested) return 'no source found here';
  const asked =
    uncovered === 'ask' ? ', so files of no feature wait for a person (`gate.uncovered`)' : '';
  return `nothing that runs tests found here${asked}`;
}

/** The most folders at the top that are listed; the others are shown by `--verbose`, or as JSON. */
const MOST_FOLDERS = 20;

export function coverageText(
  { covered, total, byFeature, always, uncovered, unmatched, hasRest }: FeatureCoverage,
  { verbose }: Pick<Output, 'verbose'>,
): string {
  const belong = covered === 1 ? 'belongs' : 'belong';
  const counts = byFeature.map(({ name, files }) => [`  ${name}`, plural(files, 'file')]);
  if (always > 0) counts.push(['  every one', `${plural(always, 'file')} (\`gate.always\`)`]);
  return inLines([
    `${covered} of ${plural(total, 'file')} ${belong} to a feature`,
    counts.length > 0 && renderTable(counts),
    ...uncoveredLines(uncovered, hasRest ? NOT_COUNTED : 'Of no feature:', verbose),
    ...unmatched.map(
      ({ feature, pattern }) =>
        `warning: \`${printableLine(pattern)}\` of ${feature} matches no file`,
    ),
    byFeature.length === 0 && 'hint: `lanehold feature discover` looks for some',
  ]);
}

const NOT_COUNTED = 'Hold nothing (documents, settings of editors, agents and CI):';

function uncoveredLines(uncovered: readonly string[], title: string, all: boolean): string[] {
  if (uncovered.length === 0) return [];
  if (all) return [title, ...uncovered.map((path) => `  ${printableLine(path, 4_096)}`)];
  const folders = Map.groupBy(uncovered, (path) => /^[^/]*\//.exec(path)?.[0] ?? '(top level)');
  const rows = [...folders]
    .sort(([, one], [, other]) => other.length - one.length)
    .map(([folder, paths]) => [`  ${folder}`, plural(paths.length, 'file')]);
  const more = rows.length - MOST_FOLDERS;
  return [
    title,
    renderTable(rows.slice(0, MOST_FOLDERS)),
    ...(more > 0 ? [`  and ${plural(more, 'folder')} more: \`--verbose\` lists every file`] : []),
  ];
}

export function pendingText({ data, sentences, pushSentences: pushes }: PendingHold): string {
  if (data.verdict === 'pass' && pushes.length === 0) return 'Nothing pending';
  const listed = (them: readonly string[]) => them.map((it) => `  ${it}`);
  return inLines([
    sentences.length > 0 && [`${sentences.length} pending`, ...listed(sentences)],
    pushes.length > 0 && ['Held before, and would be still:', ...listed(pushes)],
    data.held.length > 0 && 'hint: run `lanehold feature verify --pending`',
  ]);
}

export function historyText(
  { feature, records }: FeatureHistory,
  { verbose, now }: Pick<Output, 'verbose' | 'now'>,
): string {
  if (records.length === 0) return `No records for ${feature} yet`;
  return renderTable(
    records.map((it) => [
      it.kind,
      age(it.at, now()),
      it.source === null ? it.actor : `${it.actor}, ${it.source}`,
      detail(it),
      ...(verbose ? [it.fingerprint, `#${it.id}`] : []),
    ]),
  );
}

function detail({ kind, reason, runs, expiresAt }: Evidence): string {
  if (reason !== null) {
    return expiresAt === null ? reason : `${reason} (until ${expiresAt.toISOString()})`;
  }
  const failed = runs.find((run) => !hasPassed(run));
  if (kind === 'failed' && failed !== undefined) {
    const how = failed.outcome === 'exited' ? `exit code ${failed.exitCode}` : failed.outcome;
    return `${failed.command}: ${how}`;
  }
  return runs.map((run) => run.command).join('; ');
}
