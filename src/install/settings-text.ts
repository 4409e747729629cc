/** Reading the text of a settings file that is plain JSON, and saying where it is not. */
import { type ParseError, printParseErrorCode } from 'jsonc-parser';
import { ExplainedError } from '../errors.ts';
import { parsedJson } from '../text/json.ts';
import { jsonTree, type Node, withoutByteOrderMark } from '../text/json-text.ts';

export class SettingsFileError extends ExplainedError {
  override readonly code = 'SETTINGS_FILE';
}

/** @throws {SettingsFileError} with the position, if the text is not one plain JSON object. */
export function parseSettings(file: string, text: string): Node {
  const errors: ParseError[] = [];
  const root = jsonTree(text, errors, { disallowComments: true });
  const [error] = errors;
  if (error || !root || parsedJson(withoutByteOrderMark(text)) === undefined) {
    const what = error ? inWords(printParseErrorCode(error.error)) : 'it cannot be read';
    const where = error ? ` at ${position(text, error.offset)}` : '';
    throw new SettingsFileError(`${file} is not plain JSON: ${what}${where}`, {
      hint: 'correct the file: the agent ignores all of it as it is',
    });
  }
  if (root.type !== 'object') throw misshaped(file, text, root, 'the settings', 'an object');
  return root;
}

export function misshaped(
  file: string,
  text: string,
  node: Node,
  name: string,
  wanted: string,
): SettingsFileError {
  const where = position(text, node.offset);
  return new SettingsFileError(`${file}: ${name} at ${where} should be ${wanted}`, {
    hint: 'correct the file: the agent ignores all of it as it is',
  });
}

function position(text: string, offset: number): string {
  const before = withoutByteOrderMark(text).slice(0, offset).split('\n');
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}

/** `CloseBraceExpected` as `close brace expected`. */
function inWords(code: string): string {
  if (code === 'InvalidCommentToken') return 'a comment';
  return code.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();
}
