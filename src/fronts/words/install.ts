/** The texts of `install`, `uninstall` and `git-hook`. */
import { dirname } from 'node:path';
import {
  type GitHoldReport,
  type GitHookStatus,
  gitHookVerdict,
  type InstalledGitHook,
  type RemovedGitHooks,
} from '../../app/setup/git-hook.ts';
import type {
  AgentInstallation,
  InstallReport,
  Uninstallation,
} from '../../app/setup/installation.ts';
import { homeOf } from '../../base/files/home.ts';
import { plural, printable } from '../../base/text/printable.ts';
import { ownerOf } from '../../git-hold/git-hook-state.ts';
import type { Output } from './output.ts';
import { cut, type Painter, painter } from './table.ts';

export const isChanged = ({ agents }: InstallReport): boolean =>
  agents.some(({ files }) => files.some(({ state }) => state !== 'current'));

function enforced({ holds, gaps }: AgentInstallation['enforcement']): string[] {
  const then = holds ? 'then holds what releases before it runs' : 'then only advises';
  return [then, ...gaps.map((gap) => `it ${gap}`)];
}

/** @param form `in short`: without the changes in each file. */
export async function installText(
  context: Output,
  report: InstallReport,
  form: 'in short' | 'whole' = 'whole',
): Promise<string> {
  const paint = await painter(context, 'stdout');
  const { dryRun, agents } = report;
  const shown = form === 'whole' ? agents : agents.map(withoutDiffs);
  const lines = shown.flatMap((it) => agentLines(context, paint, it));
  if (dryRun && form === 'whole' && isChanged(report) && !context.verbose) {
    lines.push(`${paint.hint('hint:')} \`--verbose\` shows the text of the skills, too`);
  }
  if (dryRun || !isChanged(report)) return lines.join('\n');
  lines.push(
    `${paint.hint('hint:')} start a new session, then check with \`lanehold doctor\`; ` +
      `undo with \`lanehold uninstall --${agents[0].scope}\``,
  );
  return lines.join('\n');
}

const withoutDiffs = (agent: AgentInstallation): AgentInstallation => ({
  ...agent,
  files: agent.files.map((it) => ({ ...it, diff: [] })),
});

function agentLines(context: Output, paint: Painter, report: AgentInstallation): string[] {
  const { dryRun, files, warnings, afterwards, agent, problem } = report;
  if (problem) {
    const failed = `${paint.bad('failed:')} nothing for ${agent}: ${printable(problem.message)}`;
    return problem.hint === undefined
      ? [failed]
      : [failed, `  ${paint.hint('hint:')} ${printable(problem.hint)}`];
  }
  const isNew = files.some(({ state }) => state !== 'current');
  const isWhole = dryRun && context.verbose;
  return [
    ...(isWhole ? files : inGroups(files)).flatMap((it) => [
      fileVerdict(report, it),
      ...(isWhole || (dryRun && !isSkill(it))
        ? it.diff.map((line) => diffLine(paint, line, context.streams.stdout.columns))
        : []),
      ...(it.backup && context.verbose ? [`backup: ${it.backup}`] : []),
    ]),
    ...(dryRun ? [`${report.title}:`, ...enforced(report.enforcement).map((it) => `  ${it}`)] : []),
    ...warnings.map((warning) => `${paint.warn('warning:')} ${printable(warning)}`),
    ...(isNew && !dryRun ? afterwards : []).map(
      (step) => `${paint.warn('then:')} ${printable(step)}`,
    ),
  ];
}

function diffLine(paint: Painter, line: string, columns = MAX_COLUMNS): string {
  // The shell script of a hook is one long line of JSON, which `--json` prints in full.
  const shown = cut(printable(line), columns);
  if (line.startsWith('+')) return paint.good(shown);
  return line.startsWith('-') ? paint.bad(shown) : shown;
}

const MAX_COLUMNS = 120;

type WrittenFile = AgentInstallation['files'][number];

/** Joins skills in the same folder with the same state into one line. */
function inGroups(files: readonly WrittenFile[]): readonly WrittenFile[] {
  const groups = Map.groupBy(files, ({ file, what, state }) =>
    isSkill({ what }) ? `${state} ${skillsFolder(file)}` : `${what} in ${file}`,
  );
  return [...groups.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    if (others.length === 0) return [first];
    const what = `${others.length + 1} skills`;
    return [{ ...first, file: skillsFolder(first.file), what }];
  });
}

const isSkill = ({ what }: Pick<WrittenFile, 'what'>): boolean => / skills$|^skill /.test(what);
const skillsFolder = (file: string): string => dirname(dirname(file));

function fileVerdict({ agent, dryRun }: AgentInstallation, written: WrittenFile): string {
  const { file, what, note, hooks: count, state } = written;
  const counted =
    what === 'hooks' ? plural(count, 'hook') : what === 'statusline' ? 'status line' : what;
  const remark = note === undefined ? '' : ` (${note})`;
  const verb = WRITTEN[state][dryRun ? 1 : 0];
  return `${verb} the ${counted} for ${agent} in ${printable(file)}${remark}`;
}

