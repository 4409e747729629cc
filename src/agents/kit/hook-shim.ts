/**
 * What an entry in the settings of an agent starts: the script in LANEHOLD_HOME (`hook-script.ts`). If
 * that one is gone, the hook program itself, with the Node of PATH where its own is gone. If nothing can be
 * started, the entry itself refuses what may release something, so that deleting files lifts no hold.
 */

import { RELEASE_WORDS } from '../../base/text/raw-payload.ts';
import { shellQuoted } from '../../base/text/shell-quote.ts';
import type { AgentAdapter } from '../types.ts';

export interface Runtime {
  /**
   * Absolute path of the Node that ran the installation; the one on PATH of an agent may differ.
   */
  readonly node: string;
  /** Absolute path of the bundled hook program. */
  readonly hook: string;
}

/** What entries in settings start. */
export interface HookStart extends Runtime {
  /** Absolute path of the script between the agent and the hook program. */
  readonly script: string;
}

/** An entry of an agent. */
export interface HookEntry {
  /** Arguments of the hook program, the event first; none where the agent's plugin adds them. */
  readonly given: readonly string[];
  /** Says how the agent is refused a command; without it the entry lets all run that nothing can look at. */
  readonly adapter?: Pick<AgentAdapter, 'render'>;
}

/** `$0` of the shim, by which an entry in a settings file is recognised as ours. */
export const MARKER = 'lanehold';

const SHELL = '/bin/sh';

const LAUNCH =
  'node=$1 hook=$2 script=$3 settings=$4; shift 4; ' +
  '[ -f "$script" ] && exec /bin/sh "$script" "$node" "$hook" "$settings" "$@"; ' +
  '[ -f "$hook" ] && { [ -f "$node" ] && [ -x "$node" ] || node=node; ' +
  'command -v "$node" >/dev/null && exec "$node" "$hook" "$@"; }; ';

/** Arguments for `/bin/sh`. */
export function shimArguments(
  { node, hook, script }: HookStart,
  settings: string,
  entry: HookEntry,
): string[] {
  const launch = `${LAUNCH}${lastResort(settings, entry)}exit 0`;
  return ['-c', launch, MARKER, node, hook, script, settings, ...entry.given];
}

/**
 * The same as one line for `sh -c` or `bash -c`. It has no `//`, which some agents take for a comment
 * even in quotes, as long as none of the paths has it.
 */
export function shimCommandLine(start: HookStart, settings: string, entry: HookEntry): string {
  const [dash = '', launch = '', ...words] = shimArguments(start, settings, entry);
  return [SHELL, dash, ...[launch, ...words].map(shellQuoted)].join(' ');
}

/** The same without a `$`, for agents that read one in a line themselves. */
export function scriptCommandLine(
  { node, hook, script }: HookStart,
  settings: string,
  entry: HookEntry,
): string {
  const words = [script, node, hook, settings, ...entry.given, MARKER].map(shellQuoted);
  const [ours, program, ...start] = [script, node, hook, ...entry.given].map(shellQuoted);
  const itself =
    `[ -f ${start[0]} ] && { [ -f ${program} ] && [ -x ${program} ] && exec ${program} ${start.join(' ')}; ` +
    `command -v node >/dev/null && exec node ${start.join(' ')}; }; `;
  const otherwise = itself + lastResort(settings, entry) + WITHOUT_SCRIPT;
  return `[ -f ${ours} ] || { ${otherwise}exec ${[SHELL, ...words].join(' ')}`;
}

const WITHOUT_SCRIPT = 'exit 0; }; ';

/** What only reads its arguments, or moves work no further than the repository. */
const HARMLESS =
  'cat|cd|echo|grep|head|ls|rg|sed|tail|git (add|checkout|commit|diff|log|show|stash|status|switch)';

/**
 * Fails if a release word stands in a command, but for the arguments of what is harmless. It reads no shell:
 * what is quoted counts. `[Z-^]` is a backslash, which shells that are not POSIX read in quotes.
 */
