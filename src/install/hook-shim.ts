/**
 * A few lines of POSIX sh between an agent and the hook program, for the case that Node or the
 * package was removed and the settings of the agent still call them. The agent would then run every
 * command, or none where the entry makes it block. The shim refuses a command with a release word
 * and lets everything else pass, all edits included.
 *
 * Builtins only, and `exec`, so that it costs about a millisecond; dash and bash both run it.
 */
import { type RawPayload, RELEASE_WORDS } from '../text/raw-payload.ts';

export interface Runtime {
  /**
   * Absolute path of the Node that ran the installation; the one on PATH of an agent may differ.
   */
  readonly node: string;
  /** Absolute path of the bundled hook program. */
  readonly hook: string;
}

/** `$0` of the shim, by which an entry in a settings file is recognised as ours. */
const MARKER = 'lanehold';

/**
 * Arguments: Node, the hook program, the refusal (empty where nothing can be refused), and what the
 * hook program gets. In a payload the tool's input comes after all other text that the session
 * could choose.
 */
const script = ({ input, edits }: RawPayload): string => `node=$1 hook=$2 refusal=$3
shift 3
if [ -f "$hook" ]; then
  [ -f "$node" ] && [ -x "$node" ] && exec "$node" "$hook" "$@"
  command -v node >/dev/null && exec node "$hook" "$@"
fi
[ "$refusal" ] && [ "$LANEHOLD_DISABLE" != 1 ] || exit 0
input=
while IFS= read -r line || [ "$line" ]; do input="$input $line"; done
case \${input%%'${input}'*} in
  ${edits.map((it) => `*'${it}'`).join('|')}) exit 0 ;;
esac
case \${input#*'${input}'} in
  ${RELEASE_WORDS.map((word) => `*${word}*`).join('|')}) printf %s "$refusal"; exit 2 ;;
esac
exit 0`;

export interface ShimOptions {
  /** Printed where a release is refused; empty where nothing can be. */
  readonly refusal: string;
  readonly rawPayload: RawPayload;
  readonly hookArguments: readonly string[];
}

/** Arguments for `/bin/sh`. */
export function shimArguments(
  { node, hook }: Runtime,
  { refusal, rawPayload, hookArguments }: ShimOptions,
): string[] {
  return ['-c', script(rawPayload), MARKER, node, hook, refusal, ...hookArguments];
}

/** True for the shim of every version: the arguments around the script do not change. */
export function isShim(args: unknown): args is readonly string[] {
  return Array.isArray(args) && args[0] === '-c' && args[2] === MARKER && args.includes('--agent');
}

/** What the shim of an entry would start. */
export function shimRuntime(args: readonly string[]): Runtime {
  return { node: args[3] ?? '', hook: args[4] ?? '' };
}
