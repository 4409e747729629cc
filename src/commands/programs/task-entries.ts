/** Entries of task files. Most task runners' files say in the same words what a task runs, and what it needs. */
import { isJsonObject, type JsonObject } from '../../base/text/json.ts';
import { words } from '../../base/text/options.ts';
import { UNKNOWN, UNKNOWN_WORDS, wordText } from '../shell/unknown.ts';

export type Step = string | readonly string[];

export interface Recipe {
  readonly needs: readonly string[];
  readonly steps: readonly Step[];
  /** Folder that it runs in, relative to that of the file. */
  readonly directory?: string | undefined;
  /** A program that it runs, with the words that start its interpreter. */
  readonly program?: { readonly text: string; readonly interpreter: readonly string[] };
}

export interface TaskBook {
  readonly first: string | undefined;
  readonly find: (name: string, more?: readonly string[]) => Recipe | undefined;
}

export interface TaskFile {
  readonly name: string;
  readonly text: string;
  readonly variables: ReadonlyMap<string, string>;
  readonly include: (path: string) => string | undefined;
}

const RUNS = words(
  'run cmd cmds command commands shell script scripts exec sequence composite chain parallel do steps ' +
    'action actions defer finally before after options configurations jobs windows linux mac unix macos ' +
    'commands_pre commands_post pre-commands post-commands run_windows switch case interpreter',
);
const NEEDS = words(
  'deps depends depends_on depends-on depends_post dependsOn dependencies needs wait_for pre post run_task ' +
    'task tasks ref call uses name extend',
);
const DIRECTORY = ['dir', 'cwd', 'working_dir', 'working-directory', 'directory', 'change_dir'];
const DEEPEST = 20;

/** @param isTask whether a name is that of another task. */
export function recipeOf(
  entry: unknown,
  isTask: (name: string) => boolean,
  variables: ReadonlyMap<string, string>,
): Recipe {
  const needs: string[] = [];
  const steps: Step[] = [];
  const text = (it: string): string => filled(it, variables);

  const run = (value: unknown, depth: number): void => {
    if (depth > DEEPEST) return;
    if (typeof value === 'string') runText(value);
    else if (Array.isArray(value)) runList(value, depth);
    else if (isJsonObject(value)) runObject(value, depth);
  };
  const runText = (value: string): void => {
    const name = value.replace(/^@/, '').trim();
    if (isTask(name)) needs.push(name);
    else {
      steps.push(text(value.replace(/^[@-]+/, '')));
      // This is a script whose first word names another one.
      const [first = ''] = name.split(/\s/, 1);
      if (isTask(first)) needs.push(first);
    }
  };
  const runList = (list: readonly unknown[], depth: number): void => {
    for (const item of list) run(item, depth + 1);
    // A list is read as lines, and as the words of one command: the wrong reading runs nothing.
    if (list.every((it) => typeof it === 'string')) steps.push(list.map(text));
  };
  const runObject = (value: JsonObject, depth: number): void => {
    if (isService(value)) {
      steps.push(commandOfService(value));
      needs.push(...namesIn(value.depends_on ?? []));
      return;
    }
    steps.push(...stepsWithWords(value).map((it) => (typeof it === 'string' ? it : it.map(text))));
    for (const [key, part] of Object.entries(value)) {
      // The commands may have names.
      if (key === 'commands' && isJsonObject(part)) run(Object.values(part), depth + 1);
      else if (RUNS.has(key)) run(part, depth + 1);
      else if (NEEDS.has(key)) needs.push(...namesIn(part));
    }
  };
  run(entry, 0);
  return { needs, steps, directory: directoryIn(entry) };
}

/** The steps of a `command` with `args`, and of a script that is named by its file. */
function stepsWithWords({ command, args, file }: JsonObject): readonly Step[] {
  const steps: Step[] = [];
  if (typeof command === 'string' && Array.isArray(args))
    steps.push([command, ...args.map(String)]);
  if (typeof file === 'string') steps.push(wordText(file.includes('/') ? file : `./${file}`));
  return steps;
}

const isService = (entry: JsonObject): boolean => (entry.image ?? entry.build) !== undefined;

/** The command of a compose service: texts are split into words, as lists are; a doubled dollar sign stands for one. */
function commandOfService({ entrypoint, command }: JsonObject): string {
  const parts = [entrypoint, command].flatMap((it) => {
    if (Array.isArray(it)) return it.map((word) => wordText(String(word)));
    return typeof it === 'string' ? [it] : [];
  });
  return parts.join(' ').replaceAll('$$', () => '$');
}

function namesIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.split(/[\s,]+/);
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (!isJsonObject(value)) return [];
  const named = ['name', 'task', 'target', 'cmd'].flatMap((key) => namesIn(value[key]));
  return named.length > 0 ? named : Object.keys(value);
}

function directoryIn(entry: unknown): string | undefined {
  // A folder in a container is mostly the mounted folder of the file.
  if (!isJsonObject(entry) || isService(entry)) return undefined;
  return DIRECTORY.map((key) => entry[key]).find((it) => typeof it === 'string');
}

/** `{{.NAME}}`, `{args}` and the like: known variables, else unknown text. */
function filled(text: string, variables: ReadonlyMap<string, string>): string {
  return text
    .replace(/\{\{[\s.]*([^}\s]*)[^}]*\}\}/g, (_, name: string) => variables.get(name) ?? UNKNOWN)
    .replace(/(?<!\$)\{(?:args|posargs|root|tox\w+|env\w*)\b[^}]*\}/g, UNKNOWN_WORDS);
}
