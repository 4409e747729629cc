/**
 * What an entry in the settings of an agent starts: the script in LANEHOLD_HOME (`hook-script.ts`). If
 * that one is gone, the hook program itself, so that deleting the script lifts no hold.
 */

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
const MARKER = 'lanehold';

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

/** True for the shim of every version: the arguments around the script do not change. */
export function isShim(args: unknown): args is readonly string[] {
  return Array.isArray(args) && args[0] === '-c' && args[2] === MARKER && args.includes('--agent');
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
