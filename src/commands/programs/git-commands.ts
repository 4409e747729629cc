/** Commands that git runs: aliases, settings, and some subcommands. Configuration is read without starting git. */
import { dirname, join, relative, resolve } from 'node:path';
import {
  afterProgram,
  commandOptions,
  configUse,
  GIT_OPTIONS,
  GIT_SUBCOMMANDS,
  isCommandSetting,
  subcommandUse,
} from '../../base/git/command-line.ts';
import { PREVIOUS_HOOK_SUFFIX } from '../../base/text/git-hook.ts';
import { isOption, useOf, words } from '../../base/text/options.ts';
import { byName } from '../by-name.ts';
import { noteHookSettings, settingsIn } from '../guard/layers.ts';
import { noteRemoteRefs } from '../guard/remote-refs.ts';
import { type Argv, type Frame, type Handler, inside, type Reader } from '../reader.ts';
import { lookUp } from '../shell/parameter.ts';
import { fileTexts } from '../shell/redirect.ts';
import { distinct, isKnown, UNKNOWN, wordText } from '../shell/unknown.ts';
import { directoriesOf } from '../tools/match-rules.ts';
import { outputOf } from './outputs.ts';
import { runScriptFile } from './shells.ts';

export const runGit: Handler = (argv, frame) => {
  const { subcommand, words: rest, options } = afterProgram(argv);
  if (subcommand === undefined || !isKnown(subcommand)) return undefined;
  const use = useOf(options);
  const state = frame.state.copy(directoriesOf(GIT_OPTIONS, use, frame.state.directories));
  const inner = { ...frame, state };
  const fromVariables = use.values('--config-env').map((it) => {
    const [key = '', name = ''] = it.split('=');
    return `${key}=${lookUp(name, frame)[0]?.[0]}`;
  });
  const config = [...settingsIn(knownIn(frame)), ...use.values('-c'), ...fromVariables];
  runSettings([...writtenSettings(config, inner), ...config], inner);
  runVariables(inner);
  const given = use.values('-c').map((it) => `'${it}'`);
  if (given.length > 0) state.variables.set('GIT_CONFIG_PARAMETERS', [[given.join(' ')]]);
  if (words(GIT_SUBCOMMANDS).has(subcommand)) {
    runSubcommand(subcommand, rest, inner);
    runHooks(subcommand, config, inner);
    const places = subcommand === 'rev-parse' ? placesOf(rest, config, inner) : undefined;
    return places ?? outputOf('git', argv, frame);
  }
  const alias = settingOf(`alias.${subcommand.toLowerCase()}`, config, inner);
  if (alias === undefined) {
    const why = 'another configuration or path may say what this subcommand runs';
    const isElsewhere = use.has('--exec-path') || mayBeOther(config, inner);
    if (isElsewhere) frame.reader.opaque(why, argv, frame, 'may-release');
    return undefined;
  }
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

const COMMAND_VARIABLES =
  'GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_PAGER GIT_SSH_COMMAND GIT_SSH GIT_PROXY_COMMAND GIT_EXTERNAL_DIFF ' +
  'GIT_ASKPASS EDITOR VISUAL PAGER';

/** Reads the values that are commands: of settings as `key=value`, and of variables. */
function runSettings(config: readonly string[], frame: Frame): void {
  for (const entry of config) {
    const equals = entry.indexOf('=');
    const value = entry.slice(equals + 1);
    if (isCommandSetting(entry.slice(0, equals))) runValue(value.replace(/^!/, ''), frame);
    runAddress(value, frame);
  }
}

function runVariables(frame: Frame): void {
  for (const name of words(COMMAND_VARIABLES)) {
    const value = frame.state.variables.get(name)?.[0]?.[0];
    if (value) runValue(value, frame);
  }
}

/** An editor may write a line of a rebase that runs a command: `sed -i '1a exec git push'`. */
function runValue(value: string, frame: Frame): void {
  const [, line = ''] = /(?:exec|x)[\s\\]+(.+)/s.exec(value) ?? [];
  for (const text of [value, line.replace(/["'\\]/g, '')])
    if (text !== '') frame.reader.script(text, asSetting(frame));
}

const asSetting = (frame: Frame): Frame =>
  inside(frame, 'git setting', { secondReading: true, state: frame.state.copy() });

/** Git starts the command of an `ext::command` address itself; `% ` is a blank within a word. */
function runAddress(address: string, frame: Frame): void {
  if (!address.startsWith('ext::')) return;
  const argv = address.slice('ext::'.length).split(/(?<!%) +/);
  const plain = argv.map((it) => it.replace(/%([ %])/g, '$1'));
  frame.reader.command(plain, inside(frame, 'git ext::', { state: frame.state.copy() }));
}

function runSubcommand(name: string, rest: Argv, frame: Frame): void {
  const use = subcommandUse(name, rest);
  noteRemoteRefs(name, use, frame);
  for (const operand of use.operands) runAddress(operand, frame);
  for (const { name: option, value } of commandOptions(name, use))
    if (value) frame.reader.script(value, inside(frame, `git ${name} ${option}`));
  if (name === 'clone') runSettings(use.values('-c', '--config'), frame);
  if (name === 'submodule') runForeach(rest, frame);
  else if (name === 'config') {
    const { operands } = use;
    // `git config alias.x '…'` and `git config set alias.x '…'`, in whichever file.
    const [key, value] = operands[0] === 'set' ? operands.slice(1) : operands;
    if (key && value !== undefined && configUse(use).kind === 'set') {
      frame.reader.gitConfig.set(key.toLowerCase(), value);
      runSettings([`${key}=${value}`], frame);
    }
    noteHookSettings(use, frame);
  } else if (name === 'bisect' && rest[0] === 'run') {
    frame.reader.command(rest.slice(1), inside(frame, 'git bisect run'));
  }
}

function runForeach(rest: Argv, frame: Frame): void {
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
  // These only write the index.
  'add apply mv read-tree restore rm status update-index': '',
});

/** The folders of a repository that `git rev-parse` prints, absolute; git may print relative ones. */
function placesOf(words: Argv, config: readonly string[], frame: Frame) {
  const [option = '', name = ''] = words.filter((it) => !it.startsWith('--path-format='));
  if (!REV_PARSE_PLACES.test(option)) return undefined;
  const { directories } = frame.state;
  const places = directories.map((directory) => {
    const root = directory && frame.reader.context.toplevel(directory);
    if (directory === undefined || root === undefined) return UNKNOWN;
    if (option === '--show-toplevel') return root;
    const folders = localFiles(directory, frame.reader).map((it) => dirname(it));
    const [hooks = ''] = hookFolders(root, config, frame);
    if (option === '--git-path' && name.startsWith('hooks'))
      return hooks + name.slice('hooks'.length);
    const folder = option === '--git-common-dir' ? folders[0] : folders.at(-1);
    return join(folder ?? '', option === '--git-path' ? name : '');
  });
  return distinct(places.map((it) => `${it}\n`));
}

const REV_PARSE_PLACES = /^--(?:show-toplevel|(?:absolute-)?git-dir|git-common-dir|git-path)$/;

function hookFolders(root: string, config: readonly string[], frame: Frame): readonly string[] {
  const { context } = frame.reader;
  const set = settingOf('core.hookspath', config, frame);
  if (set !== undefined) return [resolve(root, set.replace(/^~(?=\/)/, context.env.HOME ?? '~'))];
  return localFiles(root, frame.reader).map((it) => `${dirname(it)}/hooks`);
}

/**
 * Reads the hooks that a subcommand starts. They are read at the end: the same command may write
 * them, and what it commits comes before what a hook pushes. Only what they release counts.
 */
function runHooks(subcommand: string, config: readonly string[], frame: Frame): void {
  const names = HOOKS.get(subcommand);
  const [directory] = frame.state.directories;
  const root = directory && frame.reader.context.toplevel(directory);
  if (names === undefined || root === undefined) return;
  const within = { ...frame, state: frame.state.copy([root]), secondReading: true };
  frame.reader.later(() => {
    for (const folder of hookFolders(root, config, frame))
      for (const name of ['reference-transaction', 'post-index-change', ...words(names)])
        runScriptFile(relative(root, join(folder, name)), [], within);
  });
}

/**
 * A setting of git, by its name in small letters: from the command line and the environment, an earlier `git config`
 * in the command, or the files.
 */
function settingOf(key: string, config: readonly string[], frame: Frame): string | undefined {
  const given = config.findLast((it) => it.toLowerCase().startsWith(`${key}=`));
  if (given !== undefined) return given.slice(key.length + 1);
  const set = frame.reader.gitConfig.get(key);
  if (set !== undefined) return set;
  for (const path of [...includedFiles(config, frame), ...configFiles(frame)]) {
    const found = entriesOf(path, frame).findLast((it) => it.startsWith(`${key}=`));
    if (found !== undefined) return found.slice(key.length + 1);
  }
  return undefined;
}

/** Settings in files that the same command writes or includes. */
function writtenSettings(config: readonly string[], frame: Frame): readonly string[] {
  const { written: isWritten, gitConfig } = frame.reader;
  const written = gitConfig.has(UNKNOWN) ? configFiles(frame).filter(isWritten) : [];
  return [...includedFiles(config, frame), ...written].flatMap((it) => entriesOf(it, frame));
}

const knownIn = (frame: Frame) => (name: string) => {
  const value = lookUp(name, frame)[0]?.[0];
  return value !== undefined && isKnown(value) ? value : undefined;
};

function includedFiles(config: readonly string[], frame: Frame): readonly string[] {
  const earlier = [...frame.reader.gitConfig].map(([key, value]) => `${key}=${value}`);
  return [...config, ...earlier].flatMap((it) => {
    const [, path] = /^include(?:if\..*)?\.path=(.*)$/is.exec(it) ?? [];
    return path === undefined ? [] : [path.replace(/^~(?=\/)/, knownIn(frame)('HOME') ?? '~')];
  });
}

/**
 * Variables that select another configuration, with its file below the folder that the variable
 * names. `undefined`: the variable may select another git program.
 */
const CONFIGURATIONS: Readonly<Record<string, string | undefined>> = {
  HOME: '/.gitconfig',
  XDG_CONFIG_HOME: '/git/config',
  GIT_CONFIG_GLOBAL: '',
  GIT_CONFIG_SYSTEM: '',
  PATH: undefined,
  GIT_EXEC_PATH: undefined,
};

/** True if a configuration other than the files read, or another program, may define an unknown subcommand. */
function mayBeOther(config: readonly string[], frame: Frame): boolean {
  const { context, gitConfig } = frame.reader;
  const isRead = (file: string): boolean =>
    file === '/dev/null' || (fileTexts(file, frame)?.every(isKnown) ?? false);
  const isUnread = Object.entries(CONFIGURATIONS).some(([name, file]) => {
    const value = frame.state.variables.get(name)?.[0]?.[0];
    if (value === undefined || value === context.env[name]) return false;
    return file === undefined || !isRead(`${value}${file}`);
  });
  return (
    isUnread ||
    [...gitConfig.keys()].some((it) => !isKnown(it)) ||
    !includedFiles(config, frame).every(isRead)
  );
}

function configFiles(frame: Frame): readonly string[] {
  const text = knownIn(frame);
  const [home, global, config] = [text('HOME'), text('GIT_CONFIG_GLOBAL'), text('XDG_CONFIG_HOME')];
  const files = frame.state.directories.flatMap((it) =>
    it === undefined ? [] : localFiles(it, frame.reader),
  );
  if (global) files.push(global);
  else if (home) files.push(`${home}/.gitconfig`);
  const xdg = config ?? (home && `${home}/.config`);
  if (xdg) files.push(`${xdg}/git/config`);
  files.push(text('GIT_CONFIG_SYSTEM') ?? '/etc/gitconfig');
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

/** The settings of a configuration file as `key=value`, the keys in small letters. */
function entriesOf(path: string, frame: Frame, depth = 0): readonly string[] {
  const text = fileTexts(path, frame)?.join('\n');
  if (text === undefined || depth > MOST_INCLUDES) return [];
  let section = '';
  return text
    .replace(/\\\r?\n/g, '')
    .split('\n')
    .flatMap((line) => {
      const header = /^\s*\[\s*([\w.-]+)(?:\s+"([^"]*)")?\s*\]/.exec(line);
      if (header) section = [header[1], header[2]].filter(Boolean).join('.').toLowerCase();
      const body = header ? line.slice(header[0].length) : line;
      const [, name, source = ''] = /^\s*([\w-]+)\s*=\s*(.*)$/.exec(body) ?? [];
      if (name === undefined) return [];
      const value = configValue(source);
      const key = `${section}.${name.toLowerCase()}`;
      const included = () => entriesOf(resolve(dirname(path), value), frame, depth + 1);
      return key === 'include.path' ? included() : [`${key}=${value}`];
    });
}

function configValue(source: string): string {
  const parts = source.match(/"(?:\\.|[^"\\])*"?|\\.|[#;].*|[^"\\#;]+/g) ?? [];
  const kept = parts.filter((it) => !/^[#;]/.test(it)).map((it) => it.replace(/^"|"$/g, ''));
  const unescaped = (_: string, char: string): string => ({ n: '\n', t: '\t' })[char] ?? char;
  return kept.join('').replace(/\\(.)/g, unescaped).trim();
}
