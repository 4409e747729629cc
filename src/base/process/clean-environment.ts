/**
 * The environment of commands that prove something: the user's, without variables that would
 * replace the named program, or change what it does.
 */
import { tmpdir } from 'node:os';
import { delimiter, isAbsolute, resolve } from 'node:path';
import { isInside } from '../files/inside.ts';

const OPTIONS = (one: string): RegExp => new RegExp(`^(?:\\s*(?:${one})(?=\\s|$))*\\s*$`);

/** `harmless`: a value that does not change what runs. */
const REPLACING: readonly { readonly name: RegExp; readonly harmless?: RegExp }[] = [
  // Shells read these files first, or take these functions in place of programs.
  { name: /^(?:BASH_ENV|ENV|ZDOTDIR|PROMPT_COMMAND|PS4|SHELLOPTS|BASHOPTS|CDPATH|BASH_FUNC_.*)$/ },
  { name: /^(?:LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES|DYLD_FORCE_FLAT_NAMESPACE)$/ },
  {
    name: /^NODE_OPTIONS$/,
    harmless: OPTIONS(
      '--max-(?:old|semi)-space-size=\\d+|--experimental-vm-modules|--openssl-legacy-provider|--no-(?:warnings|deprecation)|--enable-source-maps|--dns-result-order=\\w+',
    ),
  },
  // With this variable `node --test` runs nothing.
  { name: /^NODE_TEST_CONTEXT$/ },
  { name: /^npm_config_(?:script_shell|shell|node_options|if_present|workspaces?|dry_run)$/i },
  {
    name: /^(?:PYTHONSTARTUP|PYTHONHOME|PYTHONINSPECT|PYTHONBREAKPOINT|PYTEST_ADDOPTS|PYTEST_PLUGINS)$/,
  },
  { name: /^(?:RUBYOPT|SPEC_OPTS|TESTOPTS|PERL5OPT|PERL5DB|HARNESS_PERL_SWITCHES)$/ },
  { name: /^(?:PHPRC|PHP_INI_SCAN_DIR|DOTNET_STARTUP_HOOKS|MAVEN_ARGS)$/ },
  {
    name: /^(?:JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|MAVEN_OPTS|GRADLE_OPTS)$/,
    harmless: OPTIONS('-D(?!skip|maven\\.test|test)\\S*|-X(?!bootclasspath)\\S*'),
  },
  { name: /^GOFLAGS$/, harmless: OPTIONS('-(?:mod|buildvcs|p)=\\w+|-trimpath|-v') },
  { name: /^(?:RUSTC|RUSTC_(?:WORKSPACE_)?WRAPPER|CARGO_BUILD_RUSTC\w*|CARGO_TARGET_\w+_RUNNER)$/ },
  { name: /^(?:MAKEFLAGS|MFLAGS|GNUMAKEFLAGS|MAKEFILES)$/ },
  // How the board of a team is reached: no test has to know.
  { name: /^LANEHOLD_TEAM_/ },
  // A git hook sets these to its own repository.
  { name: /^GIT_(?:DIR|WORK_TREE|INDEX_FILE|PREFIX|COMMON_DIR|OBJECT_DIRECTORY|NAMESPACE)$/ },
];

/** Lists of folders in which programs and modules are looked for. */
const FOLDER_LISTS = ['PATH', 'PYTHONPATH', 'NODE_PATH', 'RUBYLIB', 'PERL5LIB'];

export interface Surroundings {
  /** Root of the project whose tests run. */
  readonly root: string;
  /** The environments above the agent's command; `undefined` if no agent ran it, or if they are unknown. */
  readonly before: readonly NodeJS.ProcessEnv[] | undefined;
  /** The shell of package scripts that the project's own settings name. */
  readonly scriptShell: string | undefined;
}

/** @returns the environment, and the folders that were left out of a list, as `PATH: /tmp/stub`. */
export function cleanEnvironment(env: NodeJS.ProcessEnv, around: Surroundings) {
  const leftOut: string[] = [];
  const kept = Object.entries(env).flatMap(([name, value = '']): [string, string | undefined][] => {
    const row = REPLACING.find((it) => it.name.test(name));
    if (row !== undefined) return row.harmless?.test(value) ? [[name, value]] : [];
    if (!FOLDER_LISTS.includes(name) || around.before === undefined) return [[name, env[name]]];
    const known = new Set(around.before.flatMap((it) => it[name]?.split(delimiter) ?? []));
    const folders = value.split(delimiter);
    const trusted = folders.filter((it) => known.has(it) || !isStub(it, around.root));
    leftOut.push(...folders.filter((it) => !trusted.includes(it)).map((it) => `${name}: ${it}`));
    return trusted.length === 0 ? [] : [[name, trusted.join(delimiter)]];
  });
  return { env: { ...Object.fromEntries(kept), ...packageSettings(around) }, leftOut };
}

/**
 * Whether the command may have made the folder itself: in a temporary folder, or in the project. Version managers have
 * their folders elsewhere, and installed tools have known places in the project.
 */
function isStub(folder: string, root: string): boolean {
  if (!isAbsolute(folder)) return true;
  if (isAt(root, folder)) return !OF_TOOLS.test(`${folder}/`);
  return TEMPORARY.some((it) => isAt(it, folder));
}

const OF_TOOLS = /\/(?:node_modules\/\.bin|\.?venv\/bin|vendor\/bin|\.direnv\/.+\/bin)\/+$/;
const TEMPORARY = [...new Set([tmpdir(), '/tmp', '/var/tmp', '/dev/shm', '/private/tmp'])];

const isAt = (folder: string, path: string): boolean =>
  resolve(path) === folder || isInside(folder, path);

/**
 * Settings for npm. They come before those of any `.npmrc`, which may not be committed. Downloads
 * are off: a program that `npx` would fetch is not the project's.
 */
const packageSettings = ({ scriptShell }: Surroundings): NodeJS.ProcessEnv => ({
  npm_config_script_shell: scriptShell ?? '/bin/sh',
  // npm ignores empty values, but not a blank.
  npm_config_node_options: ' ',
  npm_config_yes: 'false',
});
