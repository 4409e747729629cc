/**
 * The client's model keeps its tasks in a table `todos` with `id`, `title` and `status`, and writes
 * it in SQL. The usual statements are read from their text; others are ignored.
 */
import { taskStatus } from '../kit/tasks.ts';
import type { TaskChange } from '../types.ts';

type ChangedTasks = Extract<TaskChange, { of: 'several' }>['tasks'];

/** `undefined` if no task changes. */
export function taskChange(query: string): TaskChange | undefined {
  const statements = query.match(STATEMENT) ?? [];
  const tasks = statements.flatMap((it) => [...inserted(it), ...updated(it)]);
  return tasks.length === 0 ? undefined : { of: 'several', tasks };
}

const STATEMENT = /(?:'(?:[^']|'')*'|[^;'])+/g;
const INSERT = /^\s*insert\s+(?:or\s+\w+\s+)?into\s+todos\s*\(([^)]*)\)\s*values\b/i;
const ROW = /\((?:'(?:[^']|'')*'|[^()'])*\)/g;
const VALUE = /'(?:[^']|'')*'|[^\s,()]+/g;

function inserted(statement: string): ChangedTasks {
  const [head, names] = INSERT.exec(statement) ?? [];
  if (head === undefined || names === undefined) return [];
  const columns = names.split(',').map((it) => it.trim().toLowerCase());
  return (statement.slice(head.length).match(ROW) ?? []).flatMap((row) => {
    const values = row.match(VALUE) ?? [];
    const value = (column: string) => textOf(values[columns.indexOf(column)]);
    const [id, title] = [value('id'), value('title')];
    if (id === undefined || title === undefined) return [];
    return [{ id, title, status: taskStatus(value('status')) ?? 'pending' }];
  });
}

const UPDATE = /^\s*update\s+todos\s+set\b(.*)\bwhere\s+id\s*(?:=|in\s*\()(.*)$/is;

function updated(statement: string): ChangedTasks {
  const [, assignments = '', ids = ''] = UPDATE.exec(statement) ?? [];
  const value = (column: string) =>
    textOf(new RegExp(`\\b${column}\\s*=\\s*('(?:[^']|'')*')`, 'i').exec(assignments)?.[1]);
  const title = value('title');
  const status = taskStatus(value('status'));
  if (title === undefined && status === undefined) return [];
  return (ids.match(/'(?:[^']|'')*'/g) ?? []).flatMap((it) => {
    const id = textOf(it);
    return id === undefined ? [] : [{ id, title, status }];
  });
}

/** The text between quotes; `undefined` if there is none. */
function textOf(value: string | undefined): string | undefined {
  return value?.startsWith("'") ? value.slice(1, -1).replaceAll("''", "'") || undefined : undefined;
}
