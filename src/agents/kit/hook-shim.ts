/**
 * The command of an entry in an agent's settings: it starts the script in LANEHOLD_HOME
 * (`hooks/lanehold-hook.sh`), or the package's own if that is gone. If both are gone, the entry
 * itself refuses a possible release, so that deleting files lifts no hold.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packageRoot } from '../../base/files/package.ts';
import { shellQuoted } from '../../base/text/shell-quote.ts';
import type { AgentAdapter } from '../types.ts';

export interface Runtime {
  /** Absolute path of the Node that ran the installation; the one on PATH of an agent may differ. */
  readonly node: string;
  /** Absolute path of the bundled hook program. */
  readonly hook: string;
}

/** What entries in settings start. */
export interface HookStart extends Runtime {
  /** Absolute path of the script between the agent and the hook program. */
  readonly script: string;
}

export interface HookEntry {
  /** Arguments of the hook program, the event first; empty if the agent's plugin adds them. */
  readonly given: readonly string[];
  /** The adapter that renders a refusal; without it the entry lets everything run if the program is gone. */
  readonly adapter?: Pick<AgentAdapter, 'render'>;
}

/** The word by which an entry in a settings file is recognised as lanehold's. */
export const MARKER = 'lanehold';

const SHELL = '/bin/sh';

/**
 * Arguments for `/bin/sh`. The variables have names that no other program uses. It starts bash as
 * the script would, which saves a start of sh at each event.
 */
export function shimArguments(start: HookStart, settings: string, entry: HookEntry): string[] {
  const otherwise = lastResort(start, settings, entry);
  return launchArguments(start, otherwise, [MARKER, settings, ...entry.given]);
}

/** @param otherwise the shell text that handles the words after the mark if there is no script. */
export function launchArguments(
  { node, hook, script }: HookStart,
  otherwise: string,
  [mark = MARKER, ...words]: readonly string[],
): string[] {
  const launch =
    'unset -f [ printf; lanehold_node=$1 lanehold_hook=$2 lanehold_script=$3; shift 3; ' +
    `[ -f "$lanehold_script" ] || lanehold_script=${ownScript(hook)}; ` +
    '[ -f "$lanehold_script" ] && { set -- "$lanehold_script" "$lanehold_node" "$lanehold_hook" "$@"; ' +
    '[ -x /bin/bash ] && exec /bin/bash -p "$@" 9>&2 2>/dev/null; exec /bin/sh "$@"; }; ';
  return ['-c', launch + otherwise, mark, node, hook, script, ...words];
}

/**
 * The start as one line for `sh -c` or `bash -c`. It has no `//`, which some agents take for a
 * comment even in quotes, unless one of the paths has it.
 */
export function shimCommandLine(start: HookStart, settings: string, entry: HookEntry): string {
  return lineOf(shimArguments(start, settings, entry));
}

/** The line that starts `/bin/sh` with these arguments. */
export function lineOf([option = '', ...words]: readonly string[]): string {
  return [SHELL, option, ...words.map(shellQuoted)].join(' ');
}

/** The line without a `$`, for agents that expand one in a line themselves. */
export function scriptCommandLine(start: HookStart, settings: string, entry: HookEntry): string {
  const { node, hook, script } = start;
  const words = [node, hook, settings, ...entry.given, MARKER].map(shellQuoted).join(' ');
  const installed = shellQuoted(script);
  return (
    `[ -f ${installed} ] && [ -x /bin/bash ] && exec /bin/bash -p ${installed} ${words} 9>&2 2>/dev/null; ` +
    [installed, ownScript(hook)]
      .map((it) => `[ -f ${it} ] && exec ${SHELL} ${it} ${words}; `)
      .join('') +
    lastResort(start, settings, entry)
  );
}

/** The path of the package's script as a word of sh. It is not computed in the entry: some clients replace a `${`. */
const ownScript = (hook: string): string =>
  shellQuoted(join(dirname(dirname(hook)), 'dist/lanehold-hook.sh'));

/** What an entry does if nothing can be started, before tools only. */
function lastResort(start: HookStart, settings: string, { given, adapter }: HookEntry): string {
  const [event] = given;
  if (adapter === undefined || (event !== undefined && event !== BEFORE_TOOL)) return 'exit 0';
  const reason = `held: this cannot be checked, because lanehold (${start.hook}) is gone. Repair it with Node 22.12 or newer: npm install -g lanehold && lanehold install; or take its hooks out of ${settings}`;
  const { stdout, stderr, exitCode } = adapter.render(BEFORE_TOOL, { decision: 'deny', reason });
  const refusal = stderr === '' ? printed(stdout) : `${printed(stderr)} >&2`;
  const silence = adapter.render(BEFORE_TOOL, { decision: 'none' }).stdout;
  return (
    (event === undefined ? `[ "$2" = ${BEFORE_TOOL} ] || exit 0; ` : '') +
    `${runsNoRelease()} || { ${refusal}; exit ${exitCode}; }; ` +
    (silence === '' ? '' : `${printed(silence)}; `) +
    'exit 0'
  );
}

const BEFORE_TOOL = 'before-tool';

const printed = (text: string): string => `printf %s ${shellQuoted(text)}`;

/** A line of sh that reads a tool call and fails if it may release something. */
export function runsNoRelease(): string {
  const text = readFileSync(join(packageRoot(), 'hooks/runs-no-release.sh'), 'utf8');
  return text.replaceAll(/^#.*\n/gm, '').trim();
}

export interface Shim extends HookStart {
  readonly settings: string;
  readonly given: readonly string[];
}

/** Reads a line; `undefined` if it is not lanehold's. */
export function shimInLine(line: string): Shim | undefined {
  if (line.startsWith(`${SHELL} -c '`)) {
    const [, , marker, node = '', hook = '', script = '', settings = '', ...given] = wordsIn(
      line.slice(SHELL.length),
    );
    if (marker !== MARKER || !given.includes('--agent')) return undefined;
    return { node, hook, script, settings, given };
  }
  const [, words = ''] = START.exec(line) ?? [];
  const [script = '', node = '', hook = '', settings = '', ...rest] = wordsIn(words);
  if (rest.at(-1) !== MARKER || !rest.includes('--agent')) return undefined;
  return { node, hook, script, settings, given: rest.slice(0, -1) };
}

/** A blank and a word with single quotes. */
const WORD = String.raw` (?:'[^']*'|\\'|[^\s'\\;])+`;
const WORDS = new RegExp(WORD, 'g');
const START = new RegExp(`exec ${SHELL}((?:${WORD})+)`);

const wordsIn = (text: string): readonly string[] =>
  (text.match(WORDS) ?? []).map((it) => it.trim().replaceAll(/'([^']*)'|\\(')/g, '$1$2'));

/** The agent for which the shim starts the hook program. */
export function shimAgent({ given }: Shim): string | undefined {
  return given[given.indexOf('--agent') + 1];
}
