/**
 * The program that supervisors run: a copy, so that an update of the package changes nothing under a
 * lane.
 */
import { createHash } from 'node:crypto';
import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Environment } from '../environment.ts';
import { makePrivateFolder } from '../files/private-folder.ts';
import { packageRoot } from '../package.ts';
import type { Home } from '../store/home.ts';

export interface SupervisorProgram {
  readonly file: string;
  /** How the copy finds the library with a native part. */
  readonly env: Readonly<Record<string, string>>;
}

const MAIN = 'supervisor.cjs';

export function supervisorProgram(home: Home, env: Environment): SupervisorProgram {
  // A supervisor starts others from the very copy that it runs from.
  if (env.LANEHOLD_SUPERVISOR && existsSync(env.LANEHOLD_SUPERVISOR)) {
    return programAt(env.LANEHOLD_SUPERVISOR, env.LANEHOLD_MODULES ?? '');
  }
  const built = join(packageRoot(), 'dist', 'supervisor');
  // It names its parts by their content, hence stands for all of them.
  const digest = createHash('sha256')
    .update(readFileSync(join(built, MAIN)))
    .digest('hex');
  const folder = join(home.root, 'runtime', digest.slice(0, 16));
  copyParts(built, folder);
  ensureShim(join(folder, 'bin'));
  return programAt(join(folder, MAIN), modulesFolder());
}

function programAt(file: string, modules: string): SupervisorProgram {
  return {
    file,
    env: { NODE_PATH: modules, LANEHOLD_SUPERVISOR: file, LANEHOLD_MODULES: modules },
  };
}

function copyParts(from: string, to: string): void {
  makePrivateFolder(to);
  for (const name of readdirSync(from)) {
    const source = join(from, name);
    const copy = join(to, name);
    // A power cut may have left a file without its content.
    if (statSync(copy, { throwIfNoEntry: false })?.size === statSync(source).size) continue;
    replaceFile(copy, readFileSync(source), 0o600);
  }
}

/** Workers speak through `lanehold`, wherever it was started from: a folder for the end of PATH. */
function ensureShim(folder: string): void {
  const file = join(folder, 'lanehold');
  const cli = join(packageRoot(), 'bin', 'lanehold.js');
  const text = `#!/bin/sh\nexec ${quoted(process.execPath)} ${quoted(cli)} "$@"\n`;
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return;
  makePrivateFolder(folder);
  replaceFile(file, text, 0o700);
}

/** In one step: somebody else may be starting from it, or writing it, at this moment. */
function replaceFile(file: string, content: string | Buffer, mode: number): void {
  const next = `${file}.${process.pid}.tmp`;
  writeFileSync(next, content, { mode });
  renameSync(next, file);
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function modulesFolder(): string {
  const resolve = createRequire(join(packageRoot(), 'package.json'));
  return dirname(dirname(resolve.resolve('better-sqlite3/package.json')));
}
