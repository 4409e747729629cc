/** What is below a folder, to be compared with what is there later. */
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** Paths below the folder, each with its mode and content. */
type Files = ReadonlyMap<string, string>;

/** @param without paths that are not looked at. */
export function filesBelow(folder: string, without?: RegExp): Files {
  const files = new Map<string, string>();
  const visit = (below: string): void => {
    for (const name of readdirSync(join(folder, below))) {
      const path = below === '' ? name : `${below}/${name}`;
      if (without?.test(path)) continue;
      files.set(path, fingerprintOf(join(folder, path)));
      if (lstatSync(join(folder, path)).isDirectory()) visit(path);
    }
  };
  visit('');
  return files;
}

function fingerprintOf(file: string): string {
  const stats = lstatSync(file);
  const mode = stats.mode.toString(8);
  if (stats.isSymbolicLink()) return `link to ${readlinkSync(file)}`;
  if (!stats.isFile()) return mode;
  return `${mode} ${createHash('sha256').update(readFileSync(file)).digest('hex')}`;
}

/** One line for each difference; `''` if there is none. @param except paths that may differ. */
export function whatDiffers(before: Files, after: Files, except?: RegExp): string {
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort();
  return paths
    .filter((path) => before.get(path) !== after.get(path) && !except?.test(path))
    .map((path) => {
      if (!before.has(path)) return `added: ${path}`;
      return after.has(path) ? `changed: ${path}` : `removed: ${path}`;
    })
    .join('\n');
}
