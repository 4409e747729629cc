/**
 * What the readers of makefiles, justfiles and Taskfiles give to the runner of their targets, and
 * the readers of justfiles and Taskfiles. They read far enough to know which shell texts run.
 */
import { UNKNOWN } from '../shell/unknown.ts';

/** One target: what it needs first, and the shell texts it runs. */
export interface Recipe {
  readonly needs: readonly string[];
  readonly texts: readonly string[];
}

export interface RecipeBook {
  /** The target that runs where none is named. */
  readonly first: string | undefined;
  readonly find: (target: string) => Recipe | undefined;
}

/** A program that runs targets of a file. Its options are lists of words. */
export interface TargetRunner {
  readonly name: string;
  readonly values: string;
  readonly directory: string;
  /** Options with which nothing runs. */
  readonly dry: string;
  readonly fileOptions: string;
  /** Names of the file, in the order in which they are looked for. */
  readonly files: readonly string[];
  /** The words after the first target are passed to it. */
  readonly passesWords?: true;
  readonly parse: (
    text: string,
    variables: ReadonlyMap<string, string>,
    include: (path: string) => string | undefined,
  ) => RecipeBook;
}

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

export const TASK: TargetRunner = {
  name: 'task',
  values: '-t --taskfile -o --output -C --concurrency -I --interval',
  directory: '-d --dir',
  dry: '-n --dry -l --list -a --list-all --summary --status -h --help --version --init',
  fileOptions: '-t --taskfile',
  files: ['Taskfile.yml', 'taskfile.yml', 'Taskfile.yaml', 'taskfile.yaml', 'Taskfile.dist.yml'],
  parse: parseTaskfile,
};

interface Task {
  readonly needs: string[];
  readonly texts: string[];
}

interface Position {
  readonly tasks: Map<string, Task>;
  inTasks: boolean;
  /** How far the names of tasks are indented; unknown before the first. */
  indent: number | undefined;
  task: Task | undefined;
  /** Which list the items belong to. */
  list: 'cmds' | 'deps' | undefined;
  /** Indentation of the item whose text (`|`) goes on while lines are indented deeper. */
  block: number | undefined;
}

function parseTaskfile(text: string): RecipeBook {
  const position: Position = {
    tasks: new Map(),
    inTasks: false,
    indent: undefined,
    task: undefined,
    list: undefined,
    block: undefined,
  };
  for (const line of text.split(/\r?\n/)) {
    const trimmed = line.trim();
    if (trimmed !== '' && !trimmed.startsWith('#')) readLine(line, trimmed, position);
  }
  return { first: 'default', find: (target): Recipe | undefined => position.tasks.get(target) };
}

function readLine(line: string, trimmed: string, position: Position): void {
  const indent = line.length - line.trimStart().length;
  if (indent === 0) {
    position.inTasks = line.startsWith('tasks:');
    position.indent = undefined;
    return;
  }
  if (!position.inTasks) return;
  position.indent ??= indent;
  if (indent === position.indent) startTask(trimmed, position);
  else if (position.task) readPart(line, indent, position, position.task);
}

function startTask(trimmed: string, position: Position): void {
  const [, name = '', rest = ''] = /^['"]?([\w:.*-]+)['"]?:\s*(.*)$/.exec(trimmed) ?? [];
  const task: Task = { needs: [], texts: [] };
  position.task = task;
  position.list = undefined;
  position.block = undefined;
  position.tasks.set(name, task);
  if (rest.startsWith('{') || rest.startsWith('[')) task.texts.push(...inlineList(rest));
  else if (rest !== '') task.texts.push(textOf(rest));
}

function readPart(line: string, indent: number, position: Position, task: Task): void {
  if (position.block !== undefined && indent > position.block) {
    task.texts.push(`${task.texts.pop() ?? ''}\n${textOf(line)}`);
    return;
  }
  position.block = undefined;
  const trimmed = line.trim();
  if (trimmed.startsWith('- ')) {
    if (position.list) readItem(trimmed.slice(2).trim(), indent, position, task);
    return;
  }
  const key = /^([\w-]+):\s*(.*)$/.exec(trimmed);
  if (key) readKey(key[1] ?? '', key[2] ?? '', indent, position, task);
}

function readKey(name: string, rest: string, indent: number, position: Position, task: Task): void {
  position.list = name === 'deps' ? name : /^cmds?$/.test(name) ? 'cmds' : undefined;
  if (position.list && rest.startsWith('[')) {
    (position.list === 'cmds' ? task.texts : task.needs).push(...inlineList(rest));
  } else if (name === 'cmd') readItem(rest, indent, position, task);
}

function readItem(item: string, indent: number, position: Position, task: Task): void {
  const keyed = /^(cmd|task):\s*(.*)$/.exec(item);
  const value = keyed ? (keyed[2] ?? '') : item;
  if (keyed?.[1] === 'task' || position.list === 'deps') task.needs.push(unquoted(value));
  else if (/^[|>][+-]?$/.test(value)) {
    task.texts.push('');
    position.block = indent;
  } else task.texts.push(textOf(value));
}

function inlineList(text: string): readonly string[] {
  const inner = text.slice(text.indexOf('[') + 1, text.lastIndexOf(']'));
  return inner.split(',').map((it) => textOf(it.trim()));
}

function textOf(text: string): string {
  return unquoted(text.trim()).replace(/\{\{[^}]*\}\}/g, UNKNOWN);
}

function unquoted(text: string): string {
  return text.replace(/^(["'])([\s\S]*)\1$/, '$2');
}
