/** Reads a Taskfile's YAML far enough to know which shell texts a task runs. */
import type { Recipe, RecipeBook } from './make.ts';
import { ONE } from './unknown.ts';

interface Task {
  readonly needs: string[];
  readonly texts: string[];
}

export function parseTaskfile(text: string): RecipeBook {
  const tasks = new Map<string, Task>();
  const state: State = { task: undefined, list: undefined, block: undefined };
  let inTasks = false;
  let taskIndent = -1;
  for (const line of text.split(/\r?\n/)) {
    if (line.trim() === '' || line.trim().startsWith('#')) continue;
    const indent = line.length - line.trimStart().length;
    if (indent === 0) {
      inTasks = line.startsWith('tasks:');
      taskIndent = -1;
      continue;
    }
    if (!inTasks) continue;
    if (taskIndent < 0) taskIndent = indent;
    if (indent === taskIndent) {
      const name = /^['"]?([\w:.*-]+)['"]?:\s*(.*)$/.exec(line.trim());
      state.task = { needs: [], texts: [] };
      state.list = undefined;
      state.block = undefined;
      tasks.set(name?.[1] ?? '', state.task);
      if (name?.[2] && !name[2].startsWith('{')) state.task.texts.push(textOf(name[2]));
      else if (name?.[2]) state.task.texts.push(...inlineList(name[2]));
    } else readTaskLine(line, indent, state);
  }
  return {
    first: 'default',
    find: (target): Recipe | undefined => tasks.get(target),
  };
}

interface State {
  task: Task | undefined;
  /** Which list the items belong to. */
  list: 'cmds' | 'deps' | undefined;
  /** A block text (`|`) that goes on while lines are indented deeper. */
  block: number | undefined;
}

function readTaskLine(line: string, indent: number, state: State): void {
  const { task } = state;
  if (!task) return;
  if (state.block !== undefined && indent > state.block) {
    task.texts.push(`${task.texts.pop() ?? ''}\n${textOf(line)}`);
    return;
  }
  state.block = undefined;
  const trimmed = line.trim();
  const key = /^(cmds?|deps|[\w-]+):\s*(.*)$/.exec(trimmed);
  if (trimmed.startsWith('- ') && state.list)
    readItem(trimmed.slice(2).trim(), indent, state, task);
  else if (key && !trimmed.startsWith('-')) {
    const [, name = '', rest = ''] = key;
    state.list = name === 'cmds' || name === 'cmd' ? 'cmds' : name === 'deps' ? 'deps' : undefined;
    if (state.list && rest.startsWith('[')) {
      (state.list === 'cmds' ? task.texts : task.needs).push(...inlineList(rest));
    } else if (name === 'cmd') readItem(rest, indent, state, task);
  }
}

function readItem(item: string, indent: number, state: State, task: Task): void {
  const keyed = /^(cmd|task):\s*(.*)$/.exec(item);
  const value = keyed ? (keyed[2] ?? '') : item;
  if (keyed?.[1] === 'task' || state.list === 'deps') {
    task.needs.push(unquoted(value));
  } else if (/^[|>][+-]?$/.test(value)) {
    task.texts.push('');
    state.block = indent;
  } else task.texts.push(textOf(value));
}

function inlineList(text: string): readonly string[] {
  const inner = text.slice(text.indexOf('[') + 1, text.lastIndexOf(']'));
  return inner.split(',').map((it) => textOf(it.trim()));
}

function textOf(text: string): string {
  return unquoted(text.trim()).replace(/\{\{[^}]*\}\}/g, ONE);
}

function unquoted(text: string): string {
  return text.replace(/^(["'])([\s\S]*)\1$/, '$2');
}
