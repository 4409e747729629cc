/** The texts of commands about runs and lanes. */

import type { checkHandoff } from '../../app/lanes/handoffs.ts';
import type { explainIntegration, RunIntegration } from '../../app/lanes/integration.ts';
import type { answerWorker, tellLane } from '../../app/lanes/lane-messages.ts';
import type { Remainder } from '../../app/lanes/lane-waiting.ts';
import type { createLane, RetriedLane } from '../../app/lanes/lanes.ts';
import type { planLanes } from '../../app/lanes/plan.ts';
import type { collectGarbage, landRun, spawnLanes, syncRun } from '../../app/lanes/runs.ts';
import type { Comparison, pickLane } from '../../app/lanes/tries.ts';
import { ExitCode } from '../../base/errors.ts';
import {
  compactCount,
  enumerated,
  inLines,
  plural,
  printable,
  printableLine,
  shortRef,
} from '../../base/text/printable.ts';
import { shellWord } from '../../base/text/shell-quote.ts';
import { resolvedText } from '../../lanes/fit/open-conflicts.ts';
import type { GcItem } from '../../lanes/keep/collect.ts';
import { joined, shownState, useWords } from '../../lanes/look/note.ts';
import type { PullReport } from '../../lanes/pull/open.ts';
import type { PushedTarget } from '../../lanes/pull/push.ts';
import { is, stateClause, stateWords } from '../../lanes/spec/lane-states.ts';
import { conflictClause, culpritClause } from '../../lanes/spec/outcomes.ts';
import { renderTable } from './table.ts';

const SHOWN_LANES = 10;
/** The longest cause, which is shown whole. */
const MOST_CHARS = 2_000;

type Result<UseCase extends (...args: never[]) => unknown> = Awaited<ReturnType<UseCase>>;

/** The exit code of a command that may have waited for lanes. */
export function waitExitCode({ notDone = [] }: Partial<Remainder>): ExitCode {
  return notDone.length === 0 ? ExitCode.done : ExitCode.failed;
}

/** Which lanes are not done although they were waited for, and the next command. */
function notDoneLines({ notDone = [], next }: Partial<Remainder>): string[] {
  if (notDone.length === 0) return [];
  const lanes = notDone.map((it) => `${it.key} (${stateWords(it.state, it.isStopped)})`);
  return [`Not done: ${enumerated(lanes, SHOWN_LANES)}; next: ${next}`];
}

export function spawnedText(spawned: Result<typeof spawnLanes>): string {
  const { lanes, waiting } = spawned;
  const lines = lanes.map(({ key, state }) => stateLine(key, state, waiting[key]));
  const all = lines.length === 0 ? ['No lane is left to start'] : lines;
  return [...all, ...notDoneLines(spawned)].join('\n');
}

export function retriedText(retried: RetriedLane): string {
  const { key, state } = retried.lane;
  const line = stateLine(key, state, retried.waiting ?? undefined);
  return [line, ...notDoneLines(retried)].join('\n');
}

function stateLine(key: string, state: string, waits: string | undefined): string {
  return `${key}: ${state}${waits === undefined ? '' : ` (${printableLine(waits, MOST_CHARS)})`}`;
}

export function syncedText(synced: Result<typeof syncRun>): string {
  const { takenOver, started, waiting } = synced;
  const lines = [
    ...takenOver.map((key) => `took over ${key}`),
    ...started.map((key) => `started ${key}`),
    ...Object.entries(waiting).map(
      ([key, why]) => `${key} waits: ${printableLine(why, MOST_CHARS)}`,
    ),
    ...notDoneLines(synced),
  ];
  return lines.join('\n') || 'Nothing to do';
}

export function addedText(
  { lane, lanes, overlaps, uncommittedIn, obstacles = [], hint, copied }: Result<typeof createLane>,
  how: 'started' | 'planned',
): string {
  const { key, spec, headSha } = lane;
  const task = spec.tries?.of ?? key;
  const agents = (lanes ?? [lane]).map((it) => it.spec.agent).join(', ');
  const what = lanes ? `${lanes.length} tries of ${task}` : `lane ${key}`;
  const branch = spec.branch && shortRef(spec.branch);
  const open = `"$(lanehold orchestrate lane open ${key})"`;
  return [
    branch
      ? `Added lane ${key} with what ${printableLine(branch, 300)} has at ${headSha?.slice(0, 12)}`
      : `Added ${what} for ${agents}`,
    ...obstacles.map((it) => `It cannot be set up here: ${printableLine(it, 300)}`),
    hint && `hint: ${hint}`,
    copied && `Each lane has its own copy of the packages on disk: ${printableLine(copied, 300)}`,
    overlaps.length > 0 &&
      `It touches what ${enumerated(overlaps, MOST)} touch: one waits for the other\nhint: to build on it: \`lanehold orchestrate lane edit ${key} --needs ${overlaps[0]}\``,
    uncommittedIn && `Not in it: changes in ${printableLine(uncommittedIn, 400)} without a commit`,
    how === 'started'
      ? 'See: lanehold orchestrate status'
      : `Start ${lanes ? 'them' : 'it'}: lanehold orchestrate spawn ${task}`,
    lanes && `Compare them: lanehold orchestrate lane compare ${task}`,
    branch &&
      `Take in later commits:\n  git -C ${open} merge --ff-only ${shellWord(branch)}\n  lanehold orchestrate verify ${key}`,
  ]
    .filter(Boolean)
    .join('\n');
}

