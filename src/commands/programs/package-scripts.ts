/**
 * Scripts of `package.json` that `npm run x` and other package managers run, with those before and
 * after them, and the lifecycle scripts of other commands.
 */
import { basename } from 'node:path';
import { isJsonObject, type JsonObject, parsedJson } from '../../base/text/json.ts';
import { grammarOf, leadingOptions, readUse, type Use, words } from '../../base/text/options.ts';
import { byName } from '../by-name.ts';
import { type Argv, type Frame, type Handler, inside, insideFile, type Output } from '../reader.ts';
import { matchesGlob } from '../shell/glob.ts';
import { fileTexts, nearest } from '../shell/redirect.ts';
import type { ShellState } from '../shell/shell-state.ts';
import { isKnown, isWhollyUnknown, UNKNOWN, wordText } from '../shell/unknown.ts';
import { directoriesOf, toolGrammar } from '../tools/match-rules.ts';
import { runInterpreter } from './interpreter.ts';
import { recipeOf } from './task-entries.ts';
import { runRecipe } from './task-runners.ts';
import { selectedFolders } from './workspaces.ts';
import { runPackage, runWrapped } from './wrapped.ts';

const VALUES =
  '--prefix -C --dir --cwd --workspace -F --filter --filter-prod --registry --userconfig --cache ' +
  '--loglevel --tag --otp --access --scope --workspace-concurrency --reporter --store-dir ' +
  '--modules-folder --use-yarnrc --mutex --network-timeout --script-shell';
const DIRECTORY = '--prefix -C --dir --cwd';
const GRAMMAR = toolGrammar({ values: VALUES, directory: DIRECTORY });
/** npm's `-w` names a workspace; pnpm's means the root. */
const NPM_GRAMMAR = toolGrammar({ values: `${VALUES} -w`, flags: '-ws', directory: DIRECTORY });

/** Subcommands that run scripts besides a named one, in order. */
const LIFECYCLE = byName({
  install: 'preinstall install postinstall prepublish preprepare prepare postprepare',
  'i ci add': 'preinstall install postinstall prepare',
  version: 'preversion version postversion',
  pack: 'prepack prepare postpack',
  'test t tst': 'pretest test posttest',
  start: 'prestart start poststart',
  stop: 'prestop stop poststop',
  restart: 'prerestart restart postrestart stop start',
});

const RUN = new Set(['run', 'run-script', 'rum', 'urn', 'runScript']);

export const runNpm: Handler = (argv, frame) => {
  const output = runWrapped('npm', argv, frame);
  const [first, second, ...entries] = runScripts(argv, frame).operands;
  if (first === 'pkg' && second === 'set') setEntries(entries, frame);
  return output;
};

/** Yarn, pnpm and bun also accept a script or an installed program in place of a subcommand. */
export const runPackageManager: Handler = (argv, frame) => {
  const name = argv[0] ?? '';
  if (basename(name) === 'bun') runInterpreter(argv, frame);
  const output = runWrapped(basename(name), argv, frame);
  const use = runScripts(argv, frame);
  const [first, second] = use.operands;
  if (first === undefined || !isKnown(first)) return output;
  if (first === 'workspace' && second !== undefined) {
    const rest = argv.slice(argv.indexOf(second) + 1);
    return inFolders(selectedFolders([second], frame), name, rest, frame);
  }
  if (first === 'workspaces') {
    const from = argv.indexOf(second ?? first) + (second === 'foreach' ? 1 : 0);
    const { next } = leadingOptions(argv, from, FOREACH);
    return inFolders(selectedFolders('all', frame), name, argv.slice(next), frame);
  }
  if (output || SUBCOMMANDS.has(first) || RUN.has(first)) return output;
  const rest = argv.slice(argv.indexOf(first) + 1);
  const places = placesOf(use, frame).map((it) => inside(it, name));
  if (places.map((it) => runNamed(first, rest, it)).includes(true)) return undefined;
  return runPackage([first, ...rest], inside(frame, name, { state: stateOf(use, frame) }));
};

