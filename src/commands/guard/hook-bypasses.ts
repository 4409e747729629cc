/** Hook bypasses: what in a command would keep the git hook, or lanehold, from checking a boundary. */
import { configUse } from '../../base/git/command-line.ts';
import type { Use } from '../../base/text/options.ts';
import type { Boundary } from '../finding.ts';
import type { FoundBoundary, Frame } from '../reader.ts';
import { isKnown } from '../shell/unknown.ts';

/** Variables that, set for the command, switch hooks off or send git to other settings. */
const VARIABLES =
  'LANEHOLD_DISABLE LANEHOLD_HOME GIT_CONFIG GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM ' +
  'GIT_CONFIG_PARAMETERS GIT_DIR GIT_COMMON_DIR GIT_EXEC_PATH';

/** Variables of hook managers, which run no hooks if the value is 0. */
const OFF_AT_ZERO = ['HUSKY', 'LEFTHOOK'];

const HOOK_SETTING =
  /^(?:-c|--config-env=?)?(?:core\.hookspath|include(?:if\..*)?\.path|hook\.[^=]*\.\w+)(?:=|$)/i;

/** Variables by which another git may run, or git with other settings of the user. */
const PLACES = ['PATH', 'HOME', 'XDG_CONFIG_HOME', 'GIT_CONFIG_NOSYSTEM', 'GIT_CONFIG_COUNT'];

export function hookBypasses(
  { kind, argv, options = [] }: FoundBoundary,
  { state }: Frame,
): Pick<Boundary, 'bypasses' | 'otherGit'> {
  const text = (name: string) => state.variables.get(name)?.[0]?.[0];
  const bypasses = [
    ...(kind === 'push' && options.includes('--no-verify') ? ['--no-verify'] : []),
    ...(kind === 'push' ? argv.flatMap(hookSetting) : []),
    ...VARIABLES.split(' ').filter((name) => text(name) && !isOffSwitch(name, text(name))),
    ...OFF_AT_ZERO.filter((name) => text(name) === '0').map((name) => `${name}=0`),
    ...(setsHooksByVariables(text) ? ['GIT_CONFIG_COUNT'] : []),
  ];
  const otherGit = PLACES.some((name) => text(name));
  return {
    ...(bypasses.length === 0 ? {} : { bypasses: [...new Set(bypasses)] }),
    ...(otherGit ? { otherGit } : {}),
  };
}

function hookSetting(word: string): readonly string[] {
  return HOOK_SETTING.test(word) ? [word.split('=', 1)[0] ?? ''] : [];
}

const isOffSwitch = (name: string, value: string | undefined): boolean =>
  name === 'LANEHOLD_DISABLE' && value === '0';

const MOST_KEYS = 32;

/**
 * True if one of the keys concerns hooks. Others are common: `GIT_CONFIG_KEY_0=http.extraHeader` is
 * how CI signs in.
 */
function setsHooksByVariables(text: (name: string) => string | undefined): boolean {
  const count = text('GIT_CONFIG_COUNT');
  if (count === undefined) return false;
  for (let at = 0; at < Math.min(Number(count) || MOST_KEYS, MOST_KEYS); at += 1) {
    const key = text(`GIT_CONFIG_KEY_${at}`);
    if (key !== undefined && (!isKnown(key) || HOOK_SETTING.test(key))) return true;
  }
  return false;
}

/** `git config` where it changes the folder from which git takes its hooks, or the hook that it names. */
export function noteHookSettings(use: Use, frame: Frame): void {
  const { kind, key = '' } = configUse(use);
  if (kind === 'read') return;
  const reach = use.has('--global', '--system') ? 'machine' : 'repository';
  const argv = ['git', 'config', ...use.argv];
  if (isOwnHook(key)) {
    const what = 'change or remove the hook of git’s configuration that holds pushes';
    frame.reader.tampering(what, isKnown(key) ? key : 'hook.*', argv, frame, reach);
    return;
  }
  const about = key.toLowerCase();
  const isAbout = kind === 'section' ? about === 'core' : about === 'core.hookspath';
  if (!isKnown(key) || !isAbout) return;
  const verb = kind === 'set' ? 'change the folder' : 'remove the setting of the folder';
  const what = `${verb} from which git takes its hooks`;
  frame.reader.tampering(what, 'core.hooksPath', argv, frame, reach);
}

/** The hook's own keys, those of its event, and keys of any hook that only running would tell. */
const isOwnHook = (key: string): boolean =>
  isKnown(key) ? /^hook(?:$|\.(?:lanehold|pre-push)(?:$|\.))/i.test(key) : /^hook\./i.test(key);
