/** Reads a justfile far enough to know which shell texts its recipes run. */
import { UNKNOWN } from '../shell/unknown.ts';
import type { Recipe, TaskBook, TaskFile } from './task-entries.ts';

interface Justfile {
  readonly variables: Map<string, string>;
  readonly recipes: Map<string, { readonly needs: readonly string[]; readonly lines: string[] }>;
  readonly aliases: Map<string, string>;
}

const MOST_FILES = 16;

export function parseJustfile({ text, include }: TaskFile): TaskBook {
  const file: Justfile = { variables: new Map(), recipes: new Map(), aliases: new Map() };
  const pending = [{ text, module: '' }];
  for (const { text: source, module } of pending) {
    let current: string[] | undefined;
    for (const line of source.split(/\r?\n/)) {
      if (/^\s+\S/.test(line)) current?.push(line);
      else current = readHeading(line, module, file) ?? current;
      const more = pending.length < MOST_FILES ? included(line, include) : undefined;
      if (more) pending.push(more);
    }
  }
  return {
    first: file.recipes.has('default') ? 'default' : [...file.recipes.keys()][0],
    find: (target, [next = ''] = []) =>
      recipeOf(file.aliases.get(target) ?? target, file) ?? recipeOf(`${target}::${next}`, file),
  };
}

/** `import 'x.just'`, and `mod x`, whose recipes are `x::name`. */
function included(line: string, include: TaskFile['include']) {
  const [, path, name, own] =
    /^(?:import\??\s+["']([^"']+)|mod\??\s+([\w-]+)(?:\s+["']([^"']+))?)/.exec(line) ?? [];
  if (path === undefined && name === undefined) return undefined;
  const usual = own ? [own] : [`${name}.just`, `${name}/mod.just`, `${name}/justfile`];
  const text = (path === undefined ? usual : [path]).map(include).find(Boolean);
  return text && { text, module: name === undefined ? '' : `${name}::` };
}

/** An alias, a variable, or the head of a recipe, whose lines are then collected. */
function readHeading(line: string, module: string, file: Justfile): string[] | undefined {
  const alias = /^alias\s+([\w-]+)\s*:=\s*([\w-]+)/.exec(line);
  if (alias) file.aliases.set(alias[1] ?? '', alias[2] ?? '');
  const variable = /^(?:export\s+)?([\w-]+)\s*:=\s*(["'])(.*)\2\s*$/.exec(line);
  if (variable) file.variables.set(variable[1] ?? '', variable[3] ?? '');
  const recipe = /^@?([\w-]+)(?:\s[^:]*)?:(?!=)(.*)$/.exec(line);
  if (!recipe || alias || variable) return undefined;
  const lines: string[] = [];
  const words = (recipe[2] ?? '').split(/[\s&()]+/).filter((it) => /^[\w-]+$/.test(it));
  const needs = words.map((it) => module + it);
  file.recipes.set(module + (recipe[1] ?? ''), { needs, lines });
  return lines;
}

function recipeOf(name: string, { recipes, variables }: Justfile): Recipe | undefined {
  const entry = recipes.get(name);
  if (!entry) return undefined;
  const lines = entry.lines.map((line) =>
    line
      .trim()
      .replace(/^[@-]+/, '')
      .replace(/\{\{\s*([^}\s]*)\s*\}\}/g, (_, it: string) => variables.get(it) ?? UNKNOWN),
  );
  const [first = ''] = lines;
  const body = lines.filter((it) => !it.startsWith('#!')).join('\n');
  const { needs } = entry;
  // A recipe with `#!` is one program; the lines of others may be read as one text as well.
  return first.startsWith('#!')
    ? { needs, steps: [], program: { text: body, interpreter: first.slice(2).trim().split(/\s+/) } }
    : { needs, steps: [body] };
}
