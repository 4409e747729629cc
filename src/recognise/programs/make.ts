/** `make`, `just` and `task`: the recipes behind their targets. */

import { readUse } from '../../text/options.ts';
import { type Frame, insideFile, type Output, type Reader } from '../reader.ts';
import { directoriesOf } from '../rules/match.ts';
import { toolGrammar } from '../rules/match-path.ts';
import type { Handler } from '../shell/builtins.ts';
import { fileTexts } from '../shell/redirect.ts';
import { isKnown, isWhollyUnknown } from '../shell/unknown.ts';
import { parseJustfile } from './justfile.ts';
import { parseMakefile } from './makefile.ts';
import { parseTaskfile } from './taskfile.ts';

/** One target: what it needs first, and the shell texts it runs. */
export interface Recipe {
  readonly needs: readonly string[];
  readonly texts: readonly string[];
}

export interface RecipeBook {
  readonly first: string | undefined;
  readonly find: (target: string) => Recipe | undefined;
}

interface Runner {
  readonly name: string;
  readonly values: string;
  readonly directory: string;
  readonly dry: readonly string[];
  readonly fileOptions: readonly string[];
  readonly files: readonly string[];
  readonly parse: (
    text: string,
    variables: ReadonlyMap<string, string>,
    include: (path: string) => string | undefined,
  ) => RecipeBook;
}

const MAKE: Runner = {
  name: 'make',
  values: '-f --file --makefile -I --include-dir -o --old-file -W --what-if --eval',
  directory: '-C --directory',
  dry: [
    '-n',
    '--just-print',
    '--dry-run',
    '--recon',
    '-q',
    '--question',
    '-t',
    '--touch',
    '-p',
    '-h',
    '--help',
    '-v',
    '--version',
  ],
  fileOptions: ['-f', '--file', '--makefile'],
  files: ['GNUmakefile', 'makefile', 'Makefile'],
  parse: parseMakefile,
};

const JUST: Runner = {
  name: 'just',
  values:
    '-f --justfile --set --shell --shell-arg --color --chooser --dotenv-path --dotenv-filename',
  directory: '-d --working-directory',
  dry: [
    '-n',
    '--dry-run',
    '-l',
    '--list',
    '--show',
    '-s',
    '--summary',
    '--evaluate',
    '--fmt',
    '--dump',
    '-h',
    '--help',
    '--version',
  ],
  fileOptions: ['-f', '--justfile'],
  files: ['justfile', 'Justfile', '.justfile'],
  parse: parseJustfile,
};

const TASK: Runner = {
  name: 'task',
  values: '-t --taskfile -o --output -C --concurrency -I --interval',
  directory: '-d --dir',
  dry: [
    '-n',
    '--dry',
    '-l',
    '--list',
    '-a',
    '--list-all',
    '--summary',
    '--status',
    '-h',
    '--help',
    '--version',
    '--init',
  ],
  fileOptions: ['-t', '--taskfile'],
  files: ['Taskfile.yml', 'taskfile.yml', 'Taskfile.yaml', 'taskfile.yaml', 'Taskfile.dist.yml'],
  parse: parseTaskfile,
};

export const runMake: Handler = (argv, frame, reader) => run(MAKE, argv, frame, reader);
export const runJust: Handler = (argv, frame, reader) => run(JUST, argv, frame, reader);
export const runTask: Handler = (argv, frame, reader) => run(TASK, argv, frame, reader);

function run(runner: Runner, argv: readonly string[], frame: Frame, reader: Reader): undefined {
  const use = readUse(
    argv,
    1,
    toolGrammar({ values: runner.values, directory: runner.directory }),
    [],
  );
  if (use.has(...runner.dry)) return;
  const state = frame.state.copy();
  state.directories = directoriesOf(runner, use, state.directories);
  const inner = { ...frame, state };
  const named = use.value(...runner.fileOptions);
  const variables = new Map<string, string>();
  const targets: string[] = [];
  for (const word of use.operands) {
    const equals = word.indexOf('=');
    if (equals > 0) variables.set(word.slice(0, equals), word.slice(equals + 1));
    else targets.push(word);
  }
  const text = firstText(named === undefined ? runner.files : [named], inner, reader);
  if (targets.some(isWhollyUnknown)) {
    reader.opaque({ why: 'which target runs is not in the text', argv }, frame);
  }
  if (text === undefined) return;
  const book = runner.parse(text, variables, (path) => fileTexts(path, inner, reader)?.[0]);
  const goals = targets.length > 0 ? targets : [book.first ?? ''];
  // just passes the words after a recipe's name to it.
  const known = runner === JUST ? goals.slice(0, 1) : goals;
  for (const goal of known) runTarget(runner, goal, book, inner, reader);
}

function firstText(names: readonly string[], frame: Frame, reader: Reader): string | undefined {
  for (const name of names) {
    const text = (name === '-' ? frame.stdin() : fileTexts(name, frame, reader))?.[0];
    if (text !== undefined && isKnown(text)) return text;
  }
  return undefined;
}

function runTarget(
  runner: Runner,
  target: string,
  book: RecipeBook,
  frame: Frame,
  reader: Reader,
): Output {
  const recipe = book.find(target);
  if (!recipe) return [''];
  const [directory] = frame.state.directories;
  const key = `${runner.name} ${directory} ${target}`;
  const label = `${runner.name} ${target}`;
  return insideFile(frame, key, label, reader, (within) => {
    for (const need of recipe.needs) runTarget(runner, need, book, within, reader);
    for (const text of recipe.texts) {
      reader.script(text, { ...within, state: within.state.copy(), statement: text });
    }
    return [''];
  });
}
