/** Programs that run tasks of a file, by the table in `task-table.ts`. */
import { basename, dirname, resolve } from 'node:path';
import { isJsonObject, type JsonObject } from '../../base/text/json.ts';
import { readUse, type Use, words } from '../../base/text/options.ts';
import { type Argv, type Frame, type Handler, inside, insideFile, type Output } from '../reader.ts';
import { fileTexts, nearest } from '../shell/redirect.ts';
import type { Directory } from '../shell/shell-state.ts';
import { isKnown, isWhollyUnknown, wordText } from '../shell/unknown.ts';
import { directoriesOf, matchPath, pathOf, toolGrammar } from '../tools/match-rules.ts';
import { formatOf, parsedAs } from './formats.ts';
import { runProgramText } from './interpreter.ts';
import { type Recipe, recipeOf, type TaskBook, type TaskFile } from './task-entries.ts';
import { programOfTask, type TaskLanguage, textsOf } from './task-programs.ts';
import { TASK_RUNNERS, type TaskRunner, type TaskSource } from './task-table.ts';
import { runWrapped } from './wrapped.ts';

export const runTasks: Handler = (argv, frame) => {
  const name = basename(argv[0] ?? '');
  for (const runner of [TASK_RUNNERS.get(name) ?? []].flat())
    if (
      (runner.path ?? '').split('?').some((path) => runOne(name, { ...runner, path }, argv, frame))
    )
      break;
  return runWrapped(name, argv, frame);
};

function runOne(name: string, runner: TaskRunner, argv: Argv, frame: Frame): boolean {
  const named = runner.named?.startsWith('-') ? runner.named : '';
  const grammar = toolGrammar(runner, { values: `${named} ${runner.fileOptions ?? ''}`.trim() });
  const match = matchPath(argv, pathOf(runner), grammar);
  if (match.found !== 'yes') return false;
  const use = readUse(argv, match.next, grammar, match.options);
  if (use.has(...words(runner.dry ?? '--help'))) return false;
  const { goals, more, variables } = goalsOf(runner, named, use);
  if (runner.isReplaced && more.length > 0) return false;
  const isOpen = goals.some(isWhollyUnknown);
  // If all run by default, as services do, any of them may run.
  const asDefault = goals.length === 0 || (isOpen && runner.default === '*');
  const why = 'which task runs cannot be read from the command';
  if (isOpen && !asDefault) frame.reader.opaque(why, argv, frame, 'may-release');
  const state = frame.state.copy(directoriesOf(runner, use, frame.state.directories));
  const given = runner.fileOptions ? use.value(...words(runner.fileOptions)) : undefined;
  const inner = { ...frame, state };
  return runner.sources.some((source) => {
    const opened = openBook(source, given, variables, inner);
    if (opened === undefined) return false;
    const tasks: Tasks = { ...opened, name, runner, more };
    const named = asDefault ? defaultGoals(tasks, use) : goals;
    return named.map((goal) => runTask(goal, tasks, inner)).includes(true);
  });
}

function goalsOf(runner: TaskRunner, named: string, { operands, values }: Use) {
  const variables = new Map<string, string>();
  const plain = operands.filter((word) => {
    const equals = word.indexOf('=');
    if (equals > 0) variables.set(word.slice(0, equals), word.slice(equals + 1));
    return equals <= 0;
  });
  if (named !== '') {
    const goals = values(...words(named)).flatMap((it) => it.split(','));
    return { goals, more: [], variables };
  }
  if (runner.named === 'all') return { goals: plain, more: plain.slice(1), variables };
  return { goals: operands.slice(0, 1), more: operands.slice(1), variables };
}

interface Opened {
  readonly file: string;
  readonly book: TaskBook;
}

interface Tasks extends Opened {
  readonly name: string;
  readonly runner: TaskRunner;
  readonly more: readonly string[];
}

function openBook(
  source: string | TaskSource,
  given: string | undefined,
  variables: ReadonlyMap<string, string>,
  frame: Frame,
): Opened | undefined {
  const isData = typeof source === 'string';
  const { files, scripts, language, parse }: TaskSource = isData ? { files: source } : source;
  const [plain = '', keys = ''] = files.split(': ');
  const names = given === undefined ? plain.split(' ') : [given];
  if (scripts) return scriptsIn(frame.state.directories[0], names, frame);
  const isFile = (it: string): boolean => Boolean(fileTexts(it, frame)?.length);
  const nearby = () =>
    nearest(frame, (folder) => names.map((it) => resolve(folder, it)).find(isFile));
  const name = given === '-' ? '' : nearby();
  const text = name === '' ? frame.stdin()[0] : name && fileTexts(name, frame)?.[0];
  if (name === undefined || text === undefined || !isKnown(text)) return undefined;
  const include = (path: string): string | undefined =>
    fileTexts(name === '' ? path : resolve(dirname(name), path), frame)?.[0];
  const file = { name, text, variables, include };
  const book = language ? programBook(file, language) : (parse?.(file) ?? dataBook(file, keys));
  return { file: name, book };
}

/** A folder that holds a script for each task: `a:b` is `a/b`. */
function scriptsIn(start: Directory, folders: readonly string[], frame: Frame): Opened {
  const find = (name: string): Recipe | undefined => {
    const paths = folders.map((it) => `${start}/${it}/${name.replaceAll(':', '/')}`);
    const path = paths.find((it) => fileTexts(it, frame));
    return path === undefined ? undefined : { needs: [], steps: [wordText(path)] };
  };
  return { file: '', book: { first: undefined, find } };
}

