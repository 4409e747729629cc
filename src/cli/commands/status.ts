import type { Command } from 'commander';
import { ExitCode } from '../../errors.ts';
import { plural } from '../../text/count.ts';
import type { Context } from '../context.ts';
import { examples } from '../render/examples.ts';
import { openFeatures } from '../workspace.ts';

const DECISIONS = 5;

export function declareStatus(parent: Command, context: () => Context): void {
  parent
    .command('status')
    .description('Show what is held in this project, and what the gate answered last')
    .addHelpText(
      'after',
      examples(['lanehold status', 'one look'], ['lanehold status --json', 'for programs']),
    )
    .action(async () => {
      process.exitCode = await runStatus(context());
    });
}

export async function runStatus(context: Context): Promise<ExitCode> {
  const { workspace, registry } = await openFeatures(context);
  const [{ ordinarily }, { holdOn }, { heldText }, { decisionStore }, { age }, { holdData }] =
    await Promise.all([
      import('../../gate/pending.ts'),
      import('../../gate/hold.ts'),
      import('../../gate/denial.ts'),
      import('../../store/decisions.ts'),
      import('../../text/time.ts'),
      import('../render/hold.ts'),
    ]);
  const now = context.now();
  const comparison = await ordinarily(workspace, { kind: 'worktree' });
  const hold = await holdOn(workspace, [comparison], now);
  const decisions = decisionStore(workspace.store).latest(workspace.projectId, DECISIONS);
  const count = hold.features.length;
  const lines = [
    count === 0 ? 'Nothing held' : `${count} held: a push of the working tree would be denied`,
    ...hold.features.map((held) => `  ${heldText(held, now)}`),
    `${plural(registry.features.size, 'feature')} in ${workspace.place.root}`,
    ...decisions.map((it) => `  ${age(it.at, now)}: ${it.decision} ${it.rule} (${it.agent})`),
    ...(context.env.LANEHOLD_DISABLE === '1'
      ? ['warning: LANEHOLD_DISABLE=1, hooks do nothing']
      : []),
  ];
  context.print(
    {
      project: workspace.place.identity,
      root: workspace.place.root,
      features: [...registry.features.keys()],
      hold: holdData(hold),
      decisions,
      disabled: context.env.LANEHOLD_DISABLE === '1',
    },
    lines.join('\n'),
  );
  return ExitCode.done;
}
