import type { Command } from 'commander';
import type { Feature, SmokeTest } from '../../config/feature.ts';
import { ExitCode } from '../../errors.ts';
import type { Workspace } from '../../features/workspace.ts';
import type { Context } from '../context.ts';
import { examples } from '../render/examples.ts';
import { heldNames, openFeatures } from '../workspace.ts';

type Options = {
  readonly files?: readonly string[];
  readonly smoke?: readonly string[];
  readonly dependsOn?: readonly string[];
  readonly description?: string;
  readonly timeout?: string;
  readonly cwd?: string;
  readonly shared?: boolean;
  readonly replace?: boolean;
};

export function declareFeatureAdd(parent: Command, context: () => Context): void {
  parent
    .command('add')
    .argument('<name>', 'lower-case name, such as `checkout` or `api/orders`')
    .description('Register a feature: which files it is made of, and which commands prove it')
    .option('--files <glob...>', 'files from the repository root; a leading ! excludes')
    .option('--smoke <command...>', 'command that passes when the feature works; run in a shell')
    .option('--depends-on <name...>', 'features whose changes concern this one, too')
    .option('--description <text>', 'what the feature is')
    .option('--timeout <duration>', 'how long each command may run: 90s, 10m, 1h')
    .option('--cwd <folder>', 'folder to run the commands in, from the repository root')
    .option('--shared', 'write it to lanehold.json, for everybody; else only this machine knows it')
    .option('--replace', 'replace the feature of this name; what is not given stays as it is')
    .addHelpText(
      'after',
      examples(
        [
          "lanehold feature add cart --files 'src/cart/**' --smoke 'npm test -- cart'",
          'one folder, one test',
        ],
        [
          "lanehold feature add checkout --files 'src/checkout/**' '!**/*.md' --smoke 'npm test -- checkout' --depends-on cart --shared",
          'checked again when cart changes; for the whole team',
        ],
        [
          "lanehold feature add api --replace --smoke 'make smoke' --timeout 20m",
          'change how it is proved',
        ],
      ),
    )
    .action(async (name: string, options: Options) => {
      process.exitCode = await runFeatureAdd(context(), name, options);
    });
}

export async function runFeatureAdd(
  context: Context,
  name: string,
  options: Options,
): Promise<ExitCode> {
  const [{ workspace, registry }, { putFeature }] = await Promise.all([
    openFeatures(context),
    import('../../features/store-feature.ts'),
  ]);
  const before = registry.features.get(name);
  const feature = await definition(name, before, options);
  const shared = options.shared ?? (before !== undefined && !registry.local.has(name));
  const held = before === undefined ? new Set<string>() : await heldNames(workspace, context.now());
  await putFeature(workspace, registry, { feature, shared, held, now: context.now() });
  const files = await matchingFiles(workspace, feature);
  const where = shared ? 'lanehold.json' : 'this machine only; `--shared` writes lanehold.json';
  const lines = [
    `${before === undefined ? 'Added' : 'Replaced'} feature ${name}: ${files} ${files === 1 ? 'file' : 'files'}, ${feature.smoke.length} smoke ${feature.smoke.length === 1 ? 'test' : 'tests'} (${where})`,
  ];
  if (files === 0) lines.push('warning: its patterns match no file yet');
  if (feature.smoke.length === 0)
    lines.push('warning: without a smoke test it can only be attested');
  context.print({ feature, shared, files }, lines.join('\n'));
  return ExitCode.done;
}

async function definition(
  name: string,
  before: Feature | undefined,
  options: Options,
): Promise<Feature> {
  const [{ UsageError }, { DEFAULT_SMOKE_TIMEOUT_MS }] = await Promise.all([
    import('../../errors.ts'),
    import('../../config/feature.ts'),
  ]);
  if (before !== undefined && !options.replace) {
    throw new UsageError(`there is a feature named \`${name}\` already`, {
      hint: 'add `--replace` to change it',
    });
  }
  const files = options.files ?? before?.files;
  if (files === undefined) {
    throw new UsageError('a feature needs at least one pattern of files', {
      hint: `lanehold feature add ${name} --files 'src/${name}/**' --smoke 'npm test'`,
    });
  }
  const timeoutMs = options.timeout && (await parsedTimeout(options.timeout));
  const smoke = options.smoke?.map((command): SmokeTest => {
    return { command, timeoutMs: timeoutMs || DEFAULT_SMOKE_TIMEOUT_MS, cwd: options.cwd ?? '' };
  });
  const feature: Feature = {
    name,
    files,
    smoke: smoke ?? before?.smoke ?? [],
    dependsOn: options.dependsOn ?? before?.dependsOn ?? [],
    description: options.description ?? before?.description ?? '',
  };
  return feature;
}

async function parsedTimeout(written: string): Promise<number> {
  const [{ UsageError }, { parseTimeout }] = await Promise.all([
    import('../../errors.ts'),
    import('../../text/time.ts'),
  ]);
  const timeoutMs = parseTimeout(written);
  if (timeoutMs !== undefined) return timeoutMs;
  throw new UsageError(`\`${written}\` is no time limit`, { hint: 'write 90s, 10m or 1h' });
}

async function matchingFiles(workspace: Workspace, feature: Feature): Promise<number> {
  const [{ treeOf }, { matcher }] = await Promise.all([
    import('../../features/assess.ts'),
    import('../../features/match.ts'),
  ]);
  const { bases, matches } = matcher(feature.files);
  const tree = await treeOf(workspace, { kind: 'worktree' }, bases);
  return tree.filter(({ path }) => matches(path)).length;
}
