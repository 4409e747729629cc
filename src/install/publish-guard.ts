/**
 * A guard in the package itself: npm runs `prepublishOnly` before each publish, also from a
 * terminal and in CI, where no hook of an agent runs.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ExplainedError, UsageError } from '../base/errors.ts';
import { replaceUserFile } from '../base/files/replace-file.ts';
import { withoutByteOrderMark } from '../base/text/json.ts';
import { setValue } from '../base/text/json-text.ts';

const GUARD = "npx --no-install lanehold gate --command 'npm publish'";

/** @throws {UsageError} if there is no package.json to guard, or it is not JSON. */
export function guardPublish(root: string): 'added' | 'present' {
  const file = join(root, 'package.json');
  const text = read(file);
  const before = scriptIn(file, text);
  if (before?.includes(GUARD)) return 'present';
  // The present script runs first, because it may make the content.
  const script = before ? `${before} && ${GUARD}` : GUARD;
  const guarded = setValue(text, ['scripts', 'prepublishOnly'], script);
  replaceUserFile(file, guarded, { hint: 'make the folder writable' });
  return 'added';
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new UsageError(`there is no ${file} to guard`, {
      hint: 'the guard is for npm packages; leave out --publish-guard',
      cause,
    });
  }
}

function scriptIn(file: string, text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(withoutByteOrderMark(text)).scripts?.prepublishOnly;
    return typeof value === 'string' ? value : undefined;
  } catch (cause) {
    throw new ExplainedError(`${file} is not valid JSON`, { hint: 'mend it first', cause });
  }
}
