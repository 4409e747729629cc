import type { Extra } from '../../../agents/install.ts';
import type { Runtime } from '../../../agents/kit/hook-shim.ts';
import { agentsWith, findHookAgent } from '../../../agents/registry.ts';
import { setUpGitHold, wantsGitHold } from '../../../app/setup/git-hook.ts';
import {
  type InstallReport,
  installHooks,
  type UninstallWish,
  uninstallHooks,
} from '../../../app/setup/installation.ts';
import { purge as deleteAll, purgeable } from '../../../app/setup/purge.ts';
import { changeSettings, hasGateSetting } from '../../../app/setup/settings.ts';
import { recallSettings } from '../../../base/config/capture.ts';
import { ExitCode, UsageError } from '../../../base/errors.ts';
import { printable } from '../../../base/text/printable.ts';
import * as words from '../../words/install.ts';
import { agrees, type Context, canAnswer, command, type OptionsOf } from '../command.ts';

const OPTIONS = [
  ['--agent <name...>', 'which agents (default: those found on this machine)'],
  ['--user', 'for everything you do (the default)'],
  [
    '--project [dir]',
    'for one repository and all its worktrees, in the local settings of its main checkout',
    { conflicts: 'user' },
  ],
  ['--dry-run', 'show what would change, write nothing'],
  ['--yes', 'do not ask: install, and let git itself hold pushes as well'],
  ['--trust', 'confirm what agents would ask you about these hooks'],
  ['--no-git-hook', 'leave git alone, without asking'],
  ['--no-statusline', 'leave the status lines of agents alone'],
  ['--on-hold <choice>', '`verify` or `deny`: what becomes of a command that is held'],
] as const;

/** `project` without a folder means the present one; a folder that was given is in `context.cwd` already. */
export type InstallOptions = Partial<OptionsOf<typeof OPTIONS>>;

export const declareInstall = command({
  name: 'install',
  about: 'Install the hooks of agents, for all or for one repository',
  options: OPTIONS,
  examples: [
    ['lanehold install --dry-run', 'see what would be written to the settings of which agents'],
    ['lanehold install', 'hold releases in every session of yours'],
    ['lanehold install --project', 'only in the repository you stand in'],
  ],
  notes:
    '\n\nWithout a terminal nothing is asked: hooks are installed; git and\nstatus lines are left alone without --yes.',
  run: (context, options) => runInstall(context, options),
});

/** @param runtime what the hooks will start; by default this Node and this package's hook program. */
export async function runInstall(context: Context, options: InstallOptions, runtime?: Runtime) {
  const { agent, project, dryRun = false, yes = false, gitHook = true, trust = false } = options;
  const scope = project === undefined ? 'user' : 'project';
  const wish = { agents: agent, scope, trust, extras: extrasOf(context, options) } as const;
  if (!dryRun && !yes && canAnswer(context)) {
    const plan = await installHooks(context, { ...wish, dryRun: true }, runtime);
    if (words.isChanged(plan)) {
      context.progress(await words.installText(context, plan, 'in short'));
      if (!(await agrees(context, 'Install this?'))) {
        context.progress('nothing was written');
        return ExitCode.failed;
      }
    }
  }
  const report = await installHooks(context, { ...wish, dryRun }, runtime);
  const isWanted = async () =>
    yes || (scope === 'user' && wantsGitHold(context)) || agrees(context, GIT_HOLD[scope]);
  const mayBe = gitHook && !dryRun;
  const gitHold =
    mayBe && (await isWanted()) ? await setUpGitHold(context, { scope }, runtime) : undefined;
  const lines = [
    await words.installText(context, report),
    ...words.gitHoldText(gitHold, mayBe && words.isChanged(report)),
  ];
  if (!dryRun) {
    lines.push(...(await chooseOnHold(context, report, options)));
    lines.push(...(await chooseTranscripts(context, report, words.isChanged(report))));
  }
  const isWhole = report.agents.every(({ problem }) => problem === null);
  const exitCode = isWhole ? ExitCode.done : ExitCode.failed;
  return context.print({ ...report, gitHold: gitHold ?? null }, lines.join('\n'), exitCode);
}

/** A status line is changed only after the person has agreed, or has seen the change. */
function extrasOf(
  context: Context,
  { dryRun = false, yes = false, statusline = true }: InstallOptions,
): readonly Extra[] {
  const isAgreed = yes || dryRun || canAnswer(context);
  return statusline && isAgreed ? ['skills', 'statusline'] : ['skills'];
}

/** Sets `gate.onHold` to the given value; otherwise asks, if the agent allows it and it is not set. */
async function chooseOnHold(
  context: Context,
  { agents }: InstallReport,
  { onHold, yes = false }: InstallOptions,
): Promise<string[]> {
  const takesIt = agents.some(({ agent }) =>
    findHookAgent(agent)?.hooks.capabilities.rewritesInput.includes('before-tool'),
  );
  if (onHold === undefined && (yes || !takesIt || !canAnswer(context))) return [];
  const isOpen = onHold === undefined && !hasGateSetting(context, 'onHold');
  const asked = isOpen && (await agrees(context, ON_HOLD, 'no')) ? 'verify' : undefined;
  const value = onHold ?? asked;
  if (value === undefined) return [];
  await changeSettings(context, [['gate.onHold', value]]);
  return [`set gate.onHold: ${value}`];
}

