/**
 * Commands that git runs: aliases, settings, and subcommands that take a command. Configuration files
 * are read without starting git.
 */
import { dirname, join, relative, resolve } from 'node:path';
import {
  afterProgram,
  GIT_OPTIONS,
  GIT_SUBCOMMANDS,
  subcommandUse,
} from '../../base/git/command-line.ts';
import { PREVIOUS_HOOK_SUFFIX } from '../../base/text/git-hook.ts';
import { isOption, useOf, words } from '../../base/text/options.ts';
import { byName } from '../by-name.ts';
import { noteHookSettings, settingsIn } from '../guard/layers.ts';
import { noteRemoteRefs } from '../guard/remote-refs.ts';
import { type Frame, type Handler, inside, type Reader } from '../reader.ts';
import { lookUp } from '../shell/parameter.ts';
import { isKnown, wordText } from '../shell/unknown.ts';
import { directoriesOf } from '../tools/match-rules.ts';
import { outputOf } from './outputs.ts';
import { runScriptFile } from './shells.ts';

export const runGit: Handler = (argv, frame) => {
  const { subcommand, words: rest, options } = afterProgram(argv);
  if (subcommand === undefined || !isKnown(subcommand)) return undefined;
  const use = useOf(options);
  const state = frame.state.copy(directoriesOf(GIT_OPTIONS, use, frame.state.directories));
  const inner = { ...frame, state };
  runSettings(use.values('-c'), inner);
  const given = use.values('-c').map((it) => `'${it}'`);
  if (given.length > 0) state.variables.set('GIT_CONFIG_PARAMETERS', [[given.join(' ')]]);
  if (words(GIT_SUBCOMMANDS).has(subcommand)) {
    runSubcommand(subcommand, rest, inner);
    runHooks(subcommand, use.values('-c'), inner);
    return outputOf('git', argv, frame);
  }
  const alias = settingOf(`alias.${subcommand.toLowerCase()}`, use.values('-c'), inner);
  if (alias === undefined) return undefined;
  const label = `git alias ${subcommand}`;
  if (alias.startsWith('!')) {
    const text = [alias.slice(1), ...rest.map(wordText)].join(' ');
    // git runs a shell alias at the top of the working tree.
    inner.state.directories = inner.state.directories.map((it) =>
      it === undefined ? undefined : (frame.reader.context.toplevel(it) ?? it),
    );
    inner.state.parameters = [rest];
    return frame.reader.script(text, inside(inner, label));
  }
  const expanded = alias
    .trim()
    .split(/\s+/)
    .map((it) => it.replace(/^(["'])(.*)\1$/, '$2'));
  const before = argv.slice(0, argv.length - rest.length - 1);
  return frame.reader.command([...before, ...expanded, ...rest], inside(frame, label));
};

/** Settings whose value is a command that git starts: an editor, a pager, a way to connect. */
const COMMAND_SETTINGS =
  'core.editor core.pager core.sshcommand core.fsmonitor core.askpass sequence.editor diff.external ' +
  'credential.helper gpg.program';
const COMMAND_VARIABLES =
  'GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_PAGER GIT_SSH_COMMAND GIT_EXTERNAL_DIFF GIT_ASKPASS EDITOR VISUAL PAGER';

function runSettings(config: readonly string[], frame: Frame): void {
  const within = inside(frame, 'git setting', { secondReading: true, state: frame.state.copy() });
  for (const entry of config) {
    const equals = entry.indexOf('=');
    const command = entry.slice(equals + 1).replace(/^!/, '');
    if (words(COMMAND_SETTINGS).has(entry.slice(0, equals).toLowerCase()))
      frame.reader.script(command, within);
  }
  for (const name of words(COMMAND_VARIABLES)) {
    const value = frame.state.variables.get(name)?.[0]?.[0];
    if (value) frame.reader.script(value, within);
  }
}

function runSubcommand(name: string, rest: readonly string[], frame: Frame): void {
  const use = subcommandUse(name, rest);
  noteRemoteRefs(name, use, frame);
  if (name === 'submodule') runForeach(rest, frame);
  else if (name === 'config') {
    const { operands } = use;
    // `git config alias.x '…'` and `git config set alias.x '…'`, in whichever file.
    const [key, value] = operands[0] === 'set' ? operands.slice(1) : operands;
    if (key && value !== undefined) frame.reader.gitConfig.set(key.toLowerCase(), value);
    noteHookSettings(use, frame);
  } else if (name === 'rebase' || name === 'difftool') {
    const option = name === 'rebase' ? '--exec' : '--extcmd';
    for (const text of use.values('-x', option)) {
      frame.reader.script(text, inside(frame, `git ${name} ${option}`));
    }
  } else if (name === 'bisect' && rest[0] === 'run') {
    frame.reader.command(rest.slice(1), inside(frame, 'git bisect run'));
  }
}

function runForeach(rest: readonly string[], frame: Frame): void {
  const at = rest.indexOf('foreach');
  if (at < 0) return;
  let start = at + 1;
  while (isOption(rest[start] ?? '')) start += 1;
  const within = inside(frame, 'git submodule foreach', { state: frame.state.copy([undefined]) });
  frame.reader.script(rest.slice(start).join(' '), within);
}

/** The hooks that git starts, besides the one for each change of a ref. */
const HOOKS = byName({
  'commit cherry-pick revert': 'pre-commit prepare-commit-msg commit-msg post-commit post-rewrite',
  'merge pull rebase':
    'pre-merge-commit prepare-commit-msg commit-msg post-merge pre-rebase post-checkout post-commit post-rewrite',
  am: 'applypatch-msg pre-applypatch post-applypatch post-rewrite',
  'checkout switch worktree': 'post-checkout',
  'branch fetch reset stash tag update-ref': '',
  push: `pre-push pre-push${PREVIOUS_HOOK_SUFFIX}`,
});

/**
 * Reads the hooks that a subcommand starts, at the end: the same command may write them, and what it commits comes
 * before what a hook pushes. Only what they release counts; what else they run is of no concern to other commands.
 */
function runHooks(subcommand: string, config: readonly string[], frame: Frame): void {
  const names = HOOKS.get(subcommand);
  const [directory] = frame.state.directories;
  const root = directory && frame.reader.context.toplevel(directory);
  if (names === undefined || root === undefined) return;
  const within = { ...frame, state: frame.state.copy([root]), secondReading: true };
  frame.reader.later(() => {
    const set = settingOf('core.hookspath', config, frame)?.replace(
      /^~(?=\/)/,
      frame.reader.context.env.HOME ?? '~',
    );
    const own = localFiles(root, frame.reader).map((it) => `${dirname(it)}/hooks`);
    for (const folder of set === undefined ? own : [resolve(root, set)])
      for (const name of ['reference-transaction', ...words(names)])
        runScriptFile(relative(root, join(folder, name)), [], within);
  });
}

/**
 * A setting of git, by its name in small letters: from the command line, the environment, an earlier `git config` in
 * the command, or the files.
 */
function settingOf(key: string, config: readonly string[], frame: Frame): string | undefined {
  const given = config.findLast((it) => it.toLowerCase().startsWith(`${key}=`));
  if (given !== undefined) return given.slice(key.length + 1);
  const set = fromEnvironment(key, frame) ?? frame.reader.gitConfig.get(key);
  if (set !== undefined) return set;
  for (const path of configFiles(frame)) {
    const found = fromFile(path, key, frame.reader, 0);
    if (found !== undefined) return found;
  }
  return undefined;
}

function fromEnvironment(key: string, frame: Frame): string | undefined {
  const text = (name: string): string | undefined => {
    const value = lookUp(name, frame)[0]?.[0];
    return value !== undefined && isKnown(value) ? value : undefined;
  };
  const entry = settingsIn(text).find((it) => it.toLowerCase().startsWith(`${key}=`));
  return entry?.slice(key.length + 1);
}

function configFiles(frame: Frame): readonly string[] {
  const { HOME: home, GIT_CONFIG_GLOBAL: global, XDG_CONFIG_HOME } = frame.reader.context.env;
  const files = frame.state.directories.flatMap((it) =>
    it === undefined ? [] : localFiles(it, frame.reader),
  );
  if (global) files.push(global);
  else if (home) files.push(`${home}/.gitconfig`);
  const xdg = XDG_CONFIG_HOME ?? (home && `${home}/.config`);
  if (xdg) files.push(`${xdg}/git/config`);
  files.push('/etc/gitconfig');
  return files;
}

export function localFiles(directory: string, reader: Reader): string[] {
  const root = reader.context.toplevel(directory);
  if (root === undefined) return [];
  // In a linked worktree `.git` is a file that names its folder, two below the common one.
  const link = reader.context.readFile(`${root}/.git`);
  if (!link?.startsWith('gitdir:')) return [`${root}/.git/config`];
  const own = resolve(root, link.slice('gitdir:'.length).trim());
  return [`${dirname(dirname(own))}/config`, `${own}/config`];
}

const MOST_INCLUDES = 3;

function fromFile(path: string, key: string, reader: Reader, depth: number): string | undefined {
  const text = reader.context.readFile(path);
  if (text === undefined || depth > MOST_INCLUDES) return undefined;
  let section = '';
  let found: string | undefined;
  for (const line of text.replace(/\\\r?\n/g, '').split('\n')) {
    const header = /^\s*\[\s*([\w.-]+)(?:\s+"([^"]*)")?\s*\]/.exec(line);
    const body = header ? line.slice(header[0].length) : line;
    if (header) section = [header[1], header[2]].filter(Boolean).join('.').toLowerCase();
    const [, name = '', value = ''] = /^\s*([\w-]+)\s*=\s*(.*)$/.exec(body) ?? [];
    const full = `${section}.${name.toLowerCase()}`;
    if (full === key) found = configValue(value);
    else if (full === 'include.path') {
      found = fromFile(resolve(dirname(path), configValue(value)), key, reader, depth + 1) ?? found;
    }
  }
  return found;
}

function configValue(source: string): string {
  const parts = source.match(/"(?:\\.|[^"\\])*"?|\\.|[#;].*|[^"\\#;]+/g) ?? [];
  const kept = parts.filter((it) => !/^[#;]/.test(it)).map((it) => it.replace(/^"|"$/g, ''));
  const unescaped = (_: string, char: string): string => ({ n: '\n', t: '\t' })[char] ?? char;
  return kept.join('').replace(/\\(.)/g, unescaped).trim();
}
