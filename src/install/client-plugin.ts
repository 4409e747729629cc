/**
 * This package as a plugin that an agent's own command installs. A client runs a plugin from the folder it was
 * added from, or copies it elsewhere; a clone has nothing that was built, and no packages. So the hooks of a
 * plugin start a script of sh beside them, which looks for a lanehold that can run: the one on PATH, else the
 * plugin itself. Where there is none it refuses what releases, and says at the start of a session what to do.
 */
import type { InstalledHook } from '../agents/install.ts';
import { isJsonObject, type JsonObject, objectOr, parsedObject } from '../base/text/json.ts';
import { PLUGIN_FLAG } from '../base/text/plugin-flag.ts';
import { shellQuoted } from '../base/text/shell-quote.ts';
import { refusalOfReleases, refusalWords, type ScriptAgent } from './hook-script.ts';

export interface PluginAgent extends ScriptAgent {
  /** Of the package, if the plugin is not the package itself. */
  readonly folder: string | undefined;
  /** How the client takes the plugin away: a command. */
  readonly removal: string;
  /** What the hook prints to tell the model something when a session starts. */
  readonly told: (text: string) => string;
}

/** `<event> --agent <name>`, or `which`: prints the folder of the lanehold that it would start. */
export function pluginScript(agents: readonly PluginAgent[]): string {
  return `#!/bin/sh
# Written by \`npm run generate\`. The hooks of a plugin start it: <event> --agent <name>.
event=$1 agent=$3

# Starts the lanehold in a folder, if it is built and the package that its database needs is there.
start() {
  [ -f "$1/hooks/lanehold-hook.cjs" ] || return
  [ -d "$1/node_modules/better-sqlite3" ] || [ -d "\${1%/*}/better-sqlite3" ] || return
  [ "$event" = which ] && { printf '%s\\n' "$1"; exit 0; }
  node=$1/node_modules/node/bin/node
  [ -x "$node" ] || node=node
  exec "$node" "$1/hooks/lanehold-hook.cjs" "$event" --agent "$agent" ${PLUGIN_FLAG}
}

if command -v node >/dev/null; then
  # What the agent's commands call as well; the plugin may be an older copy.
  program=$(command -v lanehold) && file=$(readlink -f "$program") && start "\${file%/bin/lanehold.js}"
  start "\${0%/hooks/*}"
${agents.flatMap(({ folder }) => (folder === undefined ? [] : [`  start "\${0%/${folder}/hooks/*}"\n`])).join('')}  if [ "$program" ]; then
    # A script that some package manager has put there.
    [ "$event" = which ] && { printf '%s\\n' "$program"; exit 0; }
    exec "$program" hook "$event" --agent "$agent" ${PLUGIN_FLAG}
  fi
  why='its plugin is installed, and lanehold itself is not on PATH' mend='npm install -g lanehold'
else
  why='there is no Node on PATH' mend='npm install -g lanehold, with Node 22.12 or newer'
fi
[ "$event" = which ] && { printf '%s\\n' "$why" >&2; exit 1; }
[ "$LANEHOLD_DISABLE" = 1 ] && exit 0
case $agent in
${agents.map(wordsOf).join('\n')}
  *) exit 0 ;;
esac
case $event in
  session-start) printf %s "\${before}lanehold: every command that releases something is refused in this session: $why. Ask the person to run: $mend. To take the plugin away instead: $removal$after" ;;
  before-tool)
    REASON="held: this cannot be checked: $why. To mend it: $mend. To take the plugin away instead: $removal"
    ${refusalOfReleases().trim()} ;;
esac
`;
}

const PLACE = '@TEXT@';

function wordsOf(agent: PluginAgent): string {
  const { name, removal, told } = agent;
  const [before = '', after = ''] = told(PLACE).split(PLACE);
  const own = Object.entries({ removal, before, after });
  const set = own.map(([key, value]) => `${key}=${shellQuoted(value)}`).join(' ');
  return `  ${name}) ${set} ${refusalWords(agent)} ;;`;
}

/** The hooks in the file of a plugin. */
export function pluginHooks(text: string): readonly InstalledHook[] {
  const events = objectOr(parsedObject(text)?.hooks) ?? {};
  return Object.entries(events).flatMap(([event, groups]) =>
    objectsOf(groups).flatMap(({ hooks }) =>
      objectsOf(hooks).flatMap(({ command, timeout }) =>
        typeof command !== 'string'
          ? []
          : [
              {
                event,
                args: [],
                line: command,
                timeout: typeof timeout === 'number' ? timeout : undefined,
              },
            ],
      ),
    ),
  );
}

const objectsOf = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];
