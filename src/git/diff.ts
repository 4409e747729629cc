import type { Git } from './git.ts';

/** A rename gives both its sides. */
export const CHANGED_PATHS = ['diff-tree', '-r', '-z', '--no-renames', '--name-only'] as const;

/** Paths whose content or mode differs between two trees. */
export async function changedBetween(git: Git, from: string, to: string): Promise<string[]> {
  return splitNul(await git.text([...CHANGED_PATHS, from, to]));
}

export function splitNul(text: string): string[] {
  const parts = text.split('\0');
  parts.pop(); // what follows the last NUL: nothing
  return parts;
}
