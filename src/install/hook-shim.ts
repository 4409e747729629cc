/**
 * What an entry in the settings of an agent starts: the script in LANEHOLD_HOME (`hook-script.ts`). If
 * that one is gone, the hook program itself, so that deleting the script lifts no hold.
 */
import { shellQuoted } from '../text/shell-quote.ts';

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

/** `$0` of the shim, by which an entry in a settings file is recognised as ours. */
export const MARKER = 'lanehold';

const SHELL = '/bin/sh';

const LAUNCH =
  'node=$1 hook=$2 script=$3 settings=$4; shift 4; ' +
  '[ -f "$script" ] && exec /bin/sh "$script" "$node" "$hook" "$settings" "$@"; ' +
  '[ -f "$hook" ] && [ -x "$node" ] && exec "$node" "$hook" "$@"; exit 0';

/** Arguments for `/bin/sh`. */
export function shimArguments(
  { node, hook, script }: HookStart,
  settings: string,
  hookArguments: readonly string[],
): string[] {
  return ['-c', LAUNCH, MARKER, node, hook, script, settings, ...hookArguments];
}

/**
 * The same as one line for `sh -c` or `bash -c`. It has no `//`, which some agents take for a comment
 * even in quotes, as long as none of the paths has it.
 */
export function shimCommandLine(
  start: HookStart,
  settings: string,
  hookArguments: readonly string[],
): string {
  const [dash = '', launch = '', ...words] = shimArguments(start, settings, hookArguments);
  return [SHELL, dash, ...[launch, ...words].map(shellQuoted)].join(' ');
}

/** The same without a `$`, for agents that read one in a line themselves. */
export function scriptCommandLine(
  { node, hook, script }: HookStart,
  settings: string,
  hookArguments: readonly string[],
): string {
  const words = [script, node, hook, settings, ...hookArguments, MARKER].map(shellQuoted);
  const [ours, program, ...start] = [script, node, hook, ...hookArguments].map(shellQuoted);
  const itself = `[ -f ${start[0]} ] && [ -x ${program} ] && exec ${program} ${start.join(' ')}`;
  return `[ -f ${ours} ] || { ${itself}${WITHOUT_SCRIPT}exec ${[SHELL, ...words].join(' ')}`;
}

const WITHOUT_SCRIPT = '; exit 0; }; ';

/** True for the shim of every version: the arguments around the script do not change. */
export function isShim(args: unknown): args is readonly string[] {
  return Array.isArray(args) && args[0] === '-c' && args[2] === MARKER && args.includes('--agent');
}

/**
 * The arguments in a line that `shimCommandLine` made, or `scriptCommandLine` would have had for it;
 * `undefined` for any other line.
 */
export function shimInLine(text: string): readonly string[] | undefined {
  const line =
    text
      .split(WITHOUT_SCRIPT)
      .at(-1)
      ?.replace(/^exec /, '') ?? '';
  if (!line.startsWith(`${SHELL} -c '`) && !line.endsWith(` '${MARKER}'`)) return undefined;
  const words = [...line.slice(SHELL.length).matchAll(WORD)].map(([word]) =>
    word.trim().replaceAll(/'([^']*)'|\\(')/g, '$1$2'),
  );
  const [script = '', node = '', hook = '', settings = '', ...rest] = words;
  if (isShim(words)) return words;
  if (rest.at(-1) !== MARKER || !rest.includes('--agent')) return undefined;
  return shimArguments({ node, hook, script }, settings, rest.slice(0, -1));
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
