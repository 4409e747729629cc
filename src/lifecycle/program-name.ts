import { delimiter, join } from 'node:path';
import type { Environment } from '../environment.ts';
import { isExecutable } from '../files/executable.ts';
import { packageRoot } from '../package.ts';
import { shellWord } from '../text/shell-quote.ts';

/** How a hint calls lanehold: by its name if that is on PATH, else by its path. */
export function programName(env: Environment): string {
  const onPath = (env.PATH ?? '').split(delimiter).some((folder) => {
    return folder !== '' && isExecutable(join(folder, 'lanehold'));
  });
  return onPath ? 'lanehold' : `node ${shellWord(join(packageRoot(), 'bin', 'lanehold.js'))}`;
}
