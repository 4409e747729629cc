/**
 * Scripts of `package.json` that `npm run x` and other package managers run, with those before and
 * after them, and the lifecycle scripts of other commands.
 */
import { dirname } from 'node:path';
import { isJsonObject, type JsonObject, parsedJson } from '../../text/json.ts';
import { grammarOf, readUse, type Use } from '../../text/options.ts';
import { byName } from '../by-name.ts';
import { type Frame, type Handler, inside, insideFile, type Output } from '../reader.ts';
import { directoriesOf, toolGrammar, within } from '../rules/match-rules.ts';
import { fileTexts } from '../shell/redirect.ts';
import type { ShellState } from '../shell/shell-state.ts';
import { isKnown, isWhollyUnknown, wordText } from '../shell/unknown.ts';
import { runInterpreter } from './interpreter.ts';
import { runPackage, runWrapped } from './wrapped.ts';

const VALUES =
  '--prefix -C --dir --cwd -w --workspace -F --filter --filter-prod --registry --userconfig --cache ' +
  '--loglevel --tag --otp --access --scope --workspace-concurrency --reporter --store-dir ' +
  '--modules-folder --use-yarnrc --mutex --network-timeout --script-shell';
const DIRECTORY = '--prefix -C --dir --cwd';
const GRAMMAR = toolGrammar({ values: VALUES, directory: DIRECTORY });

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
  const { operands } = runScripts(argv, frame);
  if (operands[0] === 'pkg' && operands[1] === 'set') setEntries(operands.slice(2), frame);
  return output;
};

/** Yarn, pnpm and bun also accept a script or an installed program in place of a subcommand. */
export const runPackageManager: Handler = (argv, frame) => {
  const name = argv[0] ?? '';
  if (baseName(name) === 'bun') runInterpreter(argv, frame);
  const output = runWrapped(baseName(name), argv, frame);
  const use = runScripts(argv, frame);
  const [first] = use.operands;
  if (output || first === undefined || !isKnown(first) || SUBCOMMANDS.has(first) || RUN.has(first))
    return output;
  if (first === 'workspace') {
    return frame.reader.command(
      [name, ...use.operands.slice(2)],
      inside(frame, `${name} workspace`),
    );
  }
  const at = argv.indexOf(first);
  const inner = inside(frame, name, { state: stateOf(use, frame) });
  if (runNamed(first, argv.slice(at + 1), inner)) return undefined;
  return runPackage(argv.slice(at), inner);
};

const stateOf = (use: Use, { state }: Frame): ShellState =>
  state.copy(directoriesOf({ directory: DIRECTORY }, use, state.directories));

function baseName(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1);
}

/** Subcommands that are never a script or an installed program. */
const SUBCOMMANDS = new Set(
  (
    'add audit bin cache ci config create dedupe dlx docs exec explain fetch global help i import info init ' +
    'install install-test it licenses link list login logout ls node npm outdated owner pack patch pm ' +
    'policies prune publish rebuild remove rm root self-update set setup store tag team test t unlink ' +
    'uninstall un up update upgrade upgrade-interactive version versions view why workspaces x deploy ' +
    'plugin constraints start stop restart build env server doctor'
  ).split(' '),
);

function runScripts(argv: readonly string[], frame: Frame): Use {
  const use = readUse(argv, 1, GRAMMAR);
  const [first, second] = use.operands;
  if (first === undefined || (use.has('--help', '-h') && !RUN.has(first))) return use;
  const inner = { ...frame, state: stateOf(use, frame) };
  if (RUN.has(first)) {
    if (second !== undefined) runGiven(second, use, inner);
    return use;
  }
  const steps = LIFECYCLE.get(first);
  if (steps && !use.has('--ignore-scripts')) {
    for (const step of steps.split(' ')) runOne(step, [], inner);
  }
  return use;
}

