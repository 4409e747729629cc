/** `make`, `just` and `task`: the recipes behind their targets. */
import { readUse, words } from '../../text/options.ts';
import { type Frame, type Handler, insideFile, type Output } from '../reader.ts';
import { directoriesOf, toolGrammar } from '../rules/match-rules.ts';
import { fileTexts } from '../shell/redirect.ts';
import { isKnown, isWhollyUnknown } from '../shell/unknown.ts';
import { MAKE } from './makefile.ts';
import { JUST, type RecipeBook, TASK, type TargetRunner } from './task-files.ts';

export const runMake: Handler = (argv, frame) => run(MAKE, argv, frame);
export const runJust: Handler = (argv, frame) => run(JUST, argv, frame);
export const runTask: Handler = (argv, frame) => run(TASK, argv, frame);

function run(runner: TargetRunner, argv: readonly string[], frame: Frame): undefined {
  const use = readUse(argv, 1, toolGrammar({ values: runner.values, directory: runner.directory }));
  if (use.has(...words(runner.dry))) return;
  const state = frame.state.copy(directoriesOf(runner, use, frame.state.directories));
  const inner = { ...frame, state };
  const named = use.value(...words(runner.fileOptions));
  const variables = new Map<string, string>();
  const targets: string[] = [];
  for (const word of use.operands) {
    const equals = word.indexOf('=');
    if (equals > 0) variables.set(word.slice(0, equals), word.slice(equals + 1));
    else targets.push(word);
  }
  const text = firstText(named === undefined ? runner.files : [named], inner);
  if (targets.some(isWhollyUnknown)) {
    frame.reader.opaque('which target runs cannot be read from the command', argv, frame);
  }
  if (text === undefined) return;
  const book = runner.parse(text, variables, (path) => fileTexts(path, inner)?.[0]);
  const goals = targets.length > 0 ? targets : [book.first ?? ''];
  const known = runner.passesWords ? goals.slice(0, 1) : goals;
  for (const goal of known) runTarget(runner, goal, book, inner);
}

function firstText(names: readonly string[], frame: Frame): string | undefined {
  for (const name of names) {
    const text = (name === '-' ? frame.stdin() : fileTexts(name, frame))?.[0];
    if (text !== undefined && isKnown(text)) return text;
  }
  return undefined;
}

function runTarget(runner: TargetRunner, target: string, book: RecipeBook, frame: Frame): Output {
  const recipe = book.find(target);
  if (!recipe) return [''];
  const [directory] = frame.state.directories;
  const key = `${runner.name} ${directory} ${target}`;
  const label = `${runner.name} ${target}`;
  return insideFile(frame, key, label, (within) => {
    for (const need of recipe.needs) runTarget(runner, need, book, within);
    for (const text of recipe.texts) {
      frame.reader.script(text, { ...within, state: within.state.copy(), statement: text });
    }
    return [''];
  });
}
