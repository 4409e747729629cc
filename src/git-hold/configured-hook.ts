/**
 * lanehold's `pre-push` hook in the user's git configuration, for git 2.54 and newer: one entry
 * covers every repository, and programs that write hooks of their own leave it alone.
 *
 * @see https://git-scm.com/docs/git-hook
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Runtime } from '../agents/kit/hook-shim.ts';
import { REGISTRY_FILE } from '../base/config/feature.ts';
import type { Home } from '../base/files/home.ts';
import { readText, writeTarget } from '../base/files/user-files.ts';
import type { Git } from '../base/git/git.ts';
import { LIKELY_DEFAULTS } from '../base/git/refs.ts';
import { CONFIGURED_HOOK, GIT_PRE_PUSH } from '../base/text/git-hook.ts';
import { shellQuoted } from '../base/text/shell-quote.ts';
import { runtimeIn, runtimeProblem } from './git-hook-state.ts';

const NAME = 'lanehold';
const SECTION = `hook.${NAME}`;
const COMMAND = `${SECTION}.command`;
const EVENT = `${SECTION}.event`;

/** The first version that takes hooks from its configuration. */
const FIRST_GIT = [2, 54] as const;

export async function takesHooksFromConfiguration(git: Git): Promise<boolean> {
  const [, major, minor] = /(\d+)\.(\d+)/.exec(await git.text(['version'])) ?? [];
  const [firstMajor, firstMinor] = FIRST_GIT;
  return (
    Number(major) > firstMajor || (Number(major) === firstMajor && Number(minor) >= firstMinor)
  );
}

const DEFAULT_BRANCHES = ['HEAD', ...LIKELY_DEFAULTS]
  .map((branch) => `'refs/remotes/**/${branch}'`)
  .join(' ');

const scriptFile = ({ root }: Home): string => join(root, CONFIGURED_HOOK);

/**
 * The hook starts at every push from every repository. So sh first checks whether anything can be held: in the working
 * tree and the folders around it, in what is sent and replaced, in the default branch, or on this machine. That takes
 * two short starts of git; Node starts only if there is something.
 */
function scriptText({ node, hook }: Runtime, home: Home): string {
  return `#!/bin/sh
# lanehold holds here what is pushed before its features are verified.
# git starts it by ${COMMAND} in your configuration; \`lanehold uninstall\` takes both away.
node=${shellQuoted(node)}
hook=${shellQuoted(hook)}
home=\${LANEHOLD_HOME:-${shellQuoted(home.root)}}
lines=$(cat)
[ "$lines" ] || exit 0

objects() {
  for word in $lines; do
    case $word in
      *[!0-9a-f]* | *0000000000000000000000000000000000000000) ;;
      *) echo "$word:${REGISTRY_FILE}" ;;
    esac
  done
  git for-each-ref --format='%(objectname):${REGISTRY_FILE}' ${DEFAULT_BRANCHES}
}
may_hold() {
  folder=$PWD
  while [ "$folder" ]; do
    [ -f "$folder/${REGISTRY_FILE}" ] && return 0
    folder=\${folder%/*}
  done
  if [ -s "$home/local-features" ]; then
    here=$(git rev-parse --path-format=absolute --git-common-dir) || return 0
    clone=
    [ -f "$here/lanehold/id" ] && IFS= read -r clone <"$here/lanehold/id"
    while IFS= read -r project; do
      [ "$project" = "\${clone:-/}" ] && return 0
      case $here/ in "\${project%/.git}"/*) return 0 ;; esac
    done <"$home/local-features"
  fi
  set -f
  found=$(objects | GIT_NO_LAZY_FETCH=1 git cat-file --batch-check) || return 0
  case $found in *' blob '*) return 0 ;; esac
  return 1
}
may_hold || exit 0

script=\${hook%/*/*}/dist/lanehold-hook.sh
if [ -f "$script" ]; then
  printf '%s\\n' "$lines" | /bin/sh "$script" "$node" "$hook" git ${GIT_PRE_PUSH} '' "$@"
  exit
fi
printf '%s\\n' "lanehold holds this push: its program ($hook) or Node is gone; repair it with \\\`npm install -g lanehold && lanehold install\\\`, or take it out of git with \\\`git config --global --remove-section ${SECTION}\\\`" >&2
exit 1
`;
}

