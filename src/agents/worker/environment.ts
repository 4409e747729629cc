/**
 * The environment of everything that an attempt starts: the user's own, without what tells a program
 * that it runs inside of another agent's session, and with what finds its processes again.
 */
import type { Environment } from '../../environment.ts';

export interface AttemptPlace {
  readonly attempt: string;
  readonly stage: 'worker' | 'setup' | 'validate';
  readonly lane: string;
  readonly run: string;
  readonly worktree: string;
  /** LANEHOLD_HOME. */
  readonly home: string;
  readonly ports: readonly number[];
}

export function workerEnvironment(env: Environment, place: AttemptPlace): Record<string, string> {
  const inherited = Object.entries(env).filter(([name]) => !isMark(name));
  return definedOnly({
    ...Object.fromEntries(inherited),
    LANEHOLD_ATTEMPT: place.attempt,
    LANEHOLD_STAGE: place.stage,
    LANEHOLD_LANE: place.lane,
    LANEHOLD_RUN: place.run,
    LANEHOLD_WORKTREE: place.worktree,
    LANEHOLD_HOME: place.home,
    // What some shells set and programs believe: the coordinator's folder is another one.
    PWD: place.worktree,
    ...Object.fromEntries(place.ports.map((port, n) => [`LANEHOLD_PORT_${n}`, String(port)])),
  });
}

export function definedOnly(env: Environment): Record<string, string> {
  const defined: [string, string][] = [];
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined) defined.push([name, value]);
  }
  return Object.fromEntries(defined);
}

/** What agents set for the programs that they start; credentials and settings are none of these. */
const SESSION_MARKS = new Set([
  'CLAUDECODE',
  'CLAUDE_CODE_CHILD_SESSION',
  'CLAUDE_CODE_ENTRYPOINT',
  'CLAUDE_CODE_EXECPATH',
  'CLAUDE_CODE_MESSAGING_SOCKET',
  'CLAUDE_CODE_MESSAGING_TOKEN',
  'CLAUDE_CODE_PARENT_SESSION_ID',
  'CLAUDE_CODE_SESSION_ATTENDED',
  'CLAUDE_CODE_SESSION_ID',
  'CLAUDE_CODE_SIMPLE',
  'CLAUDE_CODE_SAFE_MODE',
  'CLAUDE_CODE_SSE_PORT',
  'CLAUDE_CODE_TASK_LIST_ID',
  'CLAUDE_EFFORT',
  'CLAUDE_ENV_FILE',
  'CLAUDE_PID',
  'CLAUDE_PLUGIN_DATA',
  'CLAUDE_PLUGIN_ROOT',
  'CLAUDE_PROJECT_DIR',
  'CODEX_CI',
  'CODEX_SANDBOX',
  'CODEX_SANDBOX_NETWORK_DISABLED',
  'CODEX_SESSION_ID',
  'CODEX_THREAD_ID',
  'CODEX_TOOL_CALL_ID',
  'CODEX_VERSION',
  'COPILOT_AGENT_SESSION_ID',
  'COPILOT_CLI',
  'COPILOT_CLI_BINARY_VERSION',
  'COPILOT_HOOK_DIR',
  'COPILOT_PROJECT_DIR',
  'CURSOR_AGENT',
  'CURSOR_CONVERSATION_ID',
  'CURSOR_TRACE_ID',
  'GEMINI_CLI',
  'GEMINI_CWD',
  'GEMINI_PLANS_DIR',
  'GEMINI_PROJECT_DIR',
  'GEMINI_SESSION_ID',
  'OPENCODE',
  'OPENCODE_PID',
  'OPENCODE_SESSION_ID',
  'ANTIGRAVITY_AGENT',
  'AGENT',
  'AI_AGENT',
  'PLUGIN_DATA',
  'PLUGIN_ROOT',
  // Where the coordinator stands.
  'OLDPWD',
  'INIT_CWD',
]);

/** Of git's variables those that say how to reach remotes, who commits, and where settings lie. */
const GIT_KEPT =
  /^GIT_(?:ASKPASS|(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL)|CEILING_DIRECTORIES|CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM)|EXEC_PATH|HTTP_\w+|PROXY_COMMAND|SSH(?:_COMMAND|_VARIANT)?|SSL_\w+|TERMINAL_PROMPT)$/;

function isMark(name: string): boolean {
  if (SESSION_MARKS.has(name)) return true;
  // What `npm` and `npx` tell their children of the package that they run here.
  if (/^npm_(?:lifecycle|package)_/.test(name)) return true;
  if (name.startsWith('GIT_')) return !GIT_KEPT.test(name);
  // Those of another attempt, or of another user's run of lanehold.
  return name.startsWith('LANEHOLD_');
}
