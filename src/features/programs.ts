/** The programs that a command starts, also through the scripts and targets of the project that it runs. */
import { lstatSync } from 'node:fs';
import { readPlainFile } from '../base/files/plain-file.ts';
import { recognise } from '../commands/recognise.ts';

export interface StartedProgram {
  /** Program first; a word that only a shell can compute is empty. */
  readonly words: readonly string[];
  /** Absolute; `undefined` where it may be one of several. */
  readonly folder: string | undefined;
  /** A script or target of the project starts it. */
  readonly inFile: boolean;
}

/**
 * @param cwd absolute folder inside `root`, the root of a checkout.
 * @param onScript gets the text of each script and target on the way.
 */
export function startedPrograms(
  command: string,
  root: string,
  cwd: string,
  onScript?: (text: string) => void,
): StartedProgram[] {
  const found: StartedProgram[] = [];
  const isFile = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
  recognise(command, {
    cwd,
    // With an empty environment the result is the same for everybody.
    env: {},
    toplevel: () => root,
    readFile: (path) => (isFile(path) ? readPlainFile(path) : undefined),
    ...(onScript && { script: onScript }),
    visit({ argv, directories, inFile }) {
      const [folder, ...others] = directories;
      const words = argv.map((word) => word ?? '');
      found.push({ words, folder: others.length === 0 ? folder : undefined, inFile });
    },
  });
  return found;
}

/** The words of the programs alone. */
export const programsOf = (command: string, root: string, cwd: string): (readonly string[])[] =>
  startedPrograms(command, root, cwd).map(({ words }) => words);
