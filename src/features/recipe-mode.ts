/** How a part of a recipe (`recipe.ts`) stands among the entries of a tree. */
import type { SmokeTest } from '../base/config/feature.ts';
import { sha256 } from '../base/text/sha256.ts';

export type TestCommand = Pick<SmokeTest, 'command' | 'cwd'>;

const MARK = 'recipe ';

/** Stands in the place of a file's mode, and says whose recipe it is. */
export function recipeMode({ command, cwd }: TestCommand): string {
  return MARK + sha256(JSON.stringify([command, cwd])).slice(0, 16);
}

export const isRecipe = ({ mode }: { readonly mode: string }): boolean => mode.startsWith(MARK);
