import type { Command } from 'commander';
import { ExitCode } from '../../errors.ts';
import { type GitHookLook, ownerOf } from '../../install/git-hook-look.ts';
import { printable } from '../../text/printable.ts';
import type { Context } from '../context.ts';
import { examples } from '../render/examples.ts';

export function declareGitHookStatus(parent: Command, context: () => Context): void {
  parent
    .command('status')
    .description('Say whether git itself holds a push here (exit code 1 if not)')
    .addHelpText(
      'after',
      examples(
        ['lanehold git-hook status', 'after `npm install`, husky may have written its own again'],
        ['lanehold git-hook status --json', 'the same for scripts'],
      ),
    )
    .action(async () => {
      process.exitCode = await runGitHookStatus(context());
    });
}

export async function runGitHookStatus(context: Context): Promise<ExitCode> {
  const look = await gitHookLook(context);
  const disabled = context.env.LANEHOLD_DISABLE === '1';
  const holds = look.state === 'installed' && !disabled;
  const lines = [verdict(look), ...details(look)];
  if (disabled) lines.push('warning: LANEHOLD_DISABLE=1 is set, the hook does nothing');
  context.print({ holds, disabled, ...look }, lines.map(printable).join('\n'));
  return holds ? ExitCode.done : ExitCode.failed;
}

/** Of the repository that a command works on. @throws {ExplainedError} outside of one. */
export async function gitHookLook(context: Context): Promise<GitHookLook> {
  const [{ lookAtGitHook }, { hookFolder }, { hookProgram }] = await Promise.all([
    import('../../install/git-hook-look.ts'),
    import('../../install/hook-folder.ts'),
    import('../../install/targets.ts'),
  ]);
  const runtime = { node: process.execPath, hook: hookProgram() };
  return lookAtGitHook(await hookFolder(context.cwd, context.env), runtime);
}

/** One line, without a line end. */
export function verdict({ state, file, remark }: GitHookLook): string {
  switch (state) {
    case 'installed':
      return `installed: git holds pushes from this repository by ${file}`;
    case 'broken':
      return `broken: ${file}: ${remark}`;
    case 'replaced':
      return `replaced: the git hook is no longer in ${file}: ${remark}`;
    case 'passed-over':
      return `passed over: the git hook is never started: ${remark}`;
    case 'absent':
      return 'not installed: git pushes from this repository whatever it is told to';
  }
}

function details({ state, remark, other, setting }: GitHookLook): string[] {
  const lines: string[] = [];
  if (state === 'installed' && remark !== undefined) lines.push(`warning: ${remark}`);
  if (state === 'installed' && other !== undefined) lines.push(`${ownerOf(other)} runs first`);
  if (setting !== undefined) {
    lines.push(`core.hooksPath is ${setting.value} (${setting.scope})`);
  }
  if (state !== 'installed' || remark !== undefined) {
    lines.push('hint: run `lanehold git-hook install`');
  }
  return lines;
}
