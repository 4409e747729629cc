import { accessSync, constants } from 'node:fs';
import { attempt } from '../errors.ts';

/** Whether this user may execute a file. */
export function isExecutable(file: string): boolean {
  return attempt(() => accessSync(file, constants.X_OK) ?? true) ?? false;
}