const FOREACH = grammarOf({ values: '--from --include --exclude -j --jobs' });

function inFolders(folders: readonly string[], name: string, rest: Argv, frame: Frame): Output {
  // Without a workspace, the command runs in its own folder.
  for (const folder of folders.length > 0 ? folders : frame.state.directories) {
    const state = frame.state.copy([folder]);
    frame.reader.command([name, ...rest], inside(frame, `${name} workspace`, { state }));
  }
  return [UNKNOWN];
}

const stateOf = (use: Use, { state }: Frame): ShellState =>
  state.copy(directoriesOf({ directory: DIRECTORY }, use, state.directories));

/** Subcommands that are never a script or an installed program. */
const SUBCOMMANDS = words(
  'add audit bin cache ci config create dedupe dlx docs exec explain fetch global help i import info init ' +
    'install install-test it licenses link list login logout ls node npm outdated owner pack patch pm ' +
    'policies prune publish rebuild remove rm root self-update set setup store tag team test t unlink ' +
    'uninstall un up update upgrade upgrade-interactive version versions view why workspaces x deploy ' +
    'plugin constraints start stop restart build env server doctor',
);

function runScripts(argv: Argv, frame: Frame): Use {
  const use = readUse(argv, 1, basename(argv[0] ?? '') === 'npm' ? NPM_GRAMMAR : GRAMMAR);
  const [first, second] = use.operands;
  if (first === undefined || (use.has('--help', '-h') && !RUN.has(first))) return use;
  const steps = use.has('--ignore-scripts') ? undefined : LIFECYCLE.get(first)?.split(' ');
  if (RUN.has(first) && second !== undefined) {
    for (const place of placesOf(use, frame)) runGiven(second, use, place);
  } else if (steps) {
    const args = wordsAfter(first, argv);
    for (const place of placesOf(use, frame))
      steps.map((step) => runOne(step, step === first ? args : [], place));
  }
  return use;
}

const SELECTS = ['-w', '--workspace', '-F', '--filter', '--filter-prod'];
const SELECTS_ALL = ['-r', '--recursive', '-ws', '--ws', '--workspaces'];

/** The folders that workspace options name, else the one that the command runs in. */
function placesOf(use: Use, frame: Frame): readonly Frame[] {
  const state = stateOf(use, frame);
  const here = { ...frame, state };
  const selectors = use.values(...SELECTS);
  if (selectors.length === 0 && !use.has(...SELECTS_ALL)) return [here];
  const folders = selectedFolders(selectors.length > 0 ? selectors : 'all', here);
  const places = folders.map((it) => ({ ...frame, state: state.copy([it]) }));
  return places.length > 0 ? places : [here];
}

/** `npm run x -- words` */
function runGiven(script: string, { argv }: Use, frame: Frame): void {
  if (isWhollyUnknown(script)) {
    const why = 'which script runs cannot be read from the command';
    frame.reader.opaque(why, argv, frame, 'may-release');
    return;
  }
  const args = wordsAfter(script, argv);
  if (/^\/.+\/$/.test(script)) runPattern(script, frame, args);
  runNamed(script, args, frame);
  if (argv[0] === 'npm') return;
  // Yarn and bun run an installed program if there is no such script.
  const second = inside(frame, `${argv[0]} run`, { secondReading: true });
  frame.reader.command([script, ...args], second);
}

function wordsAfter(script: string, argv: Argv): Argv {
  const rest = argv.slice(argv.indexOf(script) + 1);
  return rest[0] === '--' ? rest.slice(1) : rest;
}

