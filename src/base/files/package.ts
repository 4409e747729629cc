import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { codeOf } from '../errors.ts';
import { shellWord } from '../text/shell-quote.ts';
import { isSameFile, onPath } from './executable.ts';

const NAME = 'lanehold';

/** Absolute folder of this package, from `src/`, `dist/` and `hooks/` alike. */
export const packageRoot = (): string => ownPackage().root;

export const packageVersion = (): string => ownPackage().version;

/** The program of lanehold's command line. */
export const programFile = (): string => join(packageRoot(), 'bin', 'lanehold.js');

let own: ReturnType<typeof findPackage> | undefined;

function ownPackage() {
  own ??= findPackage();
  return own;
}

function findPackage(): { readonly root: string; readonly version: string } {
  const start = import.meta.dirname;
  for (let folder = start; ; folder = dirname(folder)) {
    const manifest = readManifest(join(folder, 'package.json'));
    if (manifest?.name === NAME) return { root: folder, version: manifest.version ?? '0.0.0' };
    if (dirname(folder) === folder) throw new Error(`${start} is in no package named ${NAME}`);
  }
}

function readManifest(file: string): { name?: string; version?: string } | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * The command that starts lanehold in the agent's shell: its name if PATH leads to this very
 * program and to a Node that runs it, else the paths of both.
 */
export function programName(env: NodeJS.ProcessEnv): string {
  const bin = programFile();
  const leadsTo = (file: string, name: string) => isSameFile(onPath(name, env) ?? '', file);
  // With an old Node, the program continues with the Node in or beside its package, if there is one.
  const runs = () =>
    leadsTo(process.execPath, 'node') ||
    ['node_modules/node', '../node'].some((it) => existsSync(join(packageRoot(), it, 'bin/node')));
  if (leadsTo(bin, 'lanehold') && runs()) return 'lanehold';
  return `${shellWord(process.execPath)} ${shellWord(bin)}`;
}