/** The command that git starts. If the script is gone, a repository with features is held, and others are not. */
function commandFor(script: string): string {
  return (
    `f() { s=${shellQuoted(script)}; if [ -f "$s" ]; then exec sh "$s" "$@"; fi; ` +
    `git cat-file -e HEAD:${REGISTRY_FILE} 2>/dev/null || exit 0; ` +
    `echo "lanehold holds this push: $s is gone; run lanehold install, or git config --global --remove-section ${SECTION}" >&2; ` +
    'exit 1; }; f'
  );
}

export interface ConfiguredHookState {
  /** `broken`: it exists and does not work; `disabled`: a setting overrides it, or git is too old; `gone`: removed. */
  readonly state: 'installed' | 'broken' | 'disabled' | 'gone' | 'absent';
  /** Why it does not hold, as a clause. */
  readonly remark: string | undefined;
}

/** @param git in the repository whose pushes are meant: its own settings may override the user's. */
export async function configuredHookState(git: Git, home: Home): Promise<ConfiguredHookState> {
  const command = await git.maybe(['config', '-z', '--get', COMMAND]);
  if (command === undefined) return { state: 'absent', remark: undefined };
  const problem = scriptProblem(home);
  if (problem !== undefined) return { state: 'broken', remark: problem };
  if (command !== `${commandFor(scriptFile(home))}\0`) {
    return { state: 'broken', remark: `${COMMAND} starts something else` };
  }
  const listed = await git.attempt(['hook', 'list', 'pre-push']);
  if (listed.exitCode === 0 && listed.stdout.split('\n').includes(NAME)) {
    return { state: 'installed', remark: undefined };
  }
  const remark =
    listed.exitCode > 1
      ? `this git is older than ${FIRST_GIT.join('.')} and takes no hooks from its configuration`
      : `a setting of git switches it off: see \`git config --show-origin --get-regexp ^hook\``;
  return { state: 'disabled', remark };
}

function scriptProblem(home: Home): string | undefined {
  const file = scriptFile(home);
  const text = readText(file);
  if (text === undefined) return `${file} is gone`;
  const runtime = runtimeIn(text);
  if (text !== scriptText(runtime, home)) return `${file} is of another version, or was changed`;
  return runtimeProblem(runtime);
}

export interface ConfiguredHookInstalled {
  readonly state: 'new' | 'current' | 'upgrade';
  readonly file: string;
}

/** Callers hold the lock. @param git in any folder. */
export async function installConfiguredHook(
  git: Git,
  home: Home,
  runtime: Runtime,
): Promise<ConfiguredHookInstalled> {
  const isNew = (await configuredFile(git)) === undefined;
  const script = scriptFile(home);
  const text = scriptText(runtime, home);
  const isScriptCurrent = readText(script) === text;
  if (!isScriptCurrent) writeTarget(script, text, 0o700);
  const wanted = { [COMMAND]: commandFor(script), [EVENT]: 'pre-push' };
  let isCurrent = isScriptCurrent;
  for (const [key, value] of Object.entries(wanted)) {
    const present = await git.maybe(['config', '--global', '-z', '--get-all', key]);
    if (present === `${value}\0`) continue;
    await git.text(['config', '--global', '--replace-all', key, value]);
    isCurrent = false;
  }
  const file = (await configuredFile(git)) ?? '';
  return { state: isNew ? 'new' : isCurrent ? 'current' : 'upgrade', file };
}

/** The file of the user's own configuration that has the entry, or a part of it. */
export async function configuredFile(git: Git): Promise<string | undefined> {
  const pattern = `^${SECTION}\\.`;
  const args = [
    'config',
    '--global',
    '-z',
    '--show-origin',
    '--name-only',
    '--get-regexp',
    pattern,
  ];
  return (await git.maybe(args))?.split('\0', 1)[0]?.replace(/^file:/, '');
}

/** Callers hold the lock. */
export async function removeConfiguredHook(git: Git, home: Home): Promise<void> {
  if (await configuredFile(git))
    await git.text(['config', '--global', '--remove-section', SECTION]);
  rmSync(scriptFile(home), { force: true });
}
