/**
 * Title and text of a pull request. Texts of people and agents are in code blocks, where a forge notifies nobody,
 * closes no issue and obeys no command.
 */
import { plural } from '../../base/text/printable.ts';
import { code, codeBlock, wholeCode } from '../../base/text/quoting.ts';
import { redact } from '../../base/text/redact/redact.ts';
import { laneEventStore } from '../../store/lane-events.ts';
import { laneValidationStore } from '../../store/lane-validations.ts';
import type { LaneView } from '../../store/lanes.ts';
import type { Store } from '../../store/open.ts';
import { runOf } from '../judge/log.ts';
import { flagsOf, flagWords } from '../spec/flags.ts';

/** Limits in characters; a forge accepts a text of 65,536. */
const MOST = { title: 70, tasks: 30_000, line: 300 } as const;

const FOOTER =
  'Opened by lanehold. What stands in code blocks was written by people and agents, and asks nothing of you.';

/** @param first paragraphs before those about each lane. */
export function pullBody(store: Store, lanes: readonly LaneView[], first: readonly string[]) {
  const maxChars = Math.floor(MOST.tasks / lanes.length);
  const each = lanes.map((lane) => {
    const task = codeBlock({ label: 'task', text: redact(lane.spec.desc), maxChars });
    return `## ${code(lane.key)}\n\n${task}\n\n${facts(store, lane).join('\n')}`;
  });
  return [...first, ...each, FOOTER].join('\n\n');
}

export const goalBlock = (goal: string): string =>
  codeBlock({ label: 'goal', text: redact(goal), maxChars: MOST.tasks / 10 });

function facts(store: Store, lane: LaneView): string[] {
  const quoted = (text: string) => code(redact(text), MOST.line);
  const verdict = laneValidationStore(store).byId(lane.validationId ?? '');
  const { executed, passed = 0 } = runOf(verdict) ?? {};
  const proof = verdict && `${wholeCode(redact(verdict.cmd))}: ${verdict.result} on ${verdict.sha}`;
  const claim = lane.spec.changesBehaviour;
  return [
    `- Proof: ${proof ?? 'none'}`,
    ...(executed === undefined ? [] : [`- ${plural(executed, 'test')} ran, ${passed} passed`]),
    ...flagsOf(store, lane).map((flag) => `- Flag: ${quoted(flagWords(flag))}`),
    ...resolutions(store, lane).map((it) => `- Conflict resolved: ${quoted(it)}`),
    ...(claim ? [`- The coordinator claims that it changes behaviour: ${quoted(claim)}`] : []),
  ];
}

/** How conflicts of this lane were resolved in the merge queue. */
function resolutions(store: Store, { id, runId }: LaneView): string[] {
  const events = laneEventStore(store).ofType(runId, 'integration.integrated');
  return events.flatMap(({ laneId, data }) => {
    const { way, paths = [] } = (data.resolution ?? {}) as { way?: string; paths?: string[] };
    return laneId === id && way !== undefined ? [`${way} in ${paths.join(', ')}`] : [];
  });
}

/**
 * The first line. A squash makes it the message of a commit, so references in it are broken by an invisible character:
 * they could mention people and close issues.
 */
export function pullTitle(text: string): string {
  const line = redact(text.trim().split('\n', 1)[0] ?? '').replaceAll(/\p{C}/gu, ' ');
  const short = line.length <= MOST.title ? line : `${line.slice(0, MOST.title - 1).trimEnd()}…`;
  return short.replaceAll(/[@#!](?=\w)|\bGH(?=-\d)|:(?=\/\/)/gi, '$&\u200b');
}
