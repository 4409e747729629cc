import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { agentsWith, findHookAgent } from '../../agents/registry.ts';
import { EVENT_NAMES } from '../../agents/types.ts';
import type { Check, Diagnosis, Repair } from '../../app/doctor.ts';
import type { GitHoldReport, InstallReport, Uninstallation } from '../../app/installation.ts';
import { ExitCode, ExplainedError } from '../../errors.ts';
import type { Runtime } from '../../install/hook-shim.ts';
import { defaultAgent } from '../../install/targets.ts';
import { packageRoot } from '../../package.ts';
import { plural } from '../../text/count.ts';
import { printable } from '../../text/printable.ts';
import { both, type Context, command, group } from '../command.ts';

const installation = () => import('../../app/installation.ts');

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
    ...gitHoldText(gitHold, mayBe && report.data.state !== 'current'),
  ];
  const chosen = dryRun ? undefined : await chooseOnHold(context, report, { onHold, yes });
  if (chosen !== undefined) lines.push(`set gate.onHold: ${chosen}`);
  const data = { ...report.data, gitHold: gitHold ?? null };
  return context.print(data, lines.join('\n'));
}

/** Sets `gate.onHold` as it is given; asks where the agent allows it and the user has not said it before. */
async function chooseOnHold(
  context: Context,
  { data: { agent } }: InstallReport,
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

async function installText(context: Context, report: InstallReport): Promise<string> {
  const { painter } = await import('../render/table.ts');
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

const gitHook = () => both(import('../../app/installation.ts'), import('../render/git-hook.ts'));

const install = command({
  name: 'install',
  about: 'Put a pre-push hook before the one that is there, or bring ours up to date',
  examples: [['lanehold git-hook install', 'once per clone; a hook that is there runs first']],
  run: (context) => runGitHookInstall(context),
});

/** @param runtime what the hook will start; by default this Node and this package's program. */
export async function runGitHookInstall(context: Context, runtime?: Runtime): Promise<number> {
  const { installGitHook, installedText } = await gitHook();
  const installed = await installGitHook(context, runtime);
  return context.print(installed, await installedText(installed, context));
}

const remove = command({
  name: 'remove',
  about: 'Remove the pre-push hook, and put back what was there before',
  examples: [['lanehold git-hook remove', 'in the repository you stand in']],
  async run(context) {
    const { removeGitHook, removedText } = await gitHook();
    const removed = await removeGitHook(context);
    return context.print(removed, removedText(removed));
  },
});

const status = command({
  name: 'status',
  about: 'Say whether git itself holds a push here (exit code 1 if not)',
  examples: [
    ['lanehold git-hook status', 'after `npm install`, husky may have written its own again'],
    ['lanehold git-hook status --json', 'the same for scripts'],
  ],
  async run(context) {
    const { gitHookStatus, statusText } = await gitHook();
    const found = await gitHookStatus(context);
    return context.print(found, statusText(found), found.holds ? ExitCode.done : ExitCode.failed);
  },
});

export const declareGitHook = group({
  name: 'git-hook',
  about: 'Hold what git pushes from this repository, whoever or whatever pushes it',
  commands: [install, remove, status],
});

const doctor = () => import('../../app/doctor.ts');

export const declareDoctor = command({
  name: 'doctor',
  about: 'Check that releases are really held here (exit code 1 if something is broken)',
  options: [['--repair', 'quarantine a damaged database, and rebuild runs and lanes']],
  examples: [
    ['lanehold doctor', 'the verdict, then a line per check'],
    ['lanehold doctor --json', 'the same for scripts'],
  ],
  async run(context, { repair = false }) {
    if (repair) await runRepair(context);
    return runDoctor(context);
  },
});

/** @param checks what to look at, in this order. */
export async function runDoctor(context: Context, checks?: readonly Check[]): Promise<number> {
  const { diagnose } = await doctor();
  const diagnosis = await diagnose(context, checks);
  const exitCode = diagnosis.ok ? ExitCode.done : ExitCode.failed;
  return context.print(diagnosis, await diagnosisText(context, diagnosis), exitCode);
}

export async function runRepair(context: Context): Promise<void> {
  const { repairStore } = await doctor();
  for (const line of repairLines(await repairStore(context))) context.progress(line);
}

function repairLines({ quarantined, rebuilt }: Repair): string[] {
  return [
    quarantined === undefined
      ? 'the database is not damaged: nothing to repair'
      : `set the damaged database aside as ${quarantined}; features and evidence in it are lost`,
    ...rebuilt.flatMap(({ run, lanes, unproven, remarks }) => [
      `built run ${run} again, with lanes ${lanes.join(', ')}: all on hold`,
      ...unproven.map(
        (key) => `validate what was done: \`lanehold orchestrate verify ${key} --run ${run}\``,
      ),
      ...remarks,
    ]),
  ];
}

async function diagnosisText(context: Context, { findings }: Diagnosis): Promise<string> {
  const { painter } = await import('../render/table.ts');
  const paint = await painter(context, 'stdout');
  const count = (state: string) => findings.filter((it) => it.state === state).length;
  const broken = count('broken');
  const warnings = count('warning');
  const verdict =
    broken > 0
      ? paint.bad(`broken: ${plural(broken, 'check')} failed`)
      : paint.good(warnings > 0 ? `works, with ${plural(warnings, 'warning')}` : 'works');
  const marks = {
    ok: paint.good('ok'),
    warning: paint.warn('warning'),
    broken: paint.bad('broken'),
  };
  const lines = findings.flatMap(({ state, fact, hint }) => [
    `${marks[state]}: ${printable(fact)}`,
    ...(hint === undefined ? [] : [`  ${paint.hint('hint:')} ${printable(hint)}`]),
  ]);
  return [verdict, ...lines].join('\n');
}

const AGENTS = agentsWith('hooks').map(({ name }) => name);

export const declareHook = command({
  name: 'hook',
  about: 'Answer one hook event of an agent: payload on stdin, answer on stdout',
  args: [['<event>', EVENT_NAMES.join(', ')]],
  options: [['--agent <name>', AGENTS.join(', '), { required: true }]],
  examples: [
    [
      `lanehold hook before-tool --agent ${AGENTS[0]} < payload.json`,
      'what the installed hook does, without the way through the settings',
    ],
  ],
  /** Hands over to the hook program, which ends the process with its own exit code. */
  async run(_, event, { agent }) {
    const program = join(packageRoot(), 'hooks', 'lanehold-hook.cjs');
    if (!existsSync(program)) {
      throw new ExplainedError('the hook program is not built', { hint: 'run `npm run build`' });
    }
    process.argv = [process.execPath, program, event, '--agent', agent];
    await import(pathToFileURL(program).href);
    return Number(process.exitCode ?? 0);
  },
});
