/** Runners of a task in the packages of a workspace: turbo, lerna and nx. */
import { isJsonObject } from '../../base/text/json.ts';
import { grammarOf, readUse, type Use } from '../../base/text/options.ts';
import { type Frame, type Handler, inside, insideFile } from '../reader.ts';
import { fileTexts } from '../shell/redirect.ts';
import { parsedAs } from './formats.ts';
import { runNamed } from './package-scripts.ts';
import { recipeOf } from './task-entries.ts';
import { runRecipe } from './task-runners.ts';
import { selectedFolders } from './workspaces.ts';
import { runWrapped } from './wrapped.ts';

const GRAMMAR = grammarOf({
  values:
    '--filter -F --scope --ignore --concurrency --cwd --cache-dir -t --target --targets -p --projects --project ' +
    '--exclude --parallel --runner -c --configuration --base --head --since --token --team --output-style',
});

/** `turbo run build release --filter=api` */
export const runTurbo: Handler = (argv, frame) => {
  const use = readUse(argv, 1, GRAMMAR);
  if (!use.has('--dry', '--dry-run', '--help')) {
    const before = argv.slice(0, argv.indexOf('--') < 0 ? argv.length : argv.indexOf('--'));
    for (const word of readUse(before, 1, GRAMMAR).operands) {
      const [task = '', project] = word.split('#').reverse();
      const selectors = project === undefined ? use.values('--filter', '-F') : [project];
      runIn(task, selectors, inside(frame, 'turbo'));
    }
  }
  return runWrapped('turbo', argv, frame);
};

/** `lerna run release --scope api` */
export const runLerna: Handler = (argv, frame) => {
  const { operands, values } = readUse(argv, 1, GRAMMAR);
  const [verb, tasks = ''] = operands;
  if (verb === 'run') {
    for (const task of tasks.split(',')) runIn(task, values('--scope'), inside(frame, 'lerna run'));
  }
  return runWrapped('lerna', argv, frame);
};

/** `nx run api:release`, `nx release api`, `nx run-many -t release`, `nx affected -t release` */
export const runNx: Handler = (argv, frame) => {
  const use = readUse(argv, 1, GRAMMAR);
  if (!use.has('--graph', '--help')) {
    for (const { task, projects } of nxTasks(use)) runIn(task, projects, inside(frame, 'nx'));
  }
  return runWrapped('nx', argv, frame);
};

function nxTasks({
  operands,
  values,
}: Use): readonly { task: string; projects: readonly string[] }[] {
  const [verb = '', second] = operands;
  if (verb === 'run') {
    const [project = '', task = ''] = (second ?? '').split(':');
    return [{ task, projects: [project] }];
  }
  const projects = values('-p', '--projects', '--project').flatMap((it) => it.split(','));
  if (verb !== 'run-many' && !verb.startsWith('affected')) {
    return [{ task: verb, projects: second === undefined ? projects : [second] }];
  }
  const named = values('-t', '--target', '--targets').flatMap((it) => it.split(','));
  return [...named, ...operands.slice(1)].map((task) => ({ task, projects }));
}

/** Runs a task in the packages that are selected, in all if none are. */
function runIn(task: string, selectors: readonly string[], frame: Frame): void {
  const folders = selectedFolders(selectors.length > 0 ? selectors : 'all', frame);
  for (const folder of folders) {
    const within = { ...frame, state: frame.state.copy([folder]) };
    runNamed(task, [], within);
    for (const [file, keys] of TARGETS) runTarget(`${folder}/${file}`, keys, task, within);
  }
}

/** Files and keys under which nx keeps targets that are no package scripts. */
const TARGETS = [
  ['project.json', ['targets']],
  ['package.json', ['nx', 'targets']],
] as const;

function runTarget(file: string, keys: readonly string[], task: string, frame: Frame): void {
  const text = fileTexts(file, frame)?.[0];
  if (text === undefined || !text.includes('"targets"')) return;
  let value: unknown = parsedAs('json', text);
  for (const key of keys) value = isJsonObject(value) ? value[key] : undefined;
  if (!isJsonObject(value)) return;
  const targets = value;
  const recipe = recipeOf(targets[task], (it) => Object.hasOwn(targets, it), new Map());
  insideFile(frame, `${file} ${task}`, `nx ${task}`, (within) => {
    for (const need of recipe.needs) runTarget(file, keys, need, within);
    return runRecipe(recipe, within);
  });
}
