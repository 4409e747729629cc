import type { Command } from 'commander';
import { ExitCode } from '../../errors.ts';
import type { Answered } from '../../lanes/inside/say.ts';
import type { Context } from '../context.ts';
import { spokenText } from '../lane-voice.ts';
import { openOrchestration, type RunOption, withRun } from '../orchestration.ts';
import { examples } from '../render/examples.ts';
import { countOf } from '../values.ts';

type Options = RunOption & { readonly question?: string };

export function declareOrchestrateAnswer(parent: Command, context: () => Context): void {
  withRun(parent.command('answer'))
    .argument('<lane>', 'whose worker asked')
    .argument('<text...>', 'the answer; `-` reads it from stdin')
    .description('Answer the question of a worker, and let its lane go on')
    .option('--question <number>', 'which one, if it is not the newest')
    .addHelpText(
      'after',
      examples(
        ["lanehold orchestrate answer api 'yes, nobody calls it'", 'the newest open question'],
        ['lanehold orchestrate answer api --question 7 - < answer.md', 'another one'],
      ),
    )
    .action(async (lane: string, text: string[], options: Options) => {
      process.exitCode = await runOrchestrateAnswer(context(), lane, text, options);
    });
}

export async function runOrchestrateAnswer(
  context: Context,
  key: string,
  words: readonly string[],
  options: Options,
): Promise<ExitCode> {
  const question = options.question === undefined ? undefined : countOf(options.question);
  const [{ laneContext, run }, text, { findLane }, { answerQuestion }, { actorOf }] =
    await Promise.all([
      openOrchestration(context, options),
      spokenText(context, words),
      import('../../lanes/find.ts'),
      import('../../lanes/inside/say.ts'),
      import('../../agents/actor.ts'),
    ]);
  const lane = findLane(laneContext.store, run, key);
  const by = actorOf(context).name;
  const answered = answerQuestion(laneContext, run, lane, { text, question, by });
  if (answered.outcome === 'resumed') {
    const { tick } = await import('../../lanes/tick.ts');
    await tick(laneContext);
  }
  const { seq, id, body } = answered.question;
  context.print(
    { lane: key, question: seq, id, body, answer: answered.answer, outcome: answered.outcome },
    `Answered question ${seq} of lane ${key}; ${NEXT[answered.outcome]}`,
  );
  return ExitCode.done;
}

const NEXT: Readonly<Record<Answered['outcome'], string>> = {
  told: 'its worker is told with its next step',
  resumed: 'the lane goes on with it',
  kept: 'it is kept for whoever works on the lane next',
};
