import type { Command } from 'commander';
import type { Scope } from '../../agents/install.ts';
import { ExitCode } from '../../errors.ts';
import type { Removal, RemoveRequest } from '../../install/remove.ts';
import { printable } from '../../text/printable.ts';
import type { Context } from '../context.ts';
import { examples } from '../render/examples.ts';

export interface UninstallOptions {
  readonly agent?: string;
  readonly user?: boolean;
  readonly project?: string | true;
  readonly dryRun?: boolean;
}

export function declareUninstall(parent: Command, context: () => Context): void {
  parent
    .command('uninstall')
    .description('Take the hooks out again and leave every file as it would be without them')
    .option('--agent <name>', 'which agent (default: every agent)')
    .option('--user', 'only what was installed for everything you do')
    .option('--project [dir]', 'only what was installed for one repository')
    .option('--dry-run', 'show what would happen, write nothing')
    .addHelpText(
      'after',
      examples(
        ['lanehold uninstall', 'everything that was installed, wherever it was'],
        ['lanehold uninstall --project', 'only the hooks of the repository you stand in'],
      ),
    )
    .action(async (options: UninstallOptions) => {
      process.exitCode = await runUninstall(context(), options);
    });
}

export async function runUninstall(context: Context, options: UninstallOptions): Promise<ExitCode> {
  const { prepareRemoval, uninstall } = await import('../../install/remove.ts');
  const request = await removeRequest(context, options);
  const dryRun = options.dryRun === true;
  const settings = dryRun ? prepareRemoval(request) : await uninstall(request);
  const all = [...settings, ...(await gitHooks(request, options))];
  const removed = all.filter(({ state }) => state !== 'absent');
  context.print({ dryRun, removed }, renderRemovals(removed, dryRun));
  return ExitCode.done;
}

/** They hold whatever agent there is, so they go with all of them. */
async function gitHooks(
  { home }: RemoveRequest,
  { agent, user, project, dryRun }: UninstallOptions,
): Promise<Removal[]> {
  if (agent !== undefined || user !== undefined || project !== undefined) return [];
  const { prepareGitHookRemovals, removeGitHooks } = await import(
    '../../install/git-hook-records.ts'
  );
  const hooks = dryRun ? prepareGitHookRemovals(home) : await removeGitHooks(home);
  return hooks.map(({ file, state }) => ({ file, state }));
}

async function removeRequest(context: Context, options: UninstallOptions): Promise<RemoveRequest> {
  const { targetOf } = await import('../../install/files.ts');
  const { installerOf, installers } = await import('../../install/targets.ts');
  const { homeOf } = await import('../../store/home.ts');
  const { agent, user, project } = options;
  const all = await installers();
  const meant = agent === undefined ? all : [await installerOf(agent)];

  const narrowed = user !== undefined || project !== undefined;
  const scopes: Scope[] = [];
  if (user || !narrowed) scopes.push('user');
  if (project !== undefined || !narrowed) scopes.push('project');
  const files = meant.flatMap(({ name, settingsFile }) =>
    scopes.map((scope) => ({ agent: name, file: settingsFile(scope, context) })),
  );
  const targets = new Set(files.map(({ file }) => targetOf(file)));
  return {
    home: homeOf(context.env),
    editors: new Map(all.map(({ name, editor }) => [name, editor])),
    files,
    isMeant: (it) =>
      (agent === undefined || it.agent === agent) && (!narrowed || targets.has(it.target)),
  };
}

function renderRemovals(removed: readonly Removal[], dryRun: boolean): string {
  if (removed.length === 0) return 'nothing is installed';
  return removed.map((removal) => inWords(removal, dryRun)).join('\n');
}

function inWords({ file, state }: Removal, dryRun: boolean): string {
  const path = printable(file);
  switch (state) {
    case 'restored':
      return `${dryRun ? 'would restore' : 'restored'} ${path} as it was before`;
    case 'deleted':
      return `${dryRun ? 'would delete' : 'deleted'} ${path}, which there was not before`;
    case 'cleaned':
      return `${dryRun ? 'would take' : 'took'} the hooks out of ${path} and leave its other content`;
    case 'absent':
      return `nothing of ours in ${path}`;
  }
}
