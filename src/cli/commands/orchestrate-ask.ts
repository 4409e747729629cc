import type { Command } from 'commander';
import { ExitCode } from '../../errors.ts';
import type { Context } from '../context.ts';
import { speak } from '../lane-voice.ts';
import { examples } from '../render/examples.ts';

export function declareOrchestrateAsk(parent: Command, context: () => Context): void {
  parent
    .command('ask')
    .argument('<question...>', 'the question; `-` reads it from stdin')
    .description('Ask the coordinator, as the worker of a lane')
    .addHelpText(
      'after',
      examples(
        ["lanehold orchestrate ask 'May the old route go away?'", 'inside of a lane'],
        ['lanehold orchestrate ask - < question.md', 'a long one'],
      ),
    )
    .action(async (question: string[]) => {
      process.exitCode = await runOrchestrateAsk(context(), question);
    });
}

export async function runOrchestrateAsk(
  context: Context,
  question: readonly string[],
): Promise<ExitCode> {
  const { lane, number, id, body } = await speak(context, 'ask', question);
  const asked =
    number === undefined ? 'Left for the coordinator' : `Asked: question ${number} of lane ${lane}`;
  context.print(
    { lane: lane ?? null, question: number ?? null, id, body },
    [
      asked,
      'Go on with what does not depend on it; the answer is shown to you when it comes.',
      'If nothing is left to do without it, end your turn: the lane goes on once it is answered.',
    ].join('\n'),
  );
  return ExitCode.done;
}
