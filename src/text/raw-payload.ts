/** The text of a payload, for programs that have to answer although nothing could parse it. */

export interface RawPayload {
  /** The key before the tool's input: `"tool_input"`. */
  readonly input: string;
  /** What stands right before that key if the tool only edits files. */
  readonly edits: readonly string[];
}

/**
 * The part of a payload that a command would be in: all of it if that cannot be told, nothing if
 * the tool edits, because an edit releases nothing, whatever words the file contains. The name of
 * the tool stands right before its input, after all that a session could make up.
 */
export function commandPart(payload: string, { input, edits }: RawPayload): string {
  const at = payload.indexOf(input);
  if (at === -1) return payload;
  const before = payload.slice(0, at);
  return edits.some((it) => before.endsWith(it)) ? '' : payload.slice(at);
}
