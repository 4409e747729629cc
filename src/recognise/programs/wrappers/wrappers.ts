import { PACKAGE_RUNNERS } from './package-runners.ts';
import { PROCESS_WRAPPERS } from './processes.ts';
import { REMOTE_WRAPPERS } from './remote.ts';
import type { Wrapper } from './wrapper.ts';

/** Every program that runs another command by a regular grammar. */
export const WRAPPERS: readonly (readonly Wrapper[])[] = [
  PROCESS_WRAPPERS,
  REMOTE_WRAPPERS,
  PACKAGE_RUNNERS,
];
