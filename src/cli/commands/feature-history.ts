import type { Command } from 'commander';
import { ExitCode } from '../../errors.ts';
import type { Evidence } from '../../store/evidence.ts';
import type { Context } from '../context.ts';
import { examples } from '../render/examples.ts';
import { countOf } from '../values.ts';
import { openFeatures } from '../workspace.ts';

type Options = { readonly limit: string };

export function declareFeatureHistory(parent: Command, context: () => Context): void {
  parent
    .command('history')
    .argument('<name>')
    .description('Show what was verified, attested, waived or failed, newest first')
    .option('--limit <count>', 'how many records', '20')
    .addHelpText(
      'after',
      examples(
        ['lanehold feature history checkout', 'the last twenty records'],
        ['lanehold feature history checkout --json', 'with every run and its output'],
      ),
    )
    .action(async (name: string, options: Options) => {
      process.exitCode = await runFeatureHistory(context(), name, options);
    });
}

export async function runFeatureHistory(
  context: Context,
  name: string,
  options: Options,
): Promise<ExitCode> {
  const limit = countOf(options.limit);
  const [{ workspace, registry }, { evidenceStore }, { UnknownFeatureError }, { renderTable }] =
    await Promise.all([
      openFeatures(context),
      import('../../store/evidence.ts'),
      import('../../features/errors.ts'),
      import('../render/table.ts'),
    ]);
  const records = evidenceStore(workspace.store).ofFeature(workspace.projectId, name, limit);
  if (records.length === 0 && !registry.features.has(name)) {
    throw new UnknownFeatureError(name, [...registry.features.keys()]);
  }
  const { age } = await import('../../text/time.ts');
  const rows = records.map((it) => [
    it.kind,
    age(it.at, context.now()),
    it.source === null ? it.actor : `${it.actor}, ${it.source}`,
    detail(it),
    ...(context.verbose ? [it.fingerprint, `#${it.id}`] : []),
  ]);
  const text = rows.length === 0 ? `No records for ${name} yet` : renderTable(rows);
  context.print({ feature: name, records }, text);
  return ExitCode.done;
}

function detail({ kind, reason, runs, expiresAt }: Evidence): string {
  if (reason !== null) {
    return expiresAt === null ? reason : `${reason} (until ${expiresAt.toISOString()})`;
  }
  const failed = runs.find((run) => run.outcome !== 'exited' || run.exitCode !== 0);
  if (kind === 'failed' && failed !== undefined) {
    const how = failed.outcome === 'exited' ? `exit code ${failed.exitCode}` : failed.outcome;
    return `${failed.command}: ${how}`;
  }
  return runs.map((run) => run.command).join('; ');
}