/** `npm pkg set scripts.x="…"` writes a script that the same command may run. */
function setEntries(entries: readonly string[], frame: Frame): void {
  const found = nearestPackage(frame);
  if (!found) return;
  const scripts = { ...found.scripts };
  for (const entry of entries) {
    const [, name, value] = /^scripts\.([^=]+)=(.*)$/s.exec(entry) ?? [];
    if (name !== undefined) scripts[name] = value;
  }
  const text = JSON.stringify({ scripts });
  frame.reader.write(`${found.directory}/package.json`, () => [text]);
}

/** Runs a script with those before and after it; false if the package has none of that name. */
export function runNamed(script: string, args: Argv, frame: Frame): boolean {
  if (!runOne(script, args, frame)) return false;
  runOne(`pre${script}`, [], frame);
  runOne(`post${script}`, [], frame);
  return true;
}

function runOne(script: string, args: Argv, frame: Frame): boolean {
  const found = nearestPackage(frame);
  const text = found?.scripts[script];
  if (!found || typeof text !== 'string') return false;
  const within = { ...frame, state: frame.state.copy([found.directory]) };
  const statement = [text, ...args.map(wordText)].join(' ');
  if (text.trim() === 'wireit') runWireit(script, found.wireit, within);
  const key = `script ${found.directory} ${script}`;
  insideFile(within, key, `package script ${script}`, (inner) =>
    frame.reader.script(statement, { ...inner, statement }),
  );
  return true;
}

/** The package that the folder belongs to: the nearest `package.json` above it. */
const nearestPackage = (frame: Frame) =>
  nearest(frame, (directory) => {
    const text = fileTexts(`${directory}/package.json`, frame)?.[0];
    return text === undefined
      ? undefined
      : { directory, scripts: entriesOf(text, 'scripts'), wireit: entriesOf(text, 'wireit') };
  });

function entriesOf(text: string, key: string): JsonObject {
  // The package manager fails on a broken file as well, and runs nothing.
  const parsed = parsedJson(text);
  const entries = isJsonObject(parsed) ? parsed[key] : undefined;
  return isJsonObject(entries) ? entries : {};
}

function runWireit(script: string, entries: JsonObject, frame: Frame): void {
  const recipe = recipeOf(entries[script], (it) => Object.hasOwn(entries, it), new Map());
  const label = `wireit ${script}`;
  insideFile(frame, `${label} ${frame.state.directories[0]}`, label, (within): Output => {
    for (const need of recipe.needs) runOne(need, [], within);
    return runRecipe(recipe, within);
  });
}

/** `run-s build 'release:*'`: several scripts by name. */
export const runScriptsByName: Handler = (argv, frame) => {
  const within = inside(frame, argv[0] ?? '');
  for (const word of argv.slice(1)) if (!word.startsWith('-')) runPattern(word, within);
};

/**
 * `*` stands for one part of a name, `**` for any number; a regular expression such as `/^build:/`
 * selects the names that contain its plain text.
 */
function runPattern(word: string, frame: Frame, args: Argv = []): void {
  const [pattern = ''] = word.split(' ');
  const text = /^\/\^?(.+?)(?:\.\*)?\$?\/$/.exec(pattern)?.[1];
  const isPlain = text === undefined || /^[\w:-]*$/.test(text);
  const names = Object.keys(nearestPackage(frame)?.scripts ?? {});
  const matches = (it: string) =>
    text === undefined ? matchesGlob(pattern, it) : !isPlain || it.includes(text);
  const matched = text !== undefined || pattern.includes('*') ? names.filter(matches) : [pattern];
  for (const name of matched) runNamed(name, args, frame);
}

/** `concurrently npm:build 'npm:release:*' "other command"` */
export const runConcurrently: Handler = (argv, frame) => {
  for (const word of argv) {
    const [, script] = /^(?:npm|pnpm|yarn|bun|node|deno):(.+)$/.exec(word) ?? [];
    if (script !== undefined) runPattern(script, inside(frame, 'concurrently'));
  }
  return runWrapped('concurrently', argv, frame);
};
