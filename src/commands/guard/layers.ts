/**
 * Recognises what switches a layer off (the hook of git, or that of an agent): a variable, a setting of git, or text
 * for one of its files. Commands, edits and tools of MCP servers are all judged here.
 */
import { resolve } from 'node:path';
import { configUse } from '../../base/git/command-line.ts';
import { type Use, words } from '../../base/text/options.ts';
import { printableLine } from '../../base/text/printable.ts';
import type { Boundary, ReadingContext } from '../finding.ts';
import type { Argv, FoundBoundary, Frame } from '../reader.ts';
import { isKnown } from '../shell/unknown.ts';

/** The question that a person is asked before holds are lifted. The agent's adapter adds how to answer it. */
export function tamperingText(
  { what, where }: { readonly what: string; readonly where: string },
  subject: 'command' | 'edit' | 'call',
): string {
  return (
    `lanehold asks: this ${subject} would ${what} (${printableLine(where, 120)}). ` +
    'Only a person may do that.'
  );
}

export const HOOK_SETTING = 'change which hooks git starts';

/** True for keys that name lanehold's hook or its event, and for a hook's key that only a run would tell. */
const isHookKey = (key: string): boolean =>
  isKnown(key)
    ? /^(?:core\.hookspath|hook\.(?:lanehold|pre-push)(?:\.\w+)?)$/i.test(key)
    : /^hook\./i.test(key);

/** The setting of git, if `key=value` is one that decides which hooks it starts. */
export function hookSetting(entry: string, folder?: string, context?: ReadingContext) {
  const [key = ''] = entry.split('=', 1);
  if (isHookKey(key)) return isKnown(key) ? key : 'hook.*';
  if (!/^include(?:if\..*)?\.path$/i.test(key)) return undefined;
  const path = entry.slice(key.length + 1).replace(/^~(?=\/)/, context?.env.HOME ?? '~');
  const text = folder === undefined ? undefined : context?.readFile(resolve(folder, path));
  return text === undefined || isAboutHooks(text) ? key : undefined;
}

