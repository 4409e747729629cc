/** What the plugin sends to the hook program, the answer, and the client's names of tools. */

export const TOOLS = {
  shell: ['bash'],
  rewritable: ['bash'],
  timeLimit: 'timeout',
  edit: ['edit', 'write', 'multiedit'],
  path: ['filePath'],
  // Models of OpenAI get these in place of the others.
  patch: ['apply_patch', 'patch'],
  tasks: ['todowrite'],
} as const;

/** Tools of the client that change nothing: the hook program is not started for them. */
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
  /** The client's own name of the event: `tool.execute.before`. */
  readonly hook: string;
  /** The folder that the client works in. */
  readonly directory: string;
  readonly session: string;
  readonly start?: 'new' | 'resumed' | 'compacted';
  readonly reason?: string;
  readonly prompt?: string;
  readonly server?: string;
  readonly tool?: string;
  /** The arguments come right after the tool, so that a truncated payload still distinguishes edits from commands. */
  readonly args?: unknown;
}

export interface PluginAnswer {
  /** Why the tool must not run. */
  readonly deny?: string;
  /** The arguments that replace these. */
  readonly args?: object;
  readonly context?: string;
}
