/** Runners of a task in the packages of a workspace: turbo, lerna and nx. */
import { basename } from 'node:path';
import { isJsonObject } from '../../base/text/json.ts';
import { grammarOf, readUse } from '../../base/text/options.ts';
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

const DRY = ['--dry', '--dry-run', '--graph', '--help'];

/** `turbo run build web#release --filter=api`, `lerna run release`, `nx run api:release`, `nx affected -t release` */
export const runMonorepo: Handler = (argv, frame) => {
  const name = basename(argv[0] ?? '');
  const dashes = argv.indexOf('--');
  const use = readUse(dashes < 0 ? argv : argv.slice(0, dashes), 1, GRAMMAR);
  const { operands, values } = use;
  const [verb = '', second] = operands;
  // `nx test web` names a project after the task.
  const isPair = name === 'nx' && !/^(?:run|affected)/.test(verb);
  const words = isPair ? [verb] : operands;
  const tasks = use.has(...DRY) ? [] : [...words, ...values('-t', '--target', '--targets')];
  const options = values('--filter', '-F', '--scope', '-p', '--projects', '--project');
  const named = isPair && second !== undefined ? [second] : options;
  const selectors = named.flatMap((it) => it.split(','));
  for (const task of tasks.flatMap((it) => it.split(','))) {
    const [, project, target] = /^([^:#]+)[:#](.+)$/.exec(task) ?? [];
    runIn(task, selectors, inside(frame, name));
    if (project && target) runIn(target, [project], inside(frame, name));
  }
  return runWrapped(name, argv, frame);
};

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