function programBook({ text, name: file }: TaskFile, language: TaskLanguage): TaskBook {
  return {
    first: /\.options\.sessions\s*=\s*[[(]([^\])]*)/.exec(text)?.[1]?.replace(/["'\s]/g, ''),
    find: (name) => {
      const program = programOfTask(text, name === '*' ? undefined : name, language);
      if (program === undefined) return undefined;
      return {
        needs: [],
        steps: language.texts ? textsOf(program) : [],
        program: { text: program, interpreter: [language.language, file] },
      };
    },
  };
}

/** Services of a compose file that run only if a profile is named. */
const WITH_PROFILE = '* --profile';

function dataBook({ text, name: file, variables: given, include }: TaskFile, at: string): TaskBook {
  const data = parsedAs(formatOf(file), text) ?? {};
  const tasks = new Map<string, unknown>();
  collect(data, at === '' ? [] : at.split('.'), '', tasks);
  for (const [name, path] of includesOf(data)) {
    const places = /\.ya?ml$/.test(path)
      ? [path]
      : [`${path}/Taskfile.yml`, `${path}/Taskfile.yaml`];
    const inner = places.map(include).find(Boolean);
    if (inner === undefined) continue;
    collect(parsedAs('yaml', inner) ?? {}, ['tasks'], `${name}:`, tasks);
  }
  const legacy = valueAt(data, ['tool', 'tox', 'legacy_tox_ini']);
  if (typeof legacy === 'string') collect(parsedAs('ini', legacy) ?? {}, ['testenv'], '', tasks);
  const variables = new Map([...Object.entries(data.vars ?? {}).filter(isTextEntry), ...given]);
  return {
    first: listed(valueAt(data, ['tox', '', 'envlist']) ?? data.env_list),
    find: (name) => {
      if (name === '*' || name === WITH_PROFILE) {
        const isAsked = (it: unknown) =>
          (isJsonObject(it) && it.profiles !== undefined) === (name === WITH_PROFILE);
        return recipeOf({ run: [...tasks.values()].filter(isAsked) }, () => false, variables);
      }
      const key = [name, name.slice(name.lastIndexOf(':') + 1), ''].find((it) => tasks.has(it));
      const entry = key === undefined ? undefined : tasks.get(key);
      if (entry === undefined) return undefined;
      return recipeOf(entry, (it) => it !== key && tasks.has(it), variables);
    },
  };
}

const isTextEntry = (entry: [string, unknown]): entry is [string, string] =>
  typeof entry[1] === 'string';

function listed(value: unknown): string | undefined {
  const names = [value].flat().filter((it) => typeof it === 'string');
  return names.length > 0 ? names.join(',') : undefined;
}

/** The tasks below a path of keys; those below `*` also have the key in front: `docs:deploy`. */
function collect(
  data: unknown,
  path: readonly string[],
  prefix: string,
  tasks: Map<string, unknown>,
): void {
  if (!isJsonObject(data)) return;
  const [key, ...rest] = path;
  if (key === undefined) {
    for (const [name, entry] of Object.entries(data)) tasks.set(prefix + name, entry);
  } else if (key === '*') {
    for (const [name, value] of Object.entries(data)) {
      collect(value, rest, '', tasks);
      collect(value, rest, `${name}:`, tasks);
    }
  } else collect(data[key], rest, prefix, tasks);
}

function valueAt(data: JsonObject, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (isJsonObject(value) ? value[key] : undefined), data);
}

function includesOf({ includes }: JsonObject): readonly (readonly [string, string])[] {
  if (!isJsonObject(includes)) return [];
  return Object.entries(includes).flatMap(([name, value]) => {
    const path = isJsonObject(value) ? value.taskfile : value;
    return typeof path === 'string' ? [[name, path] as const] : [];
  });
}

function defaultGoals({ book, runner }: Tasks, { has }: Use): readonly string[] {
  const { first } = book;
  if (runner.default === '*' && has('--profile')) return ['*', WITH_PROFILE];
  if (runner.default === 'envlist' || runner.default === '*') {
    return first === undefined ? ['*'] : first.split(/[\s,]+/).filter(Boolean);
  }
  return [runner.default ?? first ?? ''];
}

function runTask(name: string, tasks: Tasks, frame: Frame): boolean {
  const { book, runner, more, file } = tasks;
  const recipe = book.find(name, more);
  if (!recipe) return false;
  const folder = file === '' ? frame.state.directories[0] : dirname(file);
  const directory =
    folder === undefined || recipe.directory === undefined || recipe.directory.includes('{')
      ? folder
      : resolve(folder, recipe.directory);
  const label = `${tasks.name} ${name}`;
  const state = frame.state.copy([directory]);
  insideFile({ ...frame, state }, `${label} in ${folder}`, label, (within): Output => {
    for (const need of recipe.needs) runTask(need, { ...tasks, more: [] }, within);
    return runRecipe(recipe, within, runner.program, runner.named === 'all' ? [] : more);
  });
  return true;
}

/**
 * @param user the program of which each step is a use.
 * @param more words that are passed to the only step.
 */
export function runRecipe(
  { steps, program }: Recipe,
  frame: Frame,
  user?: string,
  more: readonly string[] = [],
): Output {
  const rest = steps.length === 1 ? more.map(wordText) : [];
  const before = user === undefined ? [] : [user];
  for (const step of steps) {
    const within = { ...frame, state: frame.state.copy() };
    if (typeof step === 'string') {
      const statement = [...before, step, ...rest].join(' ');
      frame.reader.script(statement, { ...within, statement });
    } else frame.reader.command([...before, ...step], { ...within, secondReading: true });
  }
  if (program) {
    const language = program.interpreter.find((it) => !/(?:^|\/)env$|^-S$/.test(it)) ?? '';
    const within = inside(frame, 'task', { state: frame.state.copy() });
    runProgramText(language, program.text, within);
  }
  return [''];
}