/** `npm run x -- words`, in the folders that workspace options name, and in the root. */
function runGiven(script: string, { argv, values }: Use, frame: Frame): void {
  if (isWhollyUnknown(script)) {
    frame.reader.opaque('which script runs cannot be read from the command', argv, frame);
    return;
  }
  const rest = argv.slice(argv.indexOf(script) + 1);
  const args = rest[0] === '--' ? rest.slice(1) : rest;
  for (const workspace of values('-w', '--workspace', '-F', '--filter')) {
    const folder = workspace.replace(/^\{|\}$|^\.\//g, '');
    const state = frame.state.copy(frame.state.directories.map((it) => within(it, folder)));
    runNamed(script, args, { ...frame, state });
  }
  runNamed(script, args, frame);
  if (argv[0] === 'npm') return;
  // Yarn and bun run an installed program where there is no such script.
  const second = inside(frame, `${argv[0]} run`, { secondReading: true });
  frame.reader.command([script, ...args], second);
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

/** A script with those before and after it; false if the package has none of that name. */
function runNamed(script: string, args: readonly string[], frame: Frame): boolean {
  const found = runOne(script, args, frame);
  if (found) {
    runOne(`pre${script}`, [], frame);
    runOne(`post${script}`, [], frame);
  }
  return found;
}

function runOne(script: string, args: readonly string[], frame: Frame): boolean {
  const found = nearestPackage(frame);
  const text = found?.scripts[script];
  if (!found || typeof text !== 'string') return false;
  const state = frame.state.copy([found.directory]);
  const whole = [text, ...args.map(wordText)].join(' ');
  const key = `script ${found.directory} ${script}`;
  insideFile(
    { ...frame, state },
    key,
    `package script ${script}`,
    (inner): Output => frame.reader.script(whole, { ...inner, statement: whole }),
  );
  return true;
}

/** `composer release`, `composer run-script release`: the scripts of `composer.json`. */
export const runComposer: Handler = (argv, frame) => {
  const { operands } = readUse(argv, 1, grammarOf({ values: '-d --working-dir' }));
  const run = operands[0] === 'run' || operands[0] === 'run-script';
  const name = run ? operands[1] : operands[0];
  if (name !== undefined) runListed('composer.json', 'scripts', name, inside(frame, 'composer'));
};

/** `deno task release`: the tasks of `deno.json`; other subcommands run programs. */
export const runDeno: Handler = (argv, frame) => {
  const { operands } = readUse(argv, 1, grammarOf({ values: '--cwd --config -c' }));
  const [first, name] = operands;
  if (first !== 'task' || name === undefined) return runInterpreter(argv, frame);
  for (const file of ['deno.json', 'deno.jsonc', 'package.json']) {
    const key = file === 'package.json' ? 'scripts' : 'tasks';
    runListed(file, key, name, inside(frame, 'deno task'));
  }
};

/** An entry of a JSON file that is a command, or a list of them. */
function runListed(file: string, key: string, name: string, frame: Frame): void {
  const text = fileTexts(file, frame)?.[0];
  if (text === undefined) return;
  const entry = entriesOf(text, key)[name];
  const whole = isJsonObject(entry) ? entry.command : entry;
  const commands = [whole].flat().filter((it) => typeof it === 'string');
  insideFile(
    frame,
    `${file} ${name}`,
    name,
    (within): Output =>
      commands.flatMap((it) => frame.reader.script(it, { ...within, statement: it })),
  );
}

const MOST_PARENTS = 8;

/** The package that the folder belongs to: the nearest `package.json` above it. */
function nearestPackage(frame: Frame) {
  let [directory] = frame.state.directories;
  for (let level = 0; directory !== undefined && level < MOST_PARENTS; level += 1) {
    const text = fileTexts(`${directory}/package.json`, frame)?.[0];
    if (text !== undefined) return { directory, scripts: entriesOf(text, 'scripts') };
    const parent = dirname(directory);
    if (parent === directory) break;
    directory = parent;
  }
  return undefined;
}

function entriesOf(text: string, key: string): JsonObject {
  // The tool stops at a broken file as well and runs nothing.
  const parsed = parsedJson(text);
  const entries = isJsonObject(parsed) ? parsed[key] : undefined;
  return isJsonObject(entries) ? entries : {};
}

/** `run-s build release`: several scripts by name. */
export const runScriptsByName: Handler = (argv, frame) => {
  for (const word of argv.slice(1)) {
    if (!word.startsWith('-')) runNamed(word.split(' ')[0] ?? '', [], inside(frame, argv[0] ?? ''));
  }
};
