/** Reads a justfile far enough to know which shell lines a recipe runs. */
import { UNKNOWN } from '../shell/unknown.ts';
import type { Recipe, RecipeBook, TargetRunner } from './recipe.ts';

export const JUST: TargetRunner = {
  name: 'just',
  values:
    '-f --justfile --set --shell --shell-arg --color --chooser --dotenv-path --dotenv-filename',
  directory: '-d --working-directory',
  dry: '-n --dry-run -l --list --show -s --summary --evaluate --fmt --dump -h --help --version',
  fileOptions: '-f --justfile',
  files: ['justfile', 'Justfile', '.justfile'],
  parse: parseJustfile,
  passesWords: true,
};

interface Entry {
  readonly needs: readonly string[];
  readonly lines: string[];
}

interface Justfile {
  readonly variables: Map<string, string>;
  readonly recipes: Map<string, Entry>;
  readonly aliases: Map<string, string>;
}

function parseJustfile(text: string): RecipeBook {
  const file: Justfile = { variables: new Map(), recipes: new Map(), aliases: new Map() };
  let current: string[] | undefined;
  for (const line of text.split(/\r?\n/)) {
    if (/^\s+\S/.test(line)) current?.push(line);
    else current = readHeading(line, file) ?? current;
  }
  return {
    first: file.recipes.has('default') ? 'default' : [...file.recipes.keys()][0],
    find: (target) => recipeOf(file.recipes.get(file.aliases.get(target) ?? target), file),
  };
}

/** An alias, a variable, or the head of a recipe, whose lines are then collected. */
function readHeading(line: string, file: Justfile): string[] | undefined {
  const alias = /^alias\s+([\w-]+)\s*:=\s*([\w-]+)/.exec(line);
  if (alias) file.aliases.set(alias[1] ?? '', alias[2] ?? '');
  const variable = /^(?:export\s+)?([\w-]+)\s*:=\s*(["'])(.*)\2\s*$/.exec(line);
  if (variable) file.variables.set(variable[1] ?? '', variable[3] ?? '');
  const recipe = /^@?([\w-]+)(?:\s[^:]*)?:(?!=)(.*)$/.exec(line);
  if (!recipe || alias || variable) return undefined;
  const lines: string[] = [];
  file.recipes.set(recipe[1] ?? '', { needs: needsOf(recipe[2] ?? ''), lines });
  return lines;
}

function needsOf(text: string): readonly string[] {
  return text.split(/[\s&()]+/).filter((it) => /^[\w-]+$/.test(it));
}

function recipeOf(entry: Entry | undefined, { variables }: Justfile): Recipe | undefined {
  if (!entry) return undefined;
  const lines = entry.lines.map((line) =>
    line
      .trim()
      .replace(/^[@-]+/, '')
      .replace(/\{\{\s*([^}\s]*)\s*\}\}/g, (_, name: string) => variables.get(name) ?? UNKNOWN),
  );
  // A recipe with `#!` is one program; other recipes may be read as one text as well.
  return { needs: entry.needs, texts: [lines.filter((it) => !it.startsWith('#!')).join('\n')] };
}
