/** Reads a justfile far enough to know which shell lines a recipe runs. */
import type { Recipe, RecipeBook } from './make.ts';
import { ONE } from './unknown.ts';

export function parseJustfile(text: string): RecipeBook {
  const variables = new Map<string, string>();
  const recipes = new Map<string, { needs: readonly string[]; lines: string[] }>();
  const aliases = new Map<string, string>();
  let current: string[] | undefined;
  for (const line of text.split(/\r?\n/)) {
    if (/^\s+\S/.test(line)) {
      current?.push(line);
      continue;
    }
    const alias = /^alias\s+([\w-]+)\s*:=\s*([\w-]+)/.exec(line);
    const variable = /^(?:export\s+)?([\w-]+)\s*:=\s*(["'])(.*)\2\s*$/.exec(line);
    const recipe = /^@?([\w-]+)(?:\s[^:]*)?:(?!=)(.*)$/.exec(line);
    if (alias) aliases.set(alias[1] ?? '', alias[2] ?? '');
    else if (variable) variables.set(variable[1] ?? '', variable[3] ?? '');
    else if (recipe) {
      current = [];
      recipes.set(recipe[1] ?? '', { needs: needsOf(recipe[2] ?? ''), lines: current });
    }
  }
  return {
    first: recipes.has('default') ? 'default' : [...recipes.keys()][0],
    find: (target) => recipeOf(recipes.get(aliases.get(target) ?? target), variables),
  };
}

function needsOf(text: string): readonly string[] {
  return text.split(/[\s&()]+/).filter((it) => /^[\w-]+$/.test(it));
}

function recipeOf(
  entry: { needs: readonly string[]; lines: readonly string[] } | undefined,
  variables: ReadonlyMap<string, string>,
): Recipe | undefined {
  if (!entry) return undefined;
  const lines = entry.lines.map((line) =>
    line
      .trim()
      .replace(/^[@-]+/, '')
      .replace(/\{\{\s*([^}]*?)\s*\}\}/g, (_, name) => variables.get(name) ?? ONE),
  );
  // The lines of a recipe with `#!` are one program; so they are when read as one here.
  return { needs: entry.needs, texts: [lines.filter((it) => !it.startsWith('#!')).join('\n')] };
}
