/** Reads a Taskfile's YAML far enough to know which shell texts a task runs. */
import { UNKNOWN } from '../shell/unknown.ts';
import type { Recipe, RecipeBook, TargetRunner } from './recipe.ts';

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

const LISTS: Readonly<Record<string, 'cmds' | 'deps'>> = {
  cmds: 'cmds',
  cmd: 'cmds',
  deps: 'deps',
};

function readKey(name: string, rest: string, indent: number, position: Position, task: Task): void {
  position.list = Object.hasOwn(LISTS, name) ? LISTS[name] : undefined;
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
