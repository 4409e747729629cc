import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { attempt } from '../errors.ts';

export function isExecutable(file: string): boolean {
  return attempt(() => accessSync(file, constants.X_OK) ?? statSync(file).isFile()) ?? false;
}

/**
 * The file that a name starts. `undefined` also if a relative folder of PATH comes first, because
 * its content depends on the working directory.
 */
export function onPath(program: string, { PATH = '' }: NodeJS.ProcessEnv): string | undefined {
  const folders = PATH.split(delimiter);
  const first = folders.find((it) => !isAbsolute(it) || isExecutable(join(it, program)));
  return first !== undefined && isAbsolute(first) ? join(first, program) : undefined;
}

export function isSameFile(a: string, b: string): boolean {
  return existsSync(a) && existsSync(b) && realpathSync(a) === realpathSync(b);
}
