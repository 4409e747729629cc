/** The texts of commands about the pre-push hook. */
import {
  type GitHookStatus,
  gitHookVerdict,
  type InstalledGitHook,
  type RemovedGitHooks,
} from '../../app/setup/git-hook.ts';
import { printable } from '../../base/text/printable.ts';
import { ownerOf } from '../../git-hold/git-hook-state.ts';
import type { Output } from './output.ts';
import { painter } from './table.ts';

export async function installedText(
  { state, file, other, warnings }: InstalledGitHook,
  context: Output,
): Promise<string> {
  const paint = await painter(context, 'stdout');
  const first = other === undefined ? '' : `; ${ownerOf(other)} runs first`;
  const lines = [
    `${INSTALLED[state]}: ${printable(file)}${first}`,
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

export function removedText({ removed }: RemovedGitHooks): string {
  return removed.map(removalText).join('\n');
}

function removalText({ state, file, left }: RemovedGitHooks['removed'][number]): string {
  const path = printable(file);
  switch (state) {
    case 'restored':
      return `restored ${path} as it was before`;
    case 'deleted':
      return `deleted ${path}, which there was not before`;
    case 'absent':
      return left === undefined
        ? `nothing of ours in ${path}`
        : `left ${path}, which is not ours; what was there before ours is ${printable(left)}`;
  }
}

export function statusText(status: GitHookStatus): string {
  const { state, remark, other, setting, disabled, holds } = status;
  const lines = [gitHookVerdict(status)];
  if (state === 'installed' && remark !== undefined) lines.push(`warning: ${remark}`);
  if (state === 'installed' && other !== undefined) lines.push(`${ownerOf(other)} runs first`);
  if (setting !== undefined) lines.push(`core.hooksPath is ${setting.value} (${setting.scope})`);
  if ((state === 'installed' && remark !== undefined) || (!holds && !disabled)) {
    lines.push('hint: run `lanehold git-hook install`');
  }
  if (disabled) lines.push('warning: LANEHOLD_DISABLE=1 is set, the hook does nothing');
  return lines.map(printable).join('\n');
}
