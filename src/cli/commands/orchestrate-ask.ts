import type { Command } from 'commander';
import { ExitCode } from '../../errors.ts';
import type { Context } from '../context.ts';
import { openLaneVoice, spokenText } from '../lane-voice.ts';
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
  const [{ world, inside }, text, { recordReport }, { actorOf }] = await Promise.all([
    openLaneVoice(context),
    spokenText(context, question),
    import('../../lanes/inside/say.ts'),
    import('../../actor.ts'),
  ]);
  const by = actorOf(context).name;
  const report = recordReport(world, inside, { kind: 'ask', text, by });
  const { key } = inside.lane;
  context.print(
    { lane: key, question: report.seq, id: report.id, body: report.body },
    [
      `Asked: question ${report.seq} of lane ${key}`,
      'Go on with what does not depend on it; the answer is shown to you when it comes.',
      'If nothing is left to do without it, end your turn: the lane goes on once it is answered.',
    ].join('\n'),
  );
  return ExitCode.done;
}