export function planText({ specs, overlaps, added }: Result<typeof planLanes>): string {
  const lanes = specs.flatMap(({ key, spec }) => {
    const { desc, needs, touches, validate = '', agent, overlaps: may } = spec;
    const after = needs.length === 0 ? '' : ` (after ${needs.join(', ')})`;
    const facts = joined('; ', [
      touches.length > 0 && `touches ${enumerated(touches, MOST)}`,
      may === 'allowed' && 'beside others that touch it',
      `\`${printableLine(validate, 200)}\``,
      agent,
    ]);
    return [`${key}${after}: ${printableLine(desc, 100)}`, `  ${facts}`];
  });
  const waits = overlaps.map(
    ([one, other]) => `${one} and ${other} touch the same files: one waits for the other`,
  );
  const last = added
    ? `Added ${plural(specs.length, 'lane')}; start them: lanehold orchestrate spawn --ready`
    : 'Nothing was added: --dry-run';
  return [...lanes, ...waits, last].join('\n');
}

export function comparisonText({ lanes }: Comparison): string {
  const rows = lanes.map(({ key, agent, diff, files, tests, used, ...lane }) => [
    ...[key, shownState(lane), agent],
    diff === null ? '' : `+${diff.added} -${diff.removed} in ${plural(files.length, 'file')}`,
    joined(', ', [
      tests.ran !== null && `${tests.ran} ran`,
      tests.ran !== null && tests.ranOnBase !== null && `${tests.ranOnBase} on the base`,
      tests.failed.length > 0 && `${tests.failed.length} failed`,
      tests.removed.length > 0 && `${tests.removed.length} removed`,
    ]),
    used === null ? '' : useWords(used),
  ]);
  const notes = lanes.flatMap(({ key, note }) => (note === '' ? [] : [`${key}: ${note}`]));
  const all = lanes.flatMap(({ files }) => files);
  const alone = lanes.flatMap(({ key, files }) => {
    const own = files.filter((path) => all.indexOf(path) === all.lastIndexOf(path));
    return own.length === 0 ? [] : [`only ${key}: ${printableLine(enumerated(own, 8), 400)}`];
  });
  const open = lanes.filter(({ state, rivals }) => state === 'verified' && rivals.length > 0);
  return [
    renderTable([['LANE', 'STATE', 'AGENT', 'DIFF', 'TESTS', 'USED'], ...rows]),
    ...notes,
    ...alone,
    ...open.map(({ key, task }) => `hint: \`lanehold orchestrate lane pick ${task} ${key}\``),
  ].join('\n');
}

/** The picked try; a try that was given up unfinished may have been better, so its state is shown. */
export function pickedText({ lane, lost }: Result<typeof pickLane>): string {
  const given = lost.map(({ key, state }) => `${key} (${state})`).join(', ');
  return `Picked ${lane.key}, ${lane.state}; ${given ? `cancelled ${given}` : 'no other was left'}`;
}

export function collectedText({ mode, removed, kept }: Result<typeof collectGarbage>): string {
  const verb = mode === 'dry-run' ? 'would remove' : 'removed';
  const named = ({ run, what, name }: GcItem) => `${run}: ${what} ${printableLine(name, 300)}`;
  const bytes = removed.reduce((sum, it) => sum + it.bytes, 0);
  const size = bytes === 0 ? '' : `, ${compactCount(bytes)}B`;
  const least = removed.every(({ isWhole }) => isWhole) ? '' : ' at least';
  const first =
    removed.length === 0
      ? 'nothing to remove'
      : `${verb} ${plural(removed.length, 'thing')}${size}${least}`;
  return inLines([
    first,
    ...removed.map((item) => `  ${named(item)}`),
    kept.length > 0 && `kept ${kept.length}`,
    ...[...Map.groupBy(kept, ({ why = '' }) => why)].map(([why, items]) => {
      const [first] = items;
      const what = first && items.length === 1 ? named(first) : `${items.length} of them`;
      return `  ${what}: ${printableLine(why, 300)}`;
    }),
  ]);
}