const RUNS_NO_RELEASE =
  'export LC_ALL=C; tr A-Z a-z | sed -E ' +
  shellQuoted(
    's/[Z-^]"/_/g; s/^.*/& /; ' +
      `s/([;&|(\`]|[Z-^][a-z]|: *["_]) *(${HARMLESS}) [^;&|(\`"Z-^]*| --release/;/g`,
  ) +
  ' | awk ' +
  shellQuoted(
    `/(^[^{}" ].*|command[a-z_]*"? *[:;] *(_.*|"?[^"]*))([^a-z]|[Z-^][a-z])(${RELEASE_WORDS.join('|')}|ship|[pm]r create)[^a-z]/ ` +
      '{r=1} END {exit r && ENVIRON["LANEHOLD_DISABLE"] != 1}',
  );

/** What an entry does where nothing can be started: POSIX sh without a `$`, before tools only. */
function lastResort(settings: string, { given: [event], adapter }: HookEntry): string {
  if (adapter === undefined || (event !== undefined && event !== BEFORE_TOOL)) return '';
  const reason = `held: lanehold cannot check this, because its files are gone. Repair it: npm install -g lanehold && lanehold install; or take its hooks out of ${settings}`;
  const { stdout, stderr, exitCode } = adapter.render(BEFORE_TOOL, { decision: 'deny', reason });
  const refusal = stderr === '' ? printed(stdout) : `${printed(stderr)} >&2`;
  const silence = adapter.render(BEFORE_TOOL, { decision: 'none' }).stdout;
  return (
    (event === undefined ? `[ "$1" = ${BEFORE_TOOL} ] || exit 0; ` : '') +
    `${RUNS_NO_RELEASE} || { ${refusal}; exit ${exitCode}; }; ` +
    (silence === '' ? '' : `${printed(silence)}; `)
  );
}

const BEFORE_TOOL = 'before-tool';

const printed = (text: string): string => `printf %s ${shellQuoted(text)}`;

/** True for the shim of every version: the arguments around the script do not change. */
export function isShim(args: unknown): args is readonly string[] {
  return Array.isArray(args) && args[0] === '-c' && args[2] === MARKER && args.includes('--agent');
}

/**
 * The arguments in a line that `shimCommandLine` made, or `scriptCommandLine` would have had for it;
 * `undefined` for any other line.
 */
export function shimInLine(text: string): readonly string[] | undefined {
  const isShimLine = text.startsWith(`${SHELL} -c '`);
  const line = isShimLine ? text : (text.split(WITHOUT_SCRIPT).at(-1) ?? '').replace(/^exec /, '');
  if (!isShimLine && !line.endsWith(` '${MARKER}'`)) return undefined;
  const words = [...line.slice(SHELL.length).matchAll(WORD)].map(([word]) =>
    word.trim().replaceAll(/'([^']*)'|\\(')/g, '$1$2'),
  );
  const [script = '', node = '', hook = '', settings = '', ...rest] = words;
  if (isShim(words)) return words;
  if (rest.at(-1) !== MARKER || !rest.includes('--agent')) return undefined;
  return shimArguments({ node, hook, script }, settings, { given: rest.slice(0, -1) });
}

/** A blank and a word, whose quotes are single ones. */
const WORD = / (?:'[^']*'|\\'|[^\s'\\])+/g;

/** For which agent the shim starts the hook program. */
export function shimAgent(args: readonly string[]): string | undefined {
  return args[args.indexOf('--agent') + 1];
}

/** Earlier versions had the whole script in each entry. */
export function isOldShim(args: readonly string[]): boolean {
  return isShim(args) && !args[1]?.startsWith('node=$1 hook=$2 script=$3');
}

/** What the shim of an entry would start; without a script for one of an earlier version. */
export function shimRuntime(args: readonly string[]): HookStart {
  return {
    node: args[3] ?? '',
    hook: args[4] ?? '',
    script: isOldShim(args) ? '' : (args[5] ?? ''),
  };
}
