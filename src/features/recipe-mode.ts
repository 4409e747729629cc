/** How a part of a recipe (`recipe.ts`) stands among the entries of a tree. */
import { createHash } from 'node:crypto';
import type { SmokeTest } from '../config/feature.ts';

export type TestCommand = Pick<SmokeTest, 'command' | 'cwd'>;

const MARK = 'recipe ';

/** Stands in the place of a file's mode, and says whose recipe it is. */
export function recipeMode({ command, cwd }: TestCommand): string {
  const text = JSON.stringify([command, cwd]);
  return MARK + createHash('sha256').update(text).digest('hex').slice(0, 16);
}

export const isRecipe = ({ mode }: { readonly mode: string }): boolean => mode.startsWith(MARK);
