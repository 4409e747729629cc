/**
 * Matches a command against the rule tables: a tool, a subcommand that releases, and no option that
 * makes it a dry run.
 */
import { basename, dirname, resolve } from 'node:path';
import type { ReleaseContent } from '../../config/policy.ts';
import { readUse, type Use, words } from '../../text/options.ts';
import type { Frame } from '../reader.ts';
import { lookUp } from '../shell/parameter.ts';
import type { Directory } from '../shell/shell-state.ts';
import { isKnown, UNKNOWN } from '../shell/unknown.ts';
import { isSpelled, matchPath, toolGrammar } from './match-path.ts';
import type { Rule, Tool } from './rule.ts';

/** What leaves at each kind of boundary, where no rule says otherwise. */
export const CONTENT_OF_KIND = {
  push: 'refs',
  'pull-request': 'head',
  publish: 'worktree',
  'image-push': 'worktree',
  deploy: 'worktree',
  release: 'worktree',
} as const satisfies Record<Rule['kind'], ReleaseContent>;

/** Reports the boundaries that one use of a tool crosses. */
export function matchTool(tool: Tool, argv: readonly string[], frame: Frame): void {
  let perhaps = false;
  // Before the subcommand only the options of the tool are valid, not those of the subcommand.
  const before = toolGrammar(tool);
  const allKnown = argv.every(isKnown);
  for (const rule of tool.rules) {
    const path = rule.path === '' ? [] : rule.path.split(' ');
    if (allKnown && !argv.some((word) => isSpelled(word, path[0]))) continue;
    const match = matchPath(argv, 1, path, before, tool.subcommands);
    perhaps ||= match.found === 'perhaps';
    if (match.found !== 'yes') continue;
    const use = readUse(argv, match.next, toolGrammar(tool, rule), match.options);
    if (!releases(use, tool, rule, frame)) continue;
    report(tool, rule, use, frame);
    return;
  }
  if (!perhaps) return;
  const name = basename(argv[0] ?? '');
  frame.reader.opaque(`the subcommand of \`${name}\` cannot be read from the command`, argv, frame);
}

function releases(use: Use, tool: Tool, rule: Rule, frame: Frame): boolean {
  if (isHelp(use, tool) || isDry(use, rule, frame)) return false;
  if (rule.only !== undefined && !hasOption(use, rule.only)) return false;
  if (rule.unless !== undefined && hasOption(use, rule.unless)) return false;
  if (words(rule.except).has(use.operands[0] ?? '')) return false;
  return rule.when?.(use) ?? true;
}

/** @param list options, with a value where only that value counts: `--no-push --push=false`. */
function hasOption(use: Use, list: string): boolean {
  return [...words(list)].some((it) => {
    const [name = '', value] = it.split('=');
    return value === undefined ? use.has(name) : use.value(name) === value;
  });
}

function isHelp(use: Use, tool: Tool): boolean {
  const help = words(tool.help ?? '-h --help');
  return use.options.some(({ name }) => help.has(name));
}

function isDry(use: Use, rule: Rule, frame: Frame): boolean {
  let dry = false;
  for (const name of words(rule.dryVariables)) {
    const texts = lookUp(name, frame).map((list) => list[0] ?? '');
    if (texts.every((it) => isKnown(it) && isTrue(it))) dry = true;
  }
  const flags = words(rule.dry);
  for (const { name, value } of use.options) {
    if (flags.has(name)) dry = isTrue(value ?? truthAfter(name, use, rule));
    else if (name.startsWith('--no-') && flags.has(`--${name.slice('--no-'.length)}`)) dry = false;
  }
  return dry;
}

/** npm reads `--dry-run false` as a value, though the option is a switch. */
function truthAfter(name: string, use: Use, rule: Rule): string {
  if (!rule.takesTruth) return 'true';
  const next = use.argv[use.argv.lastIndexOf(name) + 1];
  return next === 'false' ? 'false' : 'true';
}

const UNTRUE = new Set(['', 'false', 'none', 'no', '0', 'off', 'f', 'F', 'FALSE', 'False']);

/** An unknown value may be false, so it does not make a dry run. */
function isTrue(value: string): boolean {
  return isKnown(value) && !UNTRUE.has(value);
}

function report(tool: Tool, rule: Rule, use: Use, frame: Frame): void {
  frame.reader.boundary(
    {
      kind: rule.kind,
      rule: rule.id,
      leaves: rule.leaves ?? CONTENT_OF_KIND[rule.kind],
      argv: use.argv,
      operands: use.operands,
      options: use.options.map(({ name }) => name),
      directories: directoriesOf(tool, use, frame.state.directories),
      ...gitSettings(tool, use, frame),
    },
    frame,
  );
}

/** Where the tool works: the shell's folder, changed by its own options. */
export function directoriesOf(
  tool: Pick<Tool, 'directory' | 'directoryOfFile'>,
  use: Use,
  start: readonly Directory[],
): readonly Directory[] {
  const folders = words(tool.directory);
  const files = words(tool.directoryOfFile);
  let directories = start;
  for (const { name, value } of use.options) {
    if (value === undefined) continue;
    if (folders.has(name)) directories = directories.map((it) => within(it, value));
    else if (files.has(name)) directories = directories.map((it) => within(it, dirname(value)));
  }
  return directories;
}

export function within(directory: Directory, path: string): Directory {
  if (!isKnown(path)) return undefined;
  if (path.startsWith('/')) return resolve(path);
  return directory === undefined ? undefined : resolve(directory, path);
}

function gitSettings(tool: Tool, use: Use, frame: Frame) {
  if (tool.names !== 'git') return {};
  const [fromEnvironment] = lookUp('GIT_DIR', frame);
  const variable =
    frame.state.variables.has('GIT_DIR') || frame.reader.context.env.GIT_DIR !== undefined;
  const gitDir = use.value('--git-dir') ?? (variable ? fromEnvironment?.[0] : undefined);
  const config = use.options
    .filter(({ name }) => name === '-c')
    .map(({ value }) => (value === undefined || !isKnown(value) ? UNKNOWN : value));
  return { config: config.filter(isKnown), ...(gitDir ? { gitDir } : {}) };
}
