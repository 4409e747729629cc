import { readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import type { Environment } from './environment.ts';
import { codeOf } from './errors.ts';
import { isExecutable } from './files/real-path.ts';
import { shellWord } from './text/shell-quote.ts';

const NAME = 'lanehold';

/** Absolute folder of this package, from `src/`, `dist/` and `hooks/` alike. */
export function packageRoot(): string {
  return ownPackage().root;
}

export function packageVersion(): string {
  return ownPackage().version;
}

function ownPackage(): { readonly root: string; readonly version: string } {
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

/** How a hint calls lanehold: by its name if that is on PATH, else by its path. */
export function programName(env: Environment): string {
  const onPath = (env.PATH ?? '').split(delimiter).some((folder) => {
    return folder !== '' && isExecutable(join(folder, 'lanehold'));
  });
  return onPath ? 'lanehold' : `node ${shellWord(join(packageRoot(), 'bin', 'lanehold.js'))}`;
}
