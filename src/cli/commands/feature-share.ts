import type { Command } from 'commander';
import { ExitCode, UsageError } from '../../errors.ts';
import { UnknownFeatureError } from '../../features/errors.ts';
import type { Context } from '../context.ts';
import { examples } from '../render/examples.ts';
import { openFeatures } from '../workspace.ts';

export function declareFeatureShare(parent: Command, context: () => Context): void {
  parent
    .command('share')
    .argument('<name...>')
    .description('Move features of this machine into lanehold.json, where everybody gets them')
    .addHelpText(
      'after',
      examples(['lanehold feature share checkout cart', 'then commit lanehold.json']),
    )
    .action(async (names: string[]) => {
      process.exitCode = await runFeatureShare(context(), names);
    });
}

export async function runFeatureShare(
  context: Context,
  names: readonly string[],
): Promise<ExitCode> {
  const [
    { workspace, registry },
    { forgetLocal, writeRegistryFile },
    { setFeature },
    { registryText },
  ] = await Promise.all([
    openFeatures(context),
    import('../../features/store-feature.ts'),
    import('../../features/registry-file-edit.ts'),
    import('../../features/registry.ts'),
  ]);
  let text = registryText(workspace.place);
  for (const name of names) {
    const feature = registry.features.get(name);
    if (feature === undefined) throw new UnknownFeatureError(name, [...registry.features.keys()]);
    if (!registry.local.has(name)) {
      throw new UsageError(`\`${name}\` is in lanehold.json already`, {
        hint: 'commit the file to share it',
      });
    }
    text = setFeature(text, feature);
  }
  if (text !== undefined) writeRegistryFile(workspace, text);
  for (const name of names) forgetLocal(workspace, name);
  const hint = 'hint: commit lanehold.json';
  context.print({ shared: names }, `Shared ${names.join(', ')} in lanehold.json\n${hint}`);
  return ExitCode.done;
}
