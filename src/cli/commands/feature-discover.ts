import { type Command, Option } from 'commander';
import { ExitCode } from '../../errors.ts';
import type { Draft } from '../../features/discover/draft.ts';
import type { ProposedFeature } from '../../features/discover/part.ts';
import type { Workspace } from '../../features/workspace.ts';
import { plural } from '../../text/count.ts';
import type { Context } from '../context.ts';
import { examples } from '../render/examples.ts';
import { openFeatures } from '../workspace.ts';

type Options = { readonly draft?: boolean; readonly write?: boolean };

export function declareFeatureDiscover(parent: Command, context: () => Context): void {
  parent
    .command('discover')
    .description('Propose features from workspaces, source folders and owners; writes nothing')
    .addOption(new Option('--draft', 'print the lanehold.json that would be written'))
    .addOption(new Option('--write', 'add the proposals to lanehold.json').conflicts('draft'))
    .addHelpText(
      'after',
      examples(
        ['lanehold feature discover', 'look at the proposals'],
        ['lanehold feature discover --draft', 'see the file that --write would write'],
        ['lanehold feature discover --write', 'take them; what is registered stays as it is'],
      ),
    )
    .action(async (options: Options) => {
      process.exitCode = await runFeatureDiscover(context(), options);
    });
}

export async function runFeatureDiscover(context: Context, options: Options): Promise<ExitCode> {
  const [{ workspace, registry }, { draftOf }, { registryText }, { writeRegistryFile }] =
    await Promise.all([
      openFeatures(context),
      import('../../features/discover/draft.ts'),
      import('../../features/registry.ts'),
      import('../../features/store-feature.ts'),
    ]);
  const proposals = await propose(workspace);
  const before = registryText(workspace.place);
  const draft = draftOf(proposals, registry.features, before);
  const written = options.write === true && draft.text !== undefined;
  if (written && draft.text !== undefined) writeRegistryFile(workspace, draft.text);
  const data = {
    proposed: proposals,
    added: written ? draft.added : [],
    kept: draft.kept,
    draft: draft.text ?? before ?? null,
  };
  context.print(
    data,
    options.draft ? draftText(data.draft) : await render(proposals, draft, written),
  );
  return ExitCode.done;
}

type Counted = ProposedFeature & { readonly fileCount: number };

async function propose({ git, place }: Workspace): Promise<Counted[]> {
  const [{ projectPaths, projectText }, { discoverFeatures }, { coverage }] = await Promise.all([
    import('../../git/project-files.ts'),
    import('../../features/discover/discover.ts'),
    import('../../features/coverage.ts'),
  ]);
  const paths = await projectPaths(git, place);
  const readFile = (path: string) => projectText(place.root, path);
  const proposals = discoverFeatures({ paths, readFile });
  const { byFeature } = coverage(proposals, paths);
  return proposals.map((it, index) => ({ ...it, fileCount: byFeature[index]?.files ?? 0 }));
}

/** As a file ends, less the new line that printing adds. */
function draftText(text: string | null): string {
  return (text ?? '{}').replace(/\n$/, '');
}

async function render(
  proposals: readonly Counted[],
  { added, kept }: Draft,
  written: boolean,
): Promise<string> {
  if (proposals.length === 0) {
    return "Nothing to propose: no source found here\nhint: lanehold feature add NAME --files 'GLOB' --smoke 'COMMAND'";
  }
  const { renderTable } = await import('../render/table.ts');
  const table = renderTable(
    proposals.map(({ name, fileCount, smoke, because }) => [
      name,
      plural(fileCount, 'file'),
      smoke.map((test) => test.command).join(' && ') || '(no smoke test)',
      kept.includes(name) ? `registered already; ${because}` : because,
    ]),
  );
  if (added.length === 0) {
    return `Nothing to add: ${plural(kept.length, 'proposal')} registered already\n${table}`;
  }
  const left = kept.length === 0 ? '' : `; ${kept.length} registered already, kept as they are`;
  const [verdict, hint] = written
    ? [
        `Added ${plural(added.length, 'feature')} to lanehold.json${left}`,
        'edit lanehold.json until it says what matters, then commit it',
      ]
    : [
        `${plural(added.length, 'feature')} proposed, nothing written${left}`,
        '`--draft` prints them as lanehold.json, `--write` adds them to it',
      ];
  return `${verdict}\n${table}\nhint: ${hint}`;
}
