import { type Command, Option } from 'commander';
import { ExitCode } from '../../errors.ts';
import type { Installed, InstallRequest, Prepared } from '../../install/apply.ts';
import type { Runtime } from '../../install/hook-shim.ts';
import { defaultAgent, type Installer } from '../../install/targets.ts';
import { printable } from '../../text/printable.ts';
import type { Context } from '../context.ts';
import { examples } from '../render/examples.ts';

export interface InstallOptions {
  readonly agent?: string;
  readonly user?: boolean;
  /** Given without a folder it means the present one; a folder given is in `context.cwd` already. */
  readonly project?: string | true;
  readonly dryRun?: boolean;
}

export function declareInstall(parent: Command, context: () => Context): void {
  parent
    .command('install')
    .description('Install the hooks of an agent, for all you do or for one repository')
    .option('--agent <name>', `which agent (default: ${defaultAgent()})`)
    .option('--user', 'for everything you do (the default)')
    .addOption(
      new Option(
        '--project [dir]',
        'for one repository and all its worktrees, in the local settings of its main checkout',
      ).conflicts('user'),
    )
    .option('--dry-run', 'show what would change, write nothing')
    .addHelpText(
      'after',
      examples(
        ['lanehold install --dry-run', 'see what would be written to the settings of the agent'],
        ['lanehold install', 'hold releases in every session of yours'],
        ['lanehold install --project', 'only in the repository you stand in'],
      ),
    )
    .action(async (options: InstallOptions) => {
      process.exitCode = await runInstall(context(), options);
    });
}

/** @param runtime what the hooks will start; by default this Node and this package's hook program. */
export async function runInstall(
  context: Context,
  options: InstallOptions,
  runtime?: Runtime,
): Promise<ExitCode> {
  const { install, prepareInstall } = await import('../../install/apply.ts');
  const { currentRuntime, installerOf } = await import('../../install/targets.ts');
  const started = runtime ?? currentRuntime();
  const installer = await installerOf(options.agent ?? defaultAgent());
  const request = await installRequest(context, options, { installer, runtime: started });
  const dryRun = options.dryRun === true;
  const done = dryRun ? { ...prepareInstall(request), backup: undefined } : await install(request);
  const { diffLines } = await import('../render/diff.ts');
  const diff = diffLines(done.current ?? '', done.text);
  const warnings = await warningsFor(context, request, done, { installer, runtime: started });
  const { agent, scope, file } = request;
  context.print(
    { agent, scope, file, state: done.state, dryRun, backup: done.backup, diff, warnings },
    await renderInstall(context, { request, done, diff, warnings, dryRun }),
  );
  return ExitCode.done;
}

interface Installing {
  readonly installer: Installer;
  readonly runtime: Runtime;
}

async function installRequest(
  context: Context,
  options: InstallOptions,
  { installer, runtime }: Installing,
): Promise<InstallRequest> {
  const { homeOf } = await import('../../store/home.ts');
  const { packageVersion } = await import('../../package.ts');
  const scope = options.project === undefined ? 'user' : 'project';
  const file = installer.settingsFile(scope, context);
  return {
    home: homeOf(context.env),
    agent: installer.name,
    scope,
    editor: installer.editor,
    file,
    wanted: installer.wantedHooks(runtime, file),
    version: packageVersion(),
    now: context.now(),
  };
}

async function warningsFor(
  { env, cwd }: Context,
  request: InstallRequest,
  { text }: Prepared,
  { installer, runtime }: Installing,
): Promise<string[]> {
  const { isInCache } = await import('../../install/targets.ts');
  const warnings = installer
    .problems(text)
    .map((problem) => `the agent ignores the whole file: ${problem}`);
  const { checkSwitches } = await import('../../install/verify.ts');
  for (const { state, fact } of checkSwitches({ env, cwd }, [installer])) {
    if (state !== 'ok') warnings.push(fact);
  }
  if (isInCache(runtime.hook)) {
    warnings.push(
      'the hooks lead into the cache of npx, which may be emptied: `npm install -g lanehold` first',
    );
  }
  if (env.LANEHOLD_HOME) {
    warnings.push('LANEHOLD_HOME is set: start the agent with it, too, or its hooks use another');
  }
  if (request.scope === 'project' && (await wouldBeCommitted(request.file, env))) {
    warnings.push(`keep ${request.file} out of commits: it names paths of this machine`);
  }
  return warnings;
}

async function wouldBeCommitted(file: string, env: Context['env']): Promise<boolean> {
  const { gitIn } = await import('../../git/git.ts');
  const { projectPlace } = await import('../../git/project.ts');
  const { dirname } = await import('node:path');
  const root = dirname(dirname(file));
  if (projectPlace(root).kind !== 'git') return false;
  return (await gitIn(root, env).maybe(['check-ignore', file], [1, 128])) === undefined;
}

const MAX_COLUMNS = 120;

interface Report {
  readonly request: InstallRequest;
  readonly done: Prepared | Installed;
  readonly diff: readonly string[];
  readonly warnings: readonly string[];
  readonly dryRun: boolean;
}

async function renderInstall(context: Context, report: Report): Promise<string> {
  const { painter } = await import('../render/colour.ts');
  const paint = await painter(context, 'stdout');
  const { request, done, diff, warnings, dryRun } = report;
  const lines = [verdict(report)];
  if (dryRun) {
    for (const line of diff) {
      const colour = line.startsWith('+') ? paint.good : line.startsWith('-') ? paint.bad : String;
      lines.push(colour(clipped(printable(line))));
    }
  }
  if ('backup' in done && done.backup && context.verbose) lines.push(`backup: ${done.backup}`);
  for (const warning of warnings) lines.push(`${paint.warn('warning:')} ${printable(warning)}`);
  if (!dryRun && done.state !== 'current') {
    lines.push(
      `${paint.hint('hint:')} start a new session, then check with \`lanehold doctor\`; ` +
        `undo with \`lanehold uninstall --${request.scope}\``,
    );
  }
  return lines.join('\n');
}

/** The shell script of a hook is one long line of JSON; `--json` shows it whole. */
function clipped(line: string): string {
  return line.length <= MAX_COLUMNS ? line : `${line.slice(0, MAX_COLUMNS - 1)}…`;
}

function verdict({ request, done, dryRun }: Report): string {
  const hooks = `the ${request.wanted.length} hooks for ${request.agent} in ${printable(request.file)}`;
  switch (done.state) {
    case 'current':
      return `already installed: ${hooks}`;
    case 'new':
      return dryRun ? `would install ${hooks}` : `installed ${hooks}`;
    case 'upgrade':
      return dryRun ? `would bring up to date ${hooks}` : `brought up to date ${hooks}`;
  }
}
