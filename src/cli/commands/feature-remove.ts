import type { Command } from 'commander';
import { ExitCode } from '../../errors.ts';
import type { Context } from '../context.ts';
import { examples } from '../render/examples.ts';
import { heldNames, openFeatures } from '../workspace.ts';

export function declareFeatureRemove(parent: Command, context: () => Context): void {
  parent
    .command('remove')
    .argument('<name>')
    .description('Remove a feature from the registry (refused while it is held)')
    .addHelpText('after', examples(['lanehold feature remove legacy-cart', 'its evidence is kept']))
    .action(async (name: string) => {
      process.exitCode = await runFeatureRemove(context(), name);
    });
}

export async function runFeatureRemove(context: Context, name: string): Promise<ExitCode> {
  const [{ workspace, registry }, { dropFeature }] = await Promise.all([
    openFeatures(context),
    import('../../features/store-feature.ts'),
  ]);
  const held = await heldNames(workspace, context.now());
  const origin = await dropFeature(workspace, registry, name, held);
  const from = origin === 'local' ? 'this machine' : 'lanehold.json';
  context.print({ removed: name, origin }, `Removed feature ${name} from ${from}`);
  return ExitCode.done;
}