/** Text for a configuration of git that may change which hooks it starts. */
export const isAboutHooks = (text: string): boolean =>
  /hooks?path|\bhook\b|lanehold|\[\s*include/i.test(text);

/** Text for a start-up file of a shell that switches lanehold off for later. */
export const isSwitchForLater = (file: string, text: string): boolean =>
  START_UP_FILE.test(file) && /LANEHOLD_(?:DISABLE|HOME)/.test(text);

const START_UP_FILE =
  /(?:^|\/)(?:\.(?:bashrc|bash_profile|bash_login|profile|zshrc|zshenv|zprofile|zlogin|envrc)|config\.fish)$/;

/** A configuration that git reads: of a repository, the user or the machine, not any file of that name. */
export function isGitConfig(path: string, env: NodeJS.ProcessEnv): boolean {
  const { HOME = '', XDG_CONFIG_HOME, GIT_CONFIG_GLOBAL } = env;
  const users = [`${HOME}/.gitconfig`, `${XDG_CONFIG_HOME || `${HOME}/.config`}/git/config`];
  return (
    [...users, GIT_CONFIG_GLOBAL, '/etc/gitconfig'].includes(path) ||
    /\/\.git\/(?:(?:modules|worktrees)\/.+\/)?config(?:\.worktree)?$/.test(path)
  );
}

type Text = (name: string) => string | undefined;

/** Git settings that variables pass to every git, as `key=value`. An unknown one counts as a setting of hooks. */
export function settingsIn(text: Text): readonly string[] {
  const count = text('GIT_CONFIG_COUNT');
  const most = count === undefined ? 0 : Math.min(Number(count) || MOST_KEYS, MOST_KEYS);
  const keys = Array.from({ length: most }, (_, at) => [
    text(`GIT_CONFIG_KEY_${at}`),
    text(`GIT_CONFIG_VALUE_${at}`),
  ]);
  const given = text('GIT_CONFIG_PARAMETERS') ?? '';
  const quoted = [...given.matchAll(/'([^'=]*)(?:'='|=)?([^']*)'/g)].map(([, ...it]) => it);
  const all = isKnown(given) ? [...quoted, ...keys] : [['core.hooksPath']];
  return all.map(([key = '', value]) => (isKnown(key) ? `${key}=${value}` : 'core.hooksPath'));
}

const MOST_KEYS = 32;

/** The set variables that switch a layer off for every program that is started with them. */
function switchesIn(text: Text): readonly string[] {
  const isOff = !['', '0'].includes(text('LANEHOLD_DISABLE') ?? '');
  const isSet = settingsIn(text).some((it) => hookSetting(it) !== undefined);
  return [...(isOff ? ['LANEHOLD_DISABLE'] : []), ...(isSet ? ['GIT_CONFIG_*'] : [])];
}

/** Variables that weaken the check of a release: other settings, another repository, no hooks of a hook manager. */
const BESIDE_RELEASE =
  'LANEHOLD_HOME GIT_CONFIG GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_DIR GIT_COMMON_DIR GIT_EXEC_PATH ' +
  'HUSKY=0 HUSKY_SKIP_HOOKS=1 LEFTHOOK=0 LEFTHOOK=false OVERCOMMIT_DISABLE=1';

/** Variables by which another git may run, or git with other settings of the user. */
const PLACES = ['PATH', 'HOME', 'XDG_CONFIG_HOME', 'GIT_CONFIG_NOSYSTEM', 'GIT_CONFIG_COUNT'];

const setIn =
  ({ state }: Frame): Text =>
  (name) =>
    state.variables.get(name)?.[0]?.[0];

/** Options, settings and variables of a command that would keep the git hook, or lanehold, from its check. */
export function hookBypasses(
  { kind, argv, options = [] }: FoundBoundary,
  frame: Frame,
): Pick<Boundary, 'tricks' | 'otherGit'> {
  const text = setIn(frame);
  const given = argv.map((it) => it.replace(/^(?:-c|--config-env=?)/, ''));
  const beside = [...words(BESIDE_RELEASE)].filter((it) => {
    const [name = '', value = text(name)] = it.split('=');
    return value && text(name) === value;
  });
  const own = [
    ...(options.includes('--no-verify') ? ['--no-verify'] : []),
    ...given.flatMap((it) => hookSetting(it) ?? []),
  ];
  const tricks = [...(kind === 'push' ? own : []), ...switchesIn(text), ...beside];
  return {
    ...(tricks.length === 0 ? {} : { tricks: [...new Set(tricks)] }),
    ...(PLACES.some(text) ? { otherGit: true } : {}),
  };
}

/** Reports a program that is started with such a variable, or a shell that exports one. */
export function noteSwitches(argv: Argv, frame: Frame): void {
  const [where] = switchesIn(setIn(frame));
  if (where === undefined) return;
  const what = 'switch off what holds, for all that it starts';
  // It is reported last, so that a boundary in the same command comes first.
  frame.reader.later(() => frame.reader.tampering(what, where, argv, frame, 'repository'));
}

/** Reports a `git config` that changes the folder from which git takes its hooks, or the hook that it names. */
export function noteHookSettings(use: Use, frame: Frame): void {
  const { kind, key = '' } = configUse(use);
  const { context } = frame.reader;
  const file = use.value('-f', '--file');
  const [folder] = frame.state.directories;
  if (kind === 'read' || (file && folder && !isGitConfig(resolve(folder, file), context.env)))
    return;
  const value = kind === 'set' ? use.operands[use.operands.indexOf(key) + 1] : undefined;
  const root = folder && context.toplevel(folder);
  const where =
    kind === 'section' && /^(?:core|hook)$/i.test(key)
      ? `${key}.*`
      : hookSetting(`${key}=${value ?? ''}`, root && `${root}/.git`, context);
  if (where === undefined) return;
  const reach = use.has('--global', '--system') ? 'machine' : 'repository';
  frame.reader.tampering(HOOK_SETTING, where, ['git', 'config', ...use.argv], frame, reach);
}
