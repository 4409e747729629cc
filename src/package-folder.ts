import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The folder lanehold is installed in: it holds `migrations/`, whether run from source or built. */
export function packageFolder(): string {
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'migrations')) && existsSync(join(folder, 'package.json'))) {
      return folder;
    }
    if (dirname(folder) === folder) throw new Error('lanehold is installed incompletely');
  }
}
