/** The texts about an attempt of a lane: its end, the output of its worker, and the results. */
import type { LaneLog } from '../../app/lanes/lanes.ts';
import { inLines, printable, printableLine } from '../../base/text/printable.ts';
import { duration } from '../../base/text/time.ts';
import { endWords } from '../../lanes/spec/outcomes.ts';
import type { Attempt } from '../../store/attempts.ts';
import type { Validation } from '../../store/lane-validations.ts';

export function logText(log: Log, now: Date): string {
  const { attempt, stream, stderr, validation, validations, messages, questions } = log;
  const last = validations.at(-1);
  return inLines([
    headline(attempt, now),
    ...messages.map(messageLine),
    ...questions.map(({ number, body }) => `asks (question ${number}):${quoted(body)}`),
    ...(stream.length === 0 ? ['(it has said nothing)'] : stream),
    stderr.length > 0 && ['stderr:', ...stderr.map(indented)],
    last !== undefined && [validationLine(last), ...validation.map(indented)],
  ]);
}

export function headline(attempt: Attempt | null, now: Date): string {
  if (attempt === null) return 'no attempt yet; its validation, on the commit that it starts from:';
  const { n, agent, state, startedAt, endedAt } = attempt;
  const lasted = duration((endedAt ?? now).getTime() - startedAt.getTime());
  const end = endWords(attempt);
  const ended = end === '' ? '' : `, ${printableLine(end, 400)}`;
  return `attempt ${n} by ${printableLine(agent ?? 'nobody')}: ${state}${ended}, ${lasted}`;
}

function validationLine({ cmd, result, exitCode, why }: Validation): string {
  const exit = exitCode === null ? '' : `exit code ${exitCode}`;
  const how = [result, printableLine(why || exit, 400)].filter((it) => it !== '').join(', ');
  return `validation \`${printableLine(cmd)}\`: ${how}`;
}

type Log = ReturnType<LaneLog['excerpt']>;

function messageLine({ body, by, deliveredAt }: Log['messages'][number]): string {
  const state = deliveredAt === null ? 'not delivered yet' : 'delivered';
  return `message of ${printableLine(by, 100)}, ${state}:${quoted(body)}`;
}

function quoted(body: string): string {
  const lines = printable(body).split('\n');
  return lines.length === 1 ? ` ${lines}` : ['', ...lines.map(indented)].join('\n');
}

function indented(line: string): string {
  return `  ${printable(line)}`;
}
