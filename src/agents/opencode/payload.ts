/** What the plugin sends to the hook program, and what it is answered. */

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
