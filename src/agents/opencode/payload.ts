/** What the plugin sends to the hook program, what it is answered, and the client's names of tools. */

export const TOOLS = {
  shell: ['bash'],
  rewritable: ['bash'],
  timeLimit: 'timeout',
  edit: ['edit', 'write', 'multiedit'],
  path: ['filePath'],
  // A model of OpenAI is given them in place of the others.
  patch: ['apply_patch', 'patch'],
  tasks: ['todowrite'],
} as const;

/** Tools of the client that change nothing: the hook program is not asked about them. */
export const READING_TOOLS: readonly string[] = [
  'codesearch',
  'glob',
  'grep',
  'invalid',
  'list',
  'lsp',
  'plan_enter',
  'plan_exit',
  'question',
  'read',
  'skill',
  'task',
  'todoread',
  'webfetch',
  'websearch',
];

export interface PluginPayload {
  /** The client's own name of the moment: `tool.execute.before`. */
  readonly hook: string;
  /** The folder that the client works in. */
  readonly directory: string;
  readonly session: string;
  /** How a session begins. */
  readonly start?: 'new' | 'resumed' | 'compacted';
  readonly reason?: string;
  /** The user's words. */
  readonly prompt?: string;
  /** The MCP server that the tool is of. */
  readonly server?: string;
  readonly tool?: string;
  /** Right behind the tool, so that a payload that is cut short tells edits from commands. */
  readonly args?: unknown;
}

export interface PluginAnswer {
  /** Why the tool must not run. */
  readonly deny?: string;
  /** Takes the place of these arguments. */
  readonly args?: object;
  /** What the model is told. */
  readonly context?: string;
}