/**
 * Asks once whether the sessions that agents have recorded may be read. `--yes` is no answer, because they are a
 * person's past.
 *
 * @param isNew whether something was installed: if nobody can be asked, the setting is then named.
 */
async function chooseTranscripts(
  context: Context,
  { agents }: InstallReport,
  isNew: boolean,
): Promise<string[]> {
  const records = agentsWith('transcripts').filter(({ name }) =>
    agents.some(({ agent }) => agent === name),
  );
  const isSet = recallSettings('/', context.env).transcripts.source === 'you';
  if (records.length === 0 || isSet) return [];
  const names = records.map(({ title }) => title).join(', ');
  if (!canAnswer(context)) {
    if (!isNew) return [];
    return [
      `hint: what ${names} recorded of earlier sessions is not read; to find it: \`lanehold config set recall.transcripts on\``,
    ];
  }
  context.progress(
    `${names} recorded your earlier sessions. They can be listed and searched: read only, on this machine, without secrets.`,
  );
  const value = (await agrees(context, TRANSCRIPTS, 'no')) ? 'on' : 'off';
  await changeSettings(context, [['recall.transcripts', value]]);
  const next = value === 'on' ? '; read them now: `lanehold recall refresh`' : '';
  return [`set recall.transcripts: ${value}${next}`];
}

const TRANSCRIPTS = 'Read them?';

const ON_HOLD = 'Where a command is held, run the smoke tests first and go on by itself?';

const GIT_HOLD = {
  user: 'Let git itself hold pushes of features that are not verified, whoever pushes?',
  project: 'Let git itself hold such pushes from this repository, whoever pushes?',
} as const;

const UNINSTALL = [
  ['--agent <name...>', 'which agents (default: every agent)'],
  ['--user', 'only what was installed for everything you do'],
  ['--project [dir]', 'only what was installed for one repository'],
  ['--dry-run', 'show what would happen, write nothing'],
  ['--purge', 'also delete all that lanehold has stored; asks first'],
  ['--yes', 'do not ask'],
] as const;

export type UninstallOptions = OptionsOf<typeof UNINSTALL>;

export const declareUninstall = command({
  name: 'uninstall',
  about: 'Remove the hooks; every file is as it would be without them',
  options: UNINSTALL,
  examples: [
    ['lanehold uninstall', 'everything that was installed, wherever it was'],
    ['lanehold uninstall --project', 'only the hooks of the repository you stand in'],
  ],
  run: runUninstall,
});

export async function runUninstall(
  context: Context,
  { agent, user, project, dryRun = false, purge = false, yes = false }: UninstallOptions,
): Promise<number> {
  const given = { user: user === true, project: project !== undefined };
  const named = (['user', 'project'] as const).filter((it) => given[it]);
  const scopes = named.length === 0 ? undefined : named;
  const isAll = agent === undefined && scopes === undefined;
  if (purge && !isAll) {
    throw new UsageError('--purge is for all of lanehold, not for one agent or one place');
  }
  const wish = { agents: agent, scopes, dryRun };
  if (!yes && !(await mayUninstall(context, wish))) {
    context.progress('nothing was removed');
    return ExitCode.failed;
  }
  const folder = purge ? await folderToPurge(context, { dryRun, yes }) : undefined;
  const done = await uninstallHooks(context, wish);
  const exitCode = done.failed.length > 0 ? ExitCode.failed : ExitCode.done;
  // Remaining hooks could not be removed later without the records.
  if (folder === undefined || done.failed.length > 0) {
    const stays = isAll ? words.staysText(done, context.env) : '';
    return context.print(done, `${words.uninstallText(done)}${stays}`, exitCode);
  }
  if (!dryRun) await deleteAll(context);
  const said = `${dryRun ? 'would delete' : 'deleted'} ${printable(folder)} with all that was stored`;
  return context.print({ ...done, purged: folder }, `${words.uninstallText(done)}\n${said}`);
}

/** Shows a person the files that would change, in every folder, and asks. */
async function mayUninstall(context: Context, wish: UninstallWish): Promise<boolean> {
  if (wish.dryRun || !canAnswer(context)) return true;
  const plan = await uninstallHooks(context, { ...wish, dryRun: true });
  if (plan.removed.length === 0) return true;
  context.progress(words.uninstallText(plan));
  return agrees(context, 'Do this?');
}

/** The folder to delete; `undefined` if there is none, or the person keeps it. */
async function folderToPurge(
  context: Context,
  { dryRun, yes }: { readonly dryRun: boolean; readonly yes: boolean },
): Promise<string | undefined> {
  const folder = await purgeable(context);
  if (folder === undefined || dryRun || yes) return folder;
  if (!canAnswer(context)) {
    throw new UsageError('--purge asks first, and there is nobody to ask', {
      hint: 'to delete it all the same: `lanehold uninstall --purge --yes`',
    });
  }
  const question = `Delete ${folder}, with the features of this machine, all evidence and all runs?`;
  return (await agrees(context, question, 'no')) ? folder : undefined;
}
