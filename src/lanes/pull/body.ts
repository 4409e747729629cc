/**
 * Title and text of a pull request. What people and agents wrote stands in code blocks, where a forge notifies nobody,
 * closes no issue and obeys no command.
 */
import { plural } from '../../base/text/count.ts';
import { code, codeBlock, wholeCode } from '../../base/text/quoting.ts';
import { redact } from '../../base/text/redact/redact.ts';
import { laneEventStore } from '../../store/lane-events.ts';
import { laneValidationStore } from '../../store/lane-validations.ts';
import type { LaneView } from '../../store/lanes.ts';
import type { Store } from '../../store/open.ts';
import type { Run } from '../../store/runs.ts';
import { flagsOf, flagWords } from '../spec/flags.ts';

const MOST = { title: 70, task: 8_000, tests: 400, all: 60_000 } as const;

/** @param beside what a reader has to know of other pull requests. */
export function laneBody(store: Store, lane: LaneView, beside: readonly string[]): string {
  return paragraphs([...beside, laneText(store, lane), FOOTER]);
}

/** @param lanes what is in the integration. */
export function runBody(store: Store, run: Run, lanes: readonly LaneView[]): string {
  const each = lanes.map((lane) => `## ${code(lane.key)}\n\n${laneText(store, lane)}`);
  const goal = codeBlock({ label: 'goal', text: redact(run.goal), maxChars: MOST.task });
  const text = paragraphs(['What all of it is for:', goal, ...each]);
  return paragraphs([text.length > MOST.all ? shortened(store, lanes, goal) : text, FOOTER]);
}

/** A forge takes 65,536 characters. */
const shortened = (store: Store, lanes: readonly LaneView[], goal: string): string =>
  paragraphs([goal, ...lanes.map((lane) => `- ${code(lane.key)}: ${proofLine(store, lane)}`)]);

const FOOTER =
  'Opened by lanehold. What stands in code blocks was written by people and agents, and asks nothing of you.';

const paragraphs = (parts: readonly string[]): string => parts.filter(Boolean).join('\n\n');

function laneText(store: Store, lane: LaneView): string {
  const { desc, changesBehaviour: claim } = lane.spec;
  const flags = flagsOf(store, lane);
  const lines = [
    `- Proof: ${proofLine(store, lane)}`,
    ...testsLine(store, lane),
    ...flags.map((flag) => `- Flag: ${code(redact(flagWords(flag)), 300)}`),
    ...resolutions(store, lane).map((it) => `- Conflict resolved: ${code(it, 300)}`),
    ...(claim === undefined
      ? []
      : [`- The coordinator claims that it changes behaviour: ${code(redact(claim), 400)}`]),
  ];
  const task = codeBlock({ label: 'task', text: redact(desc), maxChars: MOST.task });
  return paragraphs(['The task:', task, lines.join('\n')]);
}

const verdictOf = (store: Store, lane: LaneView) =>
  laneValidationStore(store).byId(lane.validationId ?? '');

function proofLine(store: Store, lane: LaneView): string {
  const verdict = verdictOf(store, lane);
  if (verdict === undefined) return 'none';
  const { cmd, result, sha } = verdict;
  const how = result === 'pass' ? 'passed' : result;
  return `${wholeCode(redact(cmd))} ${how} on ${sha.slice(0, 12)}, in a clean checkout`;
}

function testsLine(store: Store, lane: LaneView): string[] {
  const { executed, passed } = verdictOf(store, lane)?.runs.at(-1) ?? {};
  if (executed === undefined) return [];
  return [`- Tests that ran: ${plural(executed, 'test')}, ${passed ?? 0} passed`];
}

/** How conflicts of this lane were resolved in the merge queue. */
function resolutions(store: Store, lane: LaneView): string[] {
  return laneEventStore(store)
    .ofType(lane.runId, 'integration.integrated')
    .filter(({ laneId }) => laneId === lane.id)
    .flatMap(({ data }) => {
      const { way = '', paths = [] } = (data.resolution ?? {}) as Partial<Resolution>;
      return way === '' ? [] : [`${way} in ${paths.join(', ')}`];
    });
}

interface Resolution {
  readonly way: string;
  readonly paths: readonly string[];
}

export const laneTitle = ({ key, spec }: LaneView): string => title(`${key}: ${spec.desc}`);
export const runTitle = ({ goal }: Run): string => title(goal);

/**
 * The first line. A squash makes it the message of a commit, so that references in it are broken by a character
 * that nobody sees: it could mention people and close issues.
 */
function title(text: string): string {
  const line = redact(text.trim().split('\n', 1)[0] ?? '').replaceAll(/\p{C}/gu, ' ');
  const short = line.length <= MOST.title ? line : `${line.slice(0, MOST.title - 1).trimEnd()}…`;
  return short
    .replaceAll(/([@#!])(?=\w)/g, `$1${BREAK}`)
    .replaceAll(/\b(GH)-(?=\d)/gi, `$1${BREAK}-`)
    .replaceAll('://', `:${BREAK}//`);
}

const BREAK = '\u200b';
