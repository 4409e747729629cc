/**
 * What a payload says about its tool, for those who have to answer although nothing could read it:
 * an edit releases nothing, whatever words the file contains.
 */

/** Tools that only write a file. */
export const EDIT_TOOLS: readonly string[] = ['Edit', 'Write', 'NotebookEdit'];

/**
 * The part of a payload that a command would be in: all of it if that cannot be told, nothing if
 * the tool edits. The name stands right before the input, after all that a session could make up.
 */
export function commandPart(payload: string): string {
  const at = payload.indexOf('"tool_input"');
  if (at === -1) return payload;
  const before = payload.slice(0, at);
  const edits = EDIT_TOOLS.some((name) => before.endsWith(`"tool_name":"${name}",`));
  return edits ? '' : payload.slice(at);
}
