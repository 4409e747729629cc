/**
 * The few lines of POSIX sh between an agent and the hook program. An agent calls whatever was
 * installed for as long as its settings say so, also when Node or the package is gone by then. The
 * agent would then either run everything (hooks fail open) or nothing (`onFailure: "block"`); the
 * shim refuses what carries a release word and lets the rest run, every edit included.
 *
 * Builtins only, and `exec`, so that it costs about a millisecond; dash and bash both run it.
 */
import type { RawPayload } from '../text/raw-payload.ts';
import { RELEASE_WORDS } from '../text/release-words.ts';

export interface Runtime {
  /** Absolute path of the Node that ran the installation; a hook may see any other on PATH. */
  readonly node: string;
  /** Absolute path of the bundled hook program. */
  readonly hook: string;
}

/** `$0` of the shim, and how an entry in a settings file is known to be ours. */
const MARKER = 'lanehold';

/**
 * Arguments: Node, the hook program, the refusal (empty where nothing can be refused), and what the
 * hook program gets. A payload names the tool's input after everything the session could make up.
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

/** Knows the shim of every version: what stands around the script does not change. */
export function isShim(args: unknown): args is readonly string[] {
  return Array.isArray(args) && args[0] === '-c' && args[2] === MARKER && args.includes('--agent');
}

/** What the shim would start, as recorded in an entry. */
export function shimRuntime(args: readonly string[]): Runtime {
  return { node: args[3] ?? '', hook: args[4] ?? '' };
}
