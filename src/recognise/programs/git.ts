/**
 * What git runs besides its own commands: aliases, and subcommands that take a command.
 */

import { noteHookSettings } from '../guard/hook-settings.ts';
import { type Frame, inside, type Output, type Reader } from '../reader.ts';
import { gitTools } from '../rules/git.ts';
import { directoriesOf } from '../rules/match.ts';
import { grammarOf, isOption, readOption, readUse, words } from '../rules/options.ts';
import type { Tool, UsedOption } from '../rules/rule.ts';
import type { Handler } from '../shell/builtins.ts';
import { shellWord } from '../shell/shell-word.ts';
import { isKnown } from '../shell/unknown.ts';
import { aliasOf } from './git-config.ts';
import { outputOf } from './outputs.ts';

let tool: Tool | undefined;

export const runGit: Handler = (argv, frame, reader) => {
  tool ??= gitTools()[0];
  if (!tool) return undefined;
  const grammar = grammarOf(tool);
  const options: UsedOption[] = [];
  let at = 1;
  while (at < argv.length && isOption(argv[at] ?? '')) {
    const read = readOption(argv, at, grammar);
    options.push(...read.options);
    at = read.next;
  }
  const subcommand = argv[at];
  if (subcommand === undefined || !isKnown(subcommand)) return undefined;
  const use = readUse([], 0, grammar, options);
  const state = frame.state.copy();
  state.directories = directoriesOf(tool, use, state.directories);
  const inner = { ...frame, state };
  const rest = argv.slice(at + 1);
  runSettings(use.values('-c'), inner, reader);
  if (words(tool.subcommands).has(subcommand)) {
    runSubcommand(subcommand, rest, inner, reader);
    return outputOf('git', argv, frame, reader);
  }
  return runAlias(subcommand, argv.slice(0, at), rest, use.values('-c'), inner, frame, reader);
};

function runAlias(
  name: string,
  before: readonly string[],
  rest: readonly string[],
  config: readonly string[],
  inner: Frame,
  frame: Frame,
  reader: Reader,
): Output | undefined {
  const alias = aliasOf(name, config, inner, reader);
  if (alias === undefined) return undefined;
  const label = `git alias ${name}`;
  if (alias.startsWith('!')) {
    const text = [alias.slice(1), ...rest.map(shellWord)].join(' ');
    // git runs a shell alias at the top of the working tree.
    const directories = inner.state.directories.map((it) =>
      it === undefined ? undefined : (reader.context.toplevel(it) ?? it),
    );
    inner.state.directories = directories;
    inner.state.parameters = [rest];
    return reader.script(text, inside(inner, label));
  }
  const expanded = alias
    .trim()
    .split(/\s+/)
    .map((it) => it.replace(/^(["'])(.*)\1$/, '$2'));
  return reader.command([...before, ...expanded, ...rest], inside(frame, label));
}

/** Settings whose value is a command that git starts: an editor, a pager, a way to connect. */
const COMMAND_SETTINGS =
  'core.editor core.pager core.sshcommand core.fsmonitor core.askpass sequence.editor diff.external ' +
  'credential.helper gpg.program';
const COMMAND_VARIABLES =
  'GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_PAGER GIT_SSH_COMMAND GIT_EXTERNAL_DIFF GIT_ASKPASS EDITOR VISUAL PAGER';

function runSettings(config: readonly string[], frame: Frame, reader: Reader): void {
  const within = inside(frame, 'git setting', { secondReading: true, state: frame.state.copy() });
  for (const entry of config) {
    const equals = entry.indexOf('=');
    const command = entry.slice(equals + 1).replace(/^!/, '');
    if (words(COMMAND_SETTINGS).has(entry.slice(0, equals).toLowerCase()))
      reader.script(command, within);
  }
  for (const name of words(COMMAND_VARIABLES)) {
    const value = frame.state.variables.get(name)?.[0]?.[0];
    if (value) reader.script(value, within);
  }
}

function runSubcommand(name: string, rest: readonly string[], frame: Frame, reader: Reader): void {
  if (name === 'submodule') runForeach(rest, frame, reader);
  else if (name === 'config') {
    setConfig(rest, reader);
    noteHookSettings(rest, frame, reader);
  } else if (name === 'rebase')
    runTexts(rest, ['-x', '--exec'], 'git rebase --exec', frame, reader);
  else if (name === 'difftool') runTexts(rest, ['-x', '--extcmd'], 'git difftool', frame, reader);
  else if (name === 'bisect' && rest[0] === 'run') {
    reader.command(rest.slice(1), inside(frame, 'git bisect run'));
  }
}

function runTexts(
  rest: readonly string[],
  names: readonly string[],
  label: string,
  frame: Frame,
  reader: Reader,
): void {
  const use = readUse(rest, 0, grammarOf({ values: names.join(' ') }), []);
  for (const text of use.values(...names)) reader.script(text, inside(frame, label));
}

function runForeach(rest: readonly string[], frame: Frame, reader: Reader): void {
  const at = rest.indexOf('foreach');
  if (at < 0) return;
  let start = at + 1;
  while (isOption(rest[start] ?? '')) start += 1;
  const state = frame.state.copy();
  state.directories = [undefined];
  reader.script(rest.slice(start).join(' '), inside(frame, 'git submodule foreach', { state }));
}

/** `git config alias.x '…'` and `git config set alias.x '…'`, in whichever file. */
function setConfig(rest: readonly string[], reader: Reader): void {
  const use = readUse(
    rest,
    0,
    grammarOf({ values: '-f --file --type --default --blob --comment --value' }),
    [],
  );
  const operands = use.operands[0] === 'set' ? use.operands.slice(1) : use.operands;
  const [key, value] = operands;
  if (key !== undefined && value !== undefined) reader.gitConfig.set(key.toLowerCase(), value);
}