export function checkedText({ lines, untrue }: Result<typeof checkHandoff>): string {
  if (untrue.length === 0) return `Still true: all ${plural(lines, 'line')}`;
  const are = untrue.length === 1 ? 'is' : 'are';
  return [
    `${untrue.length} of ${plural(lines, 'line')} ${are} not true any more`,
    ...untrue.flatMap(({ about, was, now }) => [
      `${printableLine(about)}: ${printableLine(now, 400)}`,
      `  was: ${printableLine(was, 400)}`,
    ]),
    'hint: run `lanehold orchestrate handoff` for what is true now',
  ].join('\n');
}

const MOST = 5;

export function integrationText(report: RunIntegration): string {
  const rows = rowsOf(report);
  return inLines([
    ...report.accepted.map(
      ({ lane, by, flags }) =>
        `Accepted ${lane}, as ${printableLine(by)}: ${printableLine(flags.join(', '), MOST_CHARS)}`,
    ),
    verdict(report),
    rows.length > 0 && renderTable(rows, Number.POSITIVE_INFINITY),
    ...targetLines(report),
    ...featureLines(report),
    ...hints(report),
  ]);
}

export function integrationStepsText({
  run,
  at,
  steps,
}: Result<typeof explainIntegration>): string {
  if (at === null) return `Nothing of ${run} was integrated yet`;
  return [`Integration of ${run}, ${at}`, ...steps.map((it) => `  ${printableLine(it, 400)}`)].join(
    '\n',
  );
}

function verdict({ integrated, stopped, target, ...report }: RunIntegration): string {
  const refused = report.culprits.length + report.conflicts.length + report.withheld.length;
  if (stopped !== undefined) return `Nothing integrated: ${printableLine(stopped, MOST_CHARS)}`;
  const all = integrated.length + refused;
  if (all === 0) {
    return target.state === 'merged'
      ? `Brought ${shortRef(target.ref)} into the integration`
      : 'Nothing to integrate';
  }
  if (integrated.length === 0) return `Integrated none of ${plural(all, 'lane')}`;
  const names = integrated.map(({ lane }) => lane);
  return `Integrated ${integrated.length}: ${enumerated(names, 20)}`;
}

function rowsOf(report: RunIntegration): string[][] {
  return [
    ...report.culprits.map((it) => [`  ${it.lane}`, 'culprit', culpritClause(it)]),
    ...report.conflicts.map((it) => [`  ${it.lane}`, 'conflict', conflictClause(it)]),
    ...report.integrated.flatMap(({ lane, resolution }) =>
      resolution === null
        ? []
        : [[`  ${lane}`, 'resolved', printableLine(resolvedText(resolution), MOST_CHARS)]],
    ),
    ...report.withheld.map((it) => [`  ${it.lane}`, 'held', printableLine(it.why, MOST_CHARS)]),
    ...report.unfinished.map((it) => [`  ${it.lane}`, it.state, unfinishedText(it.state)]),
  ];
}

function unfinishedText(state: string): string {
  if (state === 'taken-back') return 'out of your branch; `--lane` with its name asks for it again';
  return wasRefused(state) ? 'since an earlier integration' : 'not verified';
}

const wasRefused = (state: string): boolean => state === 'conflict' || state === 'culprit';

function targetLines({ target }: RunIntegration): string[] {
  const name = shortRef(target.ref);
  switch (target.state) {
    case 'current':
      return [];
    case 'merged':
      return [`What ${name} got meanwhile is in`];
    case 'conflict':
      return [
        `${name} has moved on and conflicts in ${enumerated(target.paths, MOST)}`,
        `hint: add a lane that merges it: \`lanehold orchestrate lane add merge-target --desc 'TASK' --validate 'COMMAND'\``,
      ];
    case 'culprit':
      return [
        `${name} has moved on, and with it the integration fails \`${printableLine(target.command, 80)}\``,
        'hint: add a lane that brings the two together',
      ];
  }
}

function featureLines({ features }: RunIntegration): string[] {
  if (!features.known) {
    return [`What the gate would say is not known: ${printableLine(features.why, 160)}`];
  }
  if (features.held.length === 0) return [];
  return [`A push would be held: ${enumerated(features.held, MOST)} not verified for the tip`];
}

