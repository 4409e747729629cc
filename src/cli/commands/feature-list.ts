import type { Command } from 'commander';
import { ExitCode } from '../../errors.ts';
import type { Assessed } from '../../features/assess.ts';
import type { Context } from '../context.ts';
import { examples } from '../render/examples.ts';
import { openFeatures } from '../workspace.ts';

export function declareFeatureList(parent: Command, context: () => Context): void {
  parent
    .command('list')
    .description('List the features of this project and how each stands right now')
    .addHelpText(
      'after',
      examples(
        ['lanehold feature list', 'a table for people'],
        ['lanehold feature list --json', 'definitions and fingerprints for programs'],
      ),
    )
    .action(async () => {
      process.exitCode = await runFeatureList(context());
    });
}

export async function runFeatureList(context: Context): Promise<ExitCode> {
  const { workspace, registry } = await openFeatures(context);
  const [{ assessContents }, { featureContent }, { renderTable }, { age }, { plural }] =
    await Promise.all([
      import('../../features/assess.ts'),
      import('../../features/fingerprint.ts'),
      import('../render/table.ts'),
      import('../../text/time.ts'),
      import('../../text/count.ts'),
    ]);
  const names = [...registry.features.keys()].sort();
  const demands = names.map((name) => ({
    definedBy: 'subject' as const,
    content: featureContent(name, registry.features),
  }));
  const assessed = await assessContents(workspace, { kind: 'worktree' }, demands, {
    now: context.now(),
    maxAgeMs: registry.policy.maxAgeMs,
  });
  const data = assessed.map((it) => ({
    ...it.feature,
    origin: registry.local.has(it.feature.name) ? 'local' : 'shared',
    fingerprint: it.fingerprint,
    files: it.feature.files,
    fileCount: it.entries.length,
    state: stateOf(it),
  }));
  if (names.length === 0) {
    context.print(
      { features: [] },
      'No features yet\nhint: `lanehold feature discover` proposes some',
    );
    return ExitCode.done;
  }
  const rows = assessed.map((it) => {
    const at = it.status.valid ? it.status.by.at : it.status.last?.at;
    return [
      it.feature.name,
      at === undefined ? stateOf(it) : `${stateOf(it)} ${age(at, context.now())}`,
      plural(it.entries.length, 'file'),
      registry.local.has(it.feature.name) ? 'local' : 'shared',
      it.feature.smoke[0]?.command ?? '(no smoke test)',
    ];
  });
  const proven = assessed.filter((it) => it.status.valid).length;
  const verdict = `${plural(names.length, 'feature')}, ${proven} verified as they are now`;
  context.print({ features: data }, `${verdict}\n${renderTable(rows)}`);
  return ExitCode.done;
}

function stateOf({ status }: Assessed): string {
  if (status.valid) return status.by.kind === 'passed' ? 'verified' : status.by.kind;
  return status.last?.kind === 'failed' ? 'failed' : 'not verified';
}
