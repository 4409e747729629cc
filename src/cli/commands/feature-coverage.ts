import type { Command } from 'commander';
import { ExitCode } from '../../errors.ts';
import type { Coverage } from '../../features/coverage.ts';
import { plural } from '../../text/count.ts';
import { printableLine } from '../../text/printable.ts';
import type { Context } from '../context.ts';
import { examples } from '../render/examples.ts';
import { openFeatures } from '../workspace.ts';

/** A repository with more folders at its top is read with `--verbose`, or as JSON. */
const MOST_FOLDERS = 20;

export function declareFeatureCoverage(parent: Command, context: () => Context): void {
  parent
    .command('coverage')
    .description('Say which files belong to a feature, which to none, and which patterns are dead')
    .addHelpText(
      'after',
      examples(
        ['lanehold feature coverage', 'counts, and the folders that nothing covers'],
        ['lanehold feature coverage --verbose', 'every file that belongs to no feature'],
      ),
    )
    .action(async () => {
      process.exitCode = await runFeatureCoverage(context());
    });
}

export async function runFeatureCoverage(context: Context): Promise<ExitCode> {
  const [{ workspace, registry }, { projectPaths }, { coverage }, { renderTable }] =
    await Promise.all([
      openFeatures(context),
      import('../../git/project-files.ts'),
      import('../../features/coverage.ts'),
      import('../render/table.ts'),
    ]);
  const paths = await projectPaths(workspace.git, workspace.place);
  const features = [...registry.features.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const result = coverage(features, paths);
  const total = result.covered + result.uncovered.length;
  const belong = result.covered === 1 ? 'belongs' : 'belong';
  const counts = result.byFeature.map(({ name, files }) => [`  ${name}`, plural(files, 'file')]);
  const lines = [
    `${result.covered} of ${plural(total, 'file')} ${belong} to a feature`,
    ...(counts.length === 0 ? [] : [renderTable(counts)]),
    ...uncoveredLines(result, context.verbose, renderTable),
    ...result.unmatched.map(
      ({ feature, pattern }) =>
        `warning: \`${printableLine(pattern)}\` of ${feature} matches no file`,
    ),
    ...(features.length === 0 ? ['hint: `lanehold feature discover` proposes some'] : []),
  ];
  context.print({ total, ...result }, lines.join('\n'));
  return ExitCode.done;
}

function uncoveredLines(
  { uncovered }: Coverage,
  all: boolean,
  renderTable: (rows: string[][]) => string,
): string[] {
  if (uncovered.length === 0) return [];
  const title = 'Of no feature:';
  if (all) return [title, renderTable(uncovered.map((path) => [`  ${path}`]))];
  const folders = new Map<string, number>();
  for (const path of uncovered) {
    const slash = path.indexOf('/');
    const folder = slash === -1 ? '(top level)' : path.slice(0, slash + 1);
    folders.set(folder, (folders.get(folder) ?? 0) + 1);
  }
  const rows = [...folders]
    .sort(([, one], [, other]) => other - one)
    .map(([folder, count]) => [`  ${folder}`, plural(count, 'file')]);
  const more = rows.length - MOST_FOLDERS;
  return [
    title,
    renderTable(rows.slice(0, MOST_FOLDERS)),
    ...(more > 0 ? [`  and ${plural(more, 'folder')} more: \`--verbose\` lists every file`] : []),
  ];
}