const WRITTEN = {
  current: ['already installed:', 'already installed:'],
  new: ['installed', 'would install'],
  upgrade: ['brought up to date', 'would bring up to date'],
} as const;

export function gitHoldText(done: GitHoldReport | undefined, offered: boolean): string[] {
  const hint =
    'hint: git itself can hold pushes, too, whoever makes them: `lanehold install --yes`';
  if (done === undefined) return offered ? [hint] : [];
  return [gitHoldLine(done), ...done.warnings.map((it) => `warning: ${printable(it)}`)];
}

function gitHoldLine(done: GitHoldReport): string {
  if (done.form === 'clones')
    return 'git holds pushes, too: each clone with features gets the hook as a session starts';
  if (done.form === 'clone')
    return `git holds pushes from this repository by ${printable(done.file)}`;
  return `${done.state === 'current' ? 'already installed' : 'installed'}: git holds pushes from every repository (hook.lanehold in ${printable(done.file)})`;
}

export function uninstallText({ removed, left, failed, dryRun }: Uninstallation): string {
  if (removed.length + left.length + failed.length === 0) return 'nothing is installed';
  const deleted = removed.filter(({ state }) => state === 'deleted');
  const others = removed.filter(({ state }) => state !== 'deleted');
  return [
    ...deletedText(deleted, dryRun),
    ...others.map((removal) => removalText(removal, dryRun)),
    ...left.map((it) => `left: ${printable(it)}`),
    ...failed.flatMap(({ message, hint }) => [
      `failed: ${printable(message)}`,
      ...(hint === undefined ? [] : [`  hint: ${printable(hint)}`]),
    ]),
  ].join('\n');
}

/** The text starts a new line; it is empty if nothing stays. */
export function staysText({ removed }: Uninstallation, env: NodeJS.ProcessEnv): string {
  if (removed.length === 0) return '';
  return `\nstays: lanehold.json and .git/lanehold in your projects, and what is stored in ${printable(homeOf(env).root)} (\`lanehold uninstall --purge\` deletes that)`;
}

function deletedText(removed: readonly { readonly file: string }[], dryRun: boolean): string[] {
  const paths = removed.map(({ file }) => printable(file));
  if (paths.length === 0) return [];
  const verdict = `${dryRun ? 'would delete' : 'deleted'} what there was not before:`;
  return paths.length === 1 ? [`${verdict} ${paths}`] : [verdict, ...paths.map((it) => `  ${it}`)];
}

function removalText({ file, state }: Uninstallation['removed'][number], dryRun: boolean): string {
  const path = printable(file);
  if (state === 'restored')
    return `${dryRun ? 'would restore' : 'restored'} ${path} as it was before`;
  if (state === 'cleaned')
    return `${dryRun ? 'would remove' : 'removed'} the hooks from ${path}; its other content stays`;
  return `nothing changed in ${path}`;
}

export async function gitHookInstalledText(
  { state, file, other, warnings }: InstalledGitHook,
  context: Output,
): Promise<string> {
  const paint = await painter(context, 'stdout');
  const next = other === undefined ? '' : `; ${ownerOf(other)} runs after it`;
  const lines = [
    `${INSTALLED[state]}: ${printable(file)}${next}`,
    ...warnings.map((warning) => `${paint.warn('warning:')} ${printable(warning)}`),
  ];
  if (state === 'new') lines.push(`${paint.hint('hint:')} undo with \`lanehold git-hook remove\``);
  return lines.join('\n');
}

const INSTALLED: Readonly<Record<InstalledGitHook['state'], string>> = {
  new: 'installed the git hook',
  current: 'already installed',
  upgrade: 'brought the git hook up to date',
  repaired: 'installed the git hook again',
};

export const gitHookRemovedText = ({ removed }: RemovedGitHooks): string =>
  removed.map(gitHookRemovalText).join('\n');

function gitHookRemovalText({ state, file, left }: RemovedGitHooks['removed'][number]): string {
  const path = printable(file);
  if (state === 'restored') return `restored ${path} as it was before`;
  if (state === 'deleted') return `deleted ${path}, which there was not before`;
  if (state === 'cleaned') return `took the lines of lanehold out of ${path}`;
  return left === undefined
    ? `nothing of ours in ${path}`
    : `left ${path}, which is not ours; what was there before ours is ${printable(left)}`;
}

export function gitHookStatusText(status: GitHookStatus): string {
  const { state, remark, other, setting, disabled, holds } = status;
  const lines = [gitHookVerdict(status)];
  if (state === 'installed' && remark !== undefined) lines.push(`warning: ${remark}`);
  if (state === 'installed' && other !== undefined) lines.push(`${ownerOf(other)} runs after it`);
  if (setting !== undefined) lines.push(`core.hooksPath is ${setting.value} (${setting.scope})`);
  if ((state === 'installed' && remark !== undefined) || (!holds && !disabled)) {
    lines.push('hint: run `lanehold git-hook install`');
  }
  if (disabled) lines.push('warning: LANEHOLD_DISABLE=1 is set, the hook does nothing');
  return lines.map(printable).join('\n');
}
