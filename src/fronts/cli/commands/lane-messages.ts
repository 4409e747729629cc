import * as messages from '../../../app/lanes/lane-messages.ts';
import { countOf, given } from '../../../app/values.ts';
import { UsageError } from '../../../base/errors.ts';
import type { ReportKind } from '../../../store/lane-events.ts';
import { answeredText, toldText } from '../../words/lanes.ts';
import { command, typedOrInput } from '../command.ts';
import { RUN } from './lane-content.ts';

export const ask = command({
  name: 'ask',
  about: 'Ask the coordinator, as the worker of a lane',
  args: [['<question...>', 'the question; `-` reads it from stdin']],
  examples: [
    ["lanehold orchestrate ask 'May the old route go away?'", 'inside of a lane'],
    ['lanehold orchestrate ask - < question.md', 'a long one'],
  ],
  async run(context, question) {
    const asked = await messages.askCoordinator(
      context,
      await typedOrInput(context, question.join(' ')),
    );
    const text = [
      asked.question === null
        ? 'Left for the coordinator'
        : `Asked: question ${asked.question} of lane ${asked.lane}`,
      'Go on with what does not depend on it; the answer is shown to you when it comes.',
      'If nothing is left to do without it, end your turn: the lane goes on once it is answered.',
    ];
    return context.print(asked, text.join('\n'));
  },
});

export const answer = command({
  name: 'answer',
  about: 'Answer the question of a worker, and let its lane go on',
  args: [
    ['<lane>', 'whose worker asked'],
    ['<text...>', 'the answer; `-` reads it from stdin'],
  ],
  options: [RUN, ['--question <number>', 'which one, if it is not the newest']],
  examples: [
    ["lanehold orchestrate answer api 'yes, nobody calls it'", 'the open question'],
    ['lanehold orchestrate answer api --question 7 - < answer.md', 'another one'],
  ],
  async run(context, key, words, { run, ...options }) {
    const question = given(countOf, options.question);
    const text = await typedOrInput(context, words.join(' '));
    const answered = await messages.answerWorker(context, { key, question, text, run });
    return context.print(answered, answeredText);
  },
});

export const tell = command({
  name: 'tell',
  about: 'Tell the worker of a lane something while it works, or with its next attempt',
  args: [
    ['<lane>', 'whose worker is told'],
    ['<text...>', 'the message; `-` reads it from stdin'],
  ],
  options: [RUN],
  examples: [
    ["lanehold orchestrate tell api 'Keep the old route'", 'with its next tool call'],
    ['lanehold orchestrate tell api - < review.md', 'a long one'],
  ],
  notes: `

It is delivered once. Until then 'status' and 'logs' show it as not delivered.`,
  async run(context, key, words, { run }) {
    const text = await typedOrInput(context, words.join(' '));
    const told = await messages.tellLane(context, { run, key, text });
    return context.print(told, toldText);
  },
});

const KINDS = {
  progress: 'progress',
  blocked: 'blocked',
  note: 'note',
  done: 'claims_done',
} as const satisfies Readonly<Record<string, ReportKind>>;

type ReportOptions = { readonly [kind in keyof typeof KINDS]?: boolean };

export const report = command({
  name: 'report',
  about: 'Report on a lane, as its worker; its state is what lanehold finds',
  args: [['<text...>', 'what to say; `-` reads it from stdin']],
  options: [
    ['--progress', 'how far it is; the default'],
    ['--blocked', 'what keeps it from going on'],
    ['--note', 'what others should know'],
    ['--done', 'that it is done; the validation decides whether it is'],
  ],
  examples: [
    ["lanehold orchestrate report 'routes are moved, tests next'", 'inside of a lane'],
    ["lanehold orchestrate report --note 'the old client stays until v3'", 'for the handoff'],
    ['lanehold orchestrate report --done - < summary.md', 'with the text on stdin'],
  ],
  async run(context, words, options) {
    const kind = kindOf(options);
    const made = await messages.reportProgress(
      context,
      kind,
      await typedOrInput(context, words.join(' ')),
    );
    const noted = made.lane === null ? 'Left for the coordinator' : `Noted for lane ${made.lane}`;
    const next =
      kind === 'claims_done' ? '; end your turn, and lanehold validates what is there' : '';
    return context.print(made, `${noted}${next}`);
  },
});

function kindOf(options: ReportOptions): ReportKind {
  const given = Object.entries(KINDS).filter(([name]) => options[name as keyof typeof KINDS]);
  if (given.length > 1) {
    throw new UsageError(`${given.map(([name]) => `--${name}`).join(' and ')} do not go together`, {
      hint: 'give one of them, or none',
    });
  }
  return given[0]?.[1] ?? 'progress';
}
