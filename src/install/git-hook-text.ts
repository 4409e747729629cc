/**
 * The `pre-push` hook: a few lines of POSIX sh in front of the hook program. It stays in the
 * repository when Node or the package is removed, and then refuses to push, because nothing was
 * checked. It does not rely on PATH: git may have been started by an editor.
 */
import { GIT_PRE_PUSH, PREVIOUS_HOOK_SUFFIX } from '../text/git-hook.ts';
import { shellQuoted } from '../text/shell-quote.ts';
import type { Runtime } from './hook-shim.ts';

export const HOOK_NAME = 'pre-push';

const FIRST_LINES = '#!/bin/sh\n# lanehold holds ';

/** @param madeFolders how many folders had to be made for it; `remove` takes as many away. */
export function gitHookText({ node, hook }: Runtime, madeFolders: number): string {
  return `${FIRST_LINES}here what is pushed before its features are verified.
# Made by \`lanehold git-hook install\`; \`lanehold git-hook remove\` puts back what was here before,
# which runs first: ${HOOK_NAME}${PREVIOUS_HOOK_SUFFIX}, if there is one.
# folders made: ${madeFolders}
node=${shellQuoted(node)}
hook=${shellQuoted(hook)}
before=\${0%/*}/${HOOK_NAME}${PREVIOUS_HOOK_SUFFIX}
if [ -f "$hook" ]; then
  [ -f "$node" ] && [ -x "$node" ] && exec "$node" "$hook" ${GIT_PRE_PUSH} "$before" "$@"
  command -v node >/dev/null && exec node "$hook" ${GIT_PRE_PUSH} "$before" "$@"
fi
if [ "$LANEHOLD_DISABLE" = 1 ]; then
  echo 'lanehold: LANEHOLD_DISABLE=1 is set, nothing is held' >&2
  [ -f "$before" ] && [ -x "$before" ] && exec "$before" "$@"
  exit 0
fi
printf '%s\\n' "lanehold holds this push: its program ($hook) or Node is gone; repair it with \\\`npm install -g lanehold && lanehold git-hook install\\\`" >&2
exit 1
`;
}

/** True for the hook of every version: its first lines do not change. */
export function isGitHook(text: string): boolean {
  return text.startsWith(FIRST_LINES);
}

export function madeFoldersIn(text: string): number {
  return Number(/^# folders made: (\d{1,2})$/m.exec(text)?.[1] ?? 0);
}

/** What the hook would start. */
export function runtimeIn(text: string): Runtime {
  return { node: unquoted(text, 'node'), hook: unquoted(text, 'hook') };
}

function unquoted(text: string, name: string): string {
  const [, value = ''] = new RegExp(`^${name}='((?:[^']|'\\\\'')*)'$`, 'm').exec(text) ?? [];
  return value.replaceAll(`'\\''`, "'");
}
