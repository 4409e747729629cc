#!/bin/sh
# The hooks of lanehold's plugins start this script: <event> --agent <name>. A client runs a plugin from the folder that
# it was added from, or from a copy. A clone has no built files and no packages, so the script looks for a lanehold that
# can run. The event `which` prints the folder of the one that it would start.
event=$1 agent=$3

# Starts the lanehold of a folder if it is built, and the package of its database is installed.
start() {
  [ -f "$1/hooks/lanehold-hook.cjs" ] && [ -f "$1/dist/lanehold-hook.sh" ] || return
  [ -d "$1/node_modules/better-sqlite3" ] || [ -d "${1%/*}/better-sqlite3" ] || return
  [ "$event" = which ] && { printf '%s\n' "$1"; exit 0; }
  node=$1/node_modules/node/bin/node
  [ -x "$node" ] || node=node
  exec /bin/sh "$1/dist/lanehold-hook.sh" "$node" "$1/hooks/lanehold-hook.cjs" "the settings of $agent" "$event" \
    --agent "$agent" --plugin
}

if command -v node >/dev/null; then
  # The lanehold on PATH is the one that the agent's commands call; the plugin may be an older copy.
  program=$(command -v lanehold) && file=$(readlink -f "$program") && start "${file%/bin/lanehold.js}"
  start "${0%/hooks/*}"
  start "${0%/gemini-extension/hooks/*}"
  if [ "$program" ]; then
    # The program is a script of a package manager.
    [ "$event" = which ] && { printf '%s\n' "$program"; exit 0; }
    "$program" hook "$event" --agent "$agent" --plugin && exit
    code=$?
    [ "$event" = before-tool ] && [ $code != 2 ] || exit $code
    why="$program ended with $code and without an answer. To mend it: npm install -g lanehold."
  else
    why='its plugin is installed, and lanehold itself is not on PATH. To mend it: npm install -g lanehold.'
  fi
else
  why='there is no Node on PATH. To mend it: npm install -g lanehold, with Node 22.12 or newer.'
fi
case $agent in
  claude-code) removal='claude plugin uninstall lanehold@lanehold' ;;
  codex) removal='codex plugin remove lanehold@lanehold' ;;
  gemini-cli) removal='gemini extensions uninstall lanehold-plugin' ;;
esac
why="$why To take the plugin away instead: $removal"
case $event in
  which)
    printf '%s\n' "$why" >&2
    exit 1 ;;
  session-start)
    [ "$LANEHOLD_DISABLE" = 1 ] && exit 0
    told="lanehold: every command that releases something is refused in this session: $why"
    printf '{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"%s"}}' "$told" ;;
  before-tool)
    PATH=$PATH:/usr/bin:/bin
    /bin/sh "${0%/*}/runs-no-release.sh" && exit 0
    printf '%s\n' "held: this cannot be checked: $why" >&2
    exit 2 ;;
esac