function hints(report: RunIntegration): string[] {
  const { integrated, features, run, gone } = report;
  const hint = (words: string, what = '') =>
    `hint: \`lanehold orchestrate ${words} --run ${run}\`${what && ` ${what}`}`;
  const refused = [...report.culprits, ...report.conflicts];
  const before = report.unfinished.filter(({ state }) => wasRefused(state));
  const broken = [...refused.filter(({ asks }) => !asks), ...before].slice(0, MOST);
  const asking = refused.filter(({ asks }) => asks);
  const held = features.known ? features.held : [];
  const [only = [], ...others] = report.withheld.flatMap(({ next }) => (next ? [next] : []));
  return [
    ...broken.map(({ lane }) => hint(`retry ${lane}`, 'lets its worker repair it')),
    ...asking.map(({ lane }) =>
      hint(`answer ${lane} 'ANSWER'`, 'says what is right: it was refused for this before'),
    ),
    ...(others.length > 0
      ? [hint('status', 'has the commands for each lane that is held')]
      : only.map((command) => `hint: \`${command}\``)),
    ...(gone === undefined ? [] : [hint('integrate --rebase', 'takes their changes alone')]),
    ...(integrated.length === 0 ? [] : [hint('land')]),
    ...(held.length === 0 ? [] : ['hint: after landing, `lanehold feature verify --pending`']),
  ];
}

const WAY_WORDS = { merge: '', squash: ', squashed', rebase: ', rebased' };

export function landText(report: Result<typeof landRun>): string {
  if ('pulls' in report) return openedText(report);
  const name = shortRef(report.target);
  const pushed = 'pushed' in report && report.pushed && pushedText(report.pushed);
  if (report.verdict === 'held') {
    if (pushed) return `Nothing new to land\n${pushed}`;
    return `Not landed: ${printableLine(report.why, MOST_CHARS)}\nhint: ${printableLine(report.hint, MOST_CHARS)}`;
  }
  const { lanes, left, closed, run, way } = report;
  const rest = left.map((it) => [`  ${it.lane}`, stateWords(it.state, it.isStopped)]);
  return inLines([
    `Landed ${enumerated(lanes, 20)} on ${name}${WAY_WORDS[way ?? 'merge']}`,
    pushed,
    closed && `Run ${run} is closed`,
    rest.length > 0 && ['Left to do:', renderTable(rest)],
  ]);
}

function pushedText(pushed: PushedTarget): string {
  if (pushed.state === 'pushed') return `Pushed ${pushed.branch} to ${pushed.remote}`;
  if (pushed.state === 'there') return `${pushed.remote} has ${pushed.branch} already`;
  const why = printable(pushed.why);
  if (pushed.state === 'held') return `Not pushed: ${why}\nhint: ${printable(pushed.hint)}`;
  const { remote, branch, hint } = pushed;
  return `Pushed as ${branch} to ${remote}, which refuses the branch itself: ${why}\nhint: ${hint}`;
}

type Told = Pick<Result<typeof tellLane>, 'lane' | 'start' | 'state' | 'outcome'>;

export function toldText({ lane, start, state, outcome }: Told): string {
  if (outcome === 'told') return `The worker of lane ${lane} is told with its next tool call`;
  const fact = `Nobody works on lane ${lane} now: its next attempt is told`;
  if (start !== null) return `${fact}\nStart it: lanehold orchestrate ${start} ${lane}`;
  if (is('wanted', state)) return `Lane ${lane} is ${state}: its worker is told when it begins`;
  return `Lane ${lane} ${stateClause(state)}: its worker is told when its next attempt begins`;
}

export function answeredText(answered: Result<typeof answerWorker>): string {
  const { lane, outcome } = answered;
  if (outcome === 'sent')
    return `Sent to ${answered.machine}, where lane ${lane} asks; it counts with the next sync there, if \`team.runFor\` there has you`;
  return `Answered the question of lane ${lane}; ${AFTER_ANSWER[outcome]}`;
}

const AFTER_ANSWER = {
  told: 'its worker is told with its next step',
  resumed: 'the lane goes on with it',
  kept: 'it is kept for whoever works on the lane next',
} as const;

function openedText(report: PullReport): string {
  const lines = report.pulls.map(({ lane, number, url, base, draft, outcome }) => {
    const what = lane === null ? 'all that is integrated' : `lane ${lane}`;
    const done = outcome === 'opened' ? 'Opened' : 'Brought up to date';
    const kind = draft ? 'draft' : 'pull request';
    return `${done} ${kind} #${number} of ${what} onto ${printableLine(base, 200)}: ${printableLine(url, 400)}`;
  });
  if (report.why !== null) return [...lines, printable(report.why)].join('\n');
  const settled = report.pulls.flatMap((it) => it.settled);
  return [
    ...lines,
    ...settled.map((it) => `Settled with it: question ${it.question} of lane ${it.lane}`),
    `Watching ${lines.length === 1 ? 'it' : 'them'}: lanehold orchestrate status`,
  ].join('\n');
}
