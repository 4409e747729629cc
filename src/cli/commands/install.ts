import { findHookAgent } from '../../agents/registry.ts';
import type { GitHoldReport } from '../../app/git-hook.ts';
import type { AgentInstallation, Uninstallation } from '../../app/installation.ts';
import type { Runtime } from '../../install/hook-shim.ts';
import { defaultAgent } from '../../install/targets.ts';
import { printable } from '../../text/printable.ts';
import { both, type Context, command } from '../command.ts';
import type { Painter } from '../render/table.ts';

const installation = () =>
  both(import('../../app/installation.ts'), import('../../app/git-hook.ts'));

export interface InstallOptions {
  readonly agent?: string;
  readonly user?: boolean;
  /** Given without a folder it means the present one; a folder given is in `context.cwd` already. */
  readonly project?: string | true;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly gitHook?: boolean;
  readonly onHold?: string;
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
    ['--yes', 'let git itself hold pushes as well, without asking'],
    ['--no-git-hook', 'leave git alone, without asking'],
    ['--on-hold <choice>', '`verify` or `deny`: what becomes of a command that is held'],
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
  { agent, project, dryRun = false, yes = false, gitHook = true, onHold }: InstallOptions,
  runtime?: Runtime,
): Promise<number> {
  const { installHooks, installGitHold, wantsGitHold } = await installation();
  const scope = project === undefined ? 'user' : 'project';
  const report = await installHooks(context, { agent, scope, dryRun }, runtime);
  const isWanted = async () =>
    yes || (scope === 'user' && wantsGitHold(context)) || agrees(context, GIT_HOLD[scope]);
  const mayBe = gitHook && !dryRun;
  const gitHold =
    mayBe && (await isWanted()) ? await installGitHold(context, { scope }, runtime) : undefined;
  const lines = [
    await installText(context, report),
    ...gitHoldText(gitHold, mayBe && isChanged(report)),
  ];
  const chosen = dryRun ? undefined : await chooseOnHold(context, report, { onHold, yes });
  if (chosen !== undefined) lines.push(`set gate.onHold: ${chosen}`);
  const { files, ...about } = report;
  const [first] = files;
  const data = { ...about, ...first, files, gitHold: gitHold ?? null };
  return context.print(data, lines.join('\n'));
}

/** Sets `gate.onHold` as it is given; asks where the agent allows it and the user has not said it before. */
async function chooseOnHold(
  context: Context,
  { agent }: AgentInstallation,
  { onHold, yes }: { readonly onHold: string | undefined; readonly yes: boolean },
): Promise<string | undefined> {
  const takesIt = findHookAgent(agent)?.hooks.capabilities.rewritesInput.includes('before-tool');
  if (onHold === undefined && (yes || !takesIt || !canAnswer(context))) return undefined;
  const { changeSetting, hasGateSetting } = await import('../../app/settings.ts');
  const isOpen = onHold === undefined && !hasGateSetting(context, 'onHold');
  const asked = isOpen && (await agrees(context, ON_HOLD, 'no')) ? 'verify' : undefined;
  const value = onHold ?? asked;
  if (value !== undefined) await changeSetting(context, 'gate.onHold', value);
  return value;
}

const ON_HOLD = 'Where a command is held, run the smoke tests first and go on by itself?';

const GIT_HOLD = {
  user: 'Let git itself hold pushes of features that are not verified, whoever pushes?',
  project: 'Let git itself hold such pushes from this repository, whoever pushes?',
} as const;

/** A person is at the terminal. */
function canAnswer({ streams: { stdin, stderr }, json }: Context): boolean {
  return !json && 'isTTY' in stdin && stdin.isTTY === true && stderr.isTTY === true;
}

/** Asks the person at the terminal; without one the answer is no. */
async function agrees(
  context: Context,
  question: string,
  usual: 'yes' | 'no' = 'yes',
): Promise<boolean> {
  if (!canAnswer(context)) return false;
  const { stdin, stderr } = context.streams;
  const { createInterface } = await import('node:readline/promises');
  const prompt = createInterface({ input: stdin, output: stderr });
  const choice = usual === 'yes' ? '[Y/n]' : '[y/N]';
  const answer = await prompt.question(`${question} ${choice} `).finally(() => prompt.close());
  return /^y(?:es)?$/i.test(answer.trim() || usual);
}

function gitHoldText(done: GitHoldReport | undefined, offered: boolean): string[] {
  if (done === undefined) {
    return offered
      ? ['hint: git itself can hold pushes, too, whoever makes them: `lanehold install --yes`']
      : [];
  }
  switch (done.form) {
    case 'configuration':
      return [
        `${done.state === 'current' ? 'already installed' : 'installed'}: git holds pushes from every repository (hook.lanehold in ${printable(done.file)})`,
      ];
    case 'clones':
      return ['git holds pushes, too: each clone with features gets the hook as a session starts'];
    case 'clone':
      return [
        `git holds pushes from this repository by ${printable(done.file)}`,
        ...done.warnings.map((warning) => `warning: ${printable(warning)}`),
      ];
  }
}

const MAX_COLUMNS = 120;

const isChanged = ({ files }: AgentInstallation): boolean =>
  files.some(({ state }) => state !== 'current');

async function installText(context: Context, report: AgentInstallation): Promise<string> {
  const { painter } = await import('../render/table.ts');
  const paint = await painter(context, 'stdout');
  const { dryRun, files, warnings, afterwards, scope } = report;
  const lines = files.flatMap((it) => [
    fileVerdict(report, it),
    ...(dryRun ? it.diff.map((line) => diffLine(paint, line)) : []),
    ...(it.backup && context.verbose ? [`backup: ${it.backup}`] : []),
  ]);
  for (const warning of warnings) lines.push(`${paint.warn('warning:')} ${printable(warning)}`);
  if (dryRun || !isChanged(report)) return lines.join('\n');
  for (const step of afterwards) lines.push(`${paint.warn('then:')} ${printable(step)}`);
  lines.push(
    `${paint.hint('hint:')} start a new session, then check with \`lanehold doctor\`; ` +
      `undo with \`lanehold uninstall --${scope}\``,
  );
  return lines.join('\n');
}

function diffLine(paint: Painter, line: string): string {
  const shown = clipped(printable(line));
  if (line.startsWith('+')) return paint.good(shown);
  return line.startsWith('-') ? paint.bad(shown) : shown;
}

/** The shell script of a hook is one long line of JSON; `--json` shows it whole. */
function clipped(line: string): string {
  return line.length <= MAX_COLUMNS ? line : `${line.slice(0, MAX_COLUMNS - 1)}…`;
}

function fileVerdict(
  { agent, dryRun }: AgentInstallation,
  { file, what, hooks: count, state }: AgentInstallation['files'][number],
): string {
  const counted = count > 0 ? `${count} ${what}` : what;
  const hooks = `the ${counted} for ${agent} in ${printable(file)}`;
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
