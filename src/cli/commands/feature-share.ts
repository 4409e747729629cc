import type { Command } from 'commander';
import { ExitCode, UsageError } from '../../errors.ts';
import { UnknownFeatureError } from '../../features/errors.ts';
import type { ProjectRegistry } from '../../features/registry.ts';
import type { Workspace } from '../../features/workspace.ts';
import type { Context } from '../context.ts';
import { examples } from '../render/examples.ts';
import { openFeatures } from '../workspace.ts';

type Options = { readonly publishGuard?: boolean };

export function declareFeatureShare(parent: Command, context: () => Context): void {
  parent
    .command('share')
    .argument('[name...]')
    .description('Move features of this machine into lanehold.json, where everybody gets them')
    .option('--publish-guard', 'let `npm publish` ask the gate first, by `prepublishOnly`')
    .addHelpText(
      'after',
      examples(
        ['lanehold feature share checkout cart', 'then commit lanehold.json'],
        ['lanehold feature share --publish-guard', 'hold publishes from terminals and CI, too'],
      ),
    )
    .action(async (names: string[], options: Options) => {
      process.exitCode = await runFeatureShare(context(), names, options);
    });
}

export async function runFeatureShare(
  context: Context,
  names: readonly string[],
  { publishGuard = false }: Options,
): Promise<ExitCode> {
  if (names.length === 0 && !publishGuard) {
    throw new UsageError('say which features to share', {
      hint: '`lanehold feature list` names them; or give `--publish-guard`',
    });
  }
  const { workspace, registry } = await openFeatures(context);
  const lines = names.length === 0 ? [] : await shareFeatures(workspace, registry, names);
  const guarded = publishGuard ? await addPublishGuard(workspace) : undefined;
  if (guarded !== undefined) lines.push(GUARDED[guarded]);
  context.print({ shared: names, publishGuard: guarded ?? null }, lines.join('\n'));
  return ExitCode.done;
}

const GUARDED = {
  added: 'package.json asks the gate before `npm publish`\nhint: commit package.json',
  present: 'package.json asks the gate before `npm publish` already',
} as const;

async function shareFeatures(
  workspace: Workspace,
  registry: ProjectRegistry,
  names: readonly string[],
): Promise<string[]> {
  const [{ forgetLocal, writeRegistryFile }, { setFeature }, { registryText }] = await Promise.all([
    import('../../features/store-feature.ts'),
    import('../../config/registry-file-edit.ts'),
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
  return [`Shared ${names.join(', ')} in lanehold.json`, 'hint: commit lanehold.json'];
}

async function addPublishGuard(workspace: Workspace): Promise<'added' | 'present'> {
  const { guardPublish } = await import('../../install/publish-guard.ts');
  return guardPublish(workspace.place.root);
}
