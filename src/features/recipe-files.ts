/** How recipes of smoke tests (`recipe.ts`) appear among the entries of a tree, and the files that may hold them. */
import { REGISTRY_FILE, type SmokeTest } from '../base/config/feature.ts';
import { sha256 } from '../base/text/sha256.ts';

/** Files that are read of most trees: the registry, and the usual files with recipes. */
export const ASSESSED_FILES: readonly string[] = [
  REGISTRY_FILE,
  'package.json',
  'GNUmakefile',
  'makefile',
  'Makefile',
  'justfile',
  'Justfile',
  '.justfile',
  // These name the packages of a workspace.
  'pnpm-workspace.yaml',
  'lerna.json',
  'deno.json',
  'nx.json',
];

/** False for programs, tests and texts, which change most often. */
export function mayHoldRecipe(path: string): boolean {
  return MAY_HOLD.test(path);
}

const MAY_HOLD =
  /(?:^|\/)(?:[^./]+|\.justfile|noxfile\.py|tasks\.py)$|\.(?:jsonc?|toml|ya?ml|ini|cfg|mk|just|sh|bash|gradle|kts)$/;

/** False for a plain command that runs a test runner itself: most tests then need no reading, which takes time. */
export function mayNameRecipe(command: string): boolean {
  return !PLAIN.test(command);
}

const PLAIN =
  /^(?:true|(?:(?:npx --no-install|pnpm exec) )?(?:vitest|jest|mocha|playwright)|(?:python3? -m )?(?:pytest|unittest)|(?:go|cargo|dotnet|swift|mix) test)(?: [\w./@:=+,-]+)*$/;

export type TestCommand = Pick<SmokeTest, 'command' | 'cwd'>;

const MARK = 'recipe ';

/** The value in the place of a file's mode, which says whose recipe an entry is. */
export function recipeMode({ command, cwd }: TestCommand): string {
  return MARK + sha256(JSON.stringify([command, cwd])).slice(0, 16);
}

export const isRecipe = ({ mode }: { readonly mode: string }): boolean => mode.startsWith(MARK);
