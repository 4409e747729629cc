import type { Command } from 'commander';
import { ExitCode } from '../../errors.ts';
import type { GitHookInstalled } from '../../install/git-hook.ts';
import { type GitHookLook, ownerOf } from '../../install/git-hook-look.ts';
import type { Runtime } from '../../install/hook-shim.ts';
import { printable } from '../../text/printable.ts';
import type { Context } from '../context.ts';
import { examples } from '../render/examples.ts';

export function declareGitHookInstall(parent: Command, context: () => Context): void {
  parent
    .command('install')
    .description('Put a pre-push hook before the one that is there, or bring ours up to date')
    .addHelpText(
      'after',
      examples(['lanehold git-hook install', 'once per clone; a hook that is there runs first']),
    )
    .action(async () => {
      process.exitCode = await runGitHookInstall(context());
    });
}

/** @param runtime what the hook will start; by default this Node and this package's program. */
export async function runGitHookInstall(context: Context, runtime?: Runtime): Promise<ExitCode> {
  const [
    { installGitHook },
    { recordGitHook },
    { lookAtGitHook },
    { hookFolder },
    { hookFolderRemarks },
    { exclusively },
    { currentRuntime },
    { homeOf },
  ] = await Promise.all([
    import('../../install/git-hook.ts'),
    import('../../install/git-hook-records.ts'),
    import('../../install/git-hook-look.ts'),
    import('../../install/hook-folder.ts'),
    import('../../install/hook-folder-remarks.ts'),
    import('../../install/lock.ts'),
    import('../../install/targets.ts'),
    import('../../store/home.ts'),
  ]);
  const { env, cwd } = context;
  const started = runtime ?? currentRuntime();
  const place = await hookFolder(cwd, env);
  const home = homeOf(env);
  const done = await exclusively(home, () => {
    recordGitHook(home, place.folder);
    return installGitHook(place, started);
  });
  const { other } = lookAtGitHook(place, started);
  const options = { env, program: started.hook };
  const warnings = await hookFolderRemarks(place, done.file, options);
  if (done.setAside !== undefined) {
    warnings.push(`a hook that ran first until now is set aside as ${done.setAside}`);
  }
  context.print({ ...done, other, warnings }, await render(context, done, other, warnings));
  return ExitCode.done;
}

async function render(
  context: Context,
  { state, file }: GitHookInstalled,
  other: GitHookLook['other'],
  warnings: readonly string[],
): Promise<string> {
  const { painter } = await import('../render/colour.ts');
  const paint = await painter(context, 'stdout');
  const first = other === undefined ? '' : `; ${ownerOf(other)} runs first`;
  const lines = [
    `${VERDICTS[state]}: ${printable(file)}${first}`,
    ...warnings.map((warning) => `${paint.warn('warning:')} ${printable(warning)}`),
  ];
  if (state === 'new') lines.push(`${paint.hint('hint:')} undo with \`lanehold git-hook remove\``);
  return lines.join('\n');
}

const VERDICTS: Readonly<Record<GitHookInstalled['state'], string>> = {
  new: 'installed the git hook',
  current: 'already installed',
  upgrade: 'brought the git hook up to date',
  repaired: 'installed the git hook again',
};
