/** Which programs a command starts, also by the scripts and targets of the project that it runs. */
import { lstatSync } from 'node:fs';
import { readPlainFile } from '../base/files/plain-file.ts';
import { recognise } from '../commands/recognise.ts';

/**
 * @param cwd absolute folder inside `root`, the root of a checkout.
 * @returns the words of each, program first; a word that only a shell knows is empty.
 */
export function programsOf(command: string, root: string, cwd: string): string[][] {
  const found: string[][] = [];
  const isFile = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
  recognise(command, {
    cwd,
    // An empty environment gives everybody the same result.
    env: {},
    toplevel: () => root,
    readFile: (path) => (isFile(path) ? readPlainFile(path) : undefined),
    visit({ argv }) {
      found.push(argv.map((word) => word ?? ''));
    },
  });
  return found;
}
