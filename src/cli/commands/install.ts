import type { InstallReport, Uninstallation } from '../../app/installation.ts';
import type { Runtime } from '../../install/hook-shim.ts';
import { defaultAgent } from '../../install/targets.ts';
import { printable } from '../../text/printable.ts';
import { command } from '../command.ts';
import type { Context } from '../context.ts';

const installation = () => import('../../app/installation.ts');

export interface InstallOptions {
  readonly agent?: string;
  readonly user?: boolean;
  /** Given without a folder it means the present one; a folder given is in `context.cwd` already. */
  readonly project?: string | true;
  readonly dryRun?: boolean;
}

export const declareInstall = command({
  name: 'install',
  about: 'Install the hooks of an agent, for all you do or for one repository',
  options: [
    ['--agent <name>', `which agent (default: ${defaultAgent()})`],
    ['--user', 'for everything you do (the default)'],
    [
      '--project [dir]',
      'for one repository and all its worktrees, in the local settings of its main checkout',
      { conflicts: 'user' },
    ],
    ['--dry-run', 'show what would change, write nothing'],
  ],
  examples: [
    ['lanehold install --dry-run', 'see what would be written to the settings of the agent'],
    ['lanehold install', 'hold releases in every session of yours'],
    ['lanehold install --project', 'only in the repository you stand in'],
  ],
  run: (context, options) => runInstall(context, options),
});

/** @param runtime what the hooks will start; by default this Node and this package's hook program. */
export async function runInstall(
  context: Context,
  { agent, project, dryRun = false }: InstallOptions,
  runtime?: Runtime,
): Promise<number> {
  const { installHooks } = await installation();
  const scope = project === undefined ? 'user' : 'project';
  const report = await installHooks(context, { agent, scope, dryRun }, runtime);
  return context.print(report.data, await installText(context, report));
}

const MAX_COLUMNS = 120;

async function installText(context: Context, report: InstallReport): Promise<string> {
  const { painter } = await import('../render/colour.ts');
  const paint = await painter(context, 'stdout');
  const { dryRun, diff, backup, warnings, state, scope } = report.data;
  const lines = [installVerdict(report)];
  if (dryRun) {
    for (const line of diff) {
      const colour = line.startsWith('+') ? paint.good : line.startsWith('-') ? paint.bad : String;
      lines.push(colour(clipped(printable(line))));
    }
  }
  if (backup && context.verbose) lines.push(`backup: ${backup}`);
  for (const warning of warnings) lines.push(`${paint.warn('warning:')} ${printable(warning)}`);
  if (!dryRun && state !== 'current') {
    lines.push(
      `${paint.hint('hint:')} start a new session, then check with \`lanehold doctor\`; ` +
        `undo with \`lanehold uninstall --${scope}\``,
    );
  }
  return lines.join('\n');
}

/** The shell script of a hook is one long line of JSON; `--json` shows it whole. */
function clipped(line: string): string {
  return line.length <= MAX_COLUMNS ? line : `${line.slice(0, MAX_COLUMNS - 1)}…`;
}

function installVerdict({ data, hooks: count }: InstallReport): string {
  const { agent, file, state, dryRun } = data;
  const hooks = `the ${count} hooks for ${agent} in ${printable(file)}`;
  switch (state) {
    case 'current':
      return `already installed: ${hooks}`;
    case 'new':
      return dryRun ? `would install ${hooks}` : `installed ${hooks}`;
    case 'upgrade':
      return dryRun ? `would bring up to date ${hooks}` : `brought up to date ${hooks}`;
  }
}

export const declareUninstall = command({
  name: 'uninstall',
  about: 'Remove the hooks, and leave every file as it would be without them',
  options: [
    ['--agent <name>', 'which agent (default: every agent)'],
    ['--user', 'only what was installed for everything you do'],
    ['--project [dir]', 'only what was installed for one repository'],
    ['--dry-run', 'show what would happen, write nothing'],
  ],
  examples: [
    ['lanehold uninstall', 'everything that was installed, wherever it was'],
    ['lanehold uninstall --project', 'only the hooks of the repository you stand in'],
  ],
  run: runUninstall,
});

export async function runUninstall(
  context: Context,
  { agent, user, project, dryRun = false }: InstallOptions,
): Promise<number> {
  const { uninstallHooks } = await installation();
  const named = [
    ...(user ? (['user'] as const) : []),
    ...(project === undefined ? [] : (['project'] as const)),
  ];
  const scopes = named.length === 0 ? undefined : named;
  const done = await uninstallHooks(context, { agent, scopes, dryRun });
  return context.print(done, uninstallText(done));
}

function uninstallText({ removed, dryRun }: Uninstallation): string {
  if (removed.length === 0) return 'nothing is installed';
  return removed.map((removal) => removalText(removal, dryRun)).join('\n');
}

function removalText({ file, state }: Uninstallation['removed'][number], dryRun: boolean): string {
  const path = printable(file);
  switch (state) {
    case 'restored':
      return `${dryRun ? 'would restore' : 'restored'} ${path} as it was before`;
    case 'deleted':
      return `${dryRun ? 'would delete' : 'deleted'} ${path}, which there was not before`;
    case 'cleaned':
      return `${dryRun ? 'would remove' : 'removed'} the hooks from ${path}; its other content stays`;
    case 'absent':
      return `nothing of ours in ${path}`;
  }
}
