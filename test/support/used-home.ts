/**
 * A lanehold home in which hooks have run before: a database with all migrations, and the hook's
 * compiled code. A hook whose home is empty takes twice as long. What is compiled is learned during
 * the run: the fullest cache of each event is kept for the homes that come later.
 */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { homeOf } from '../../src/base/files/home.ts';
import { openStore } from '../../src/store/open.ts';
import { TEMPLATES } from './run-folder.ts';

/** Puts a database with all migrations into a home that does not exist yet. */
export async function makeUsedHome(home: string): Promise<void> {
  const templates = process.env[TEMPLATES];
  if (templates === undefined || existsSync(home) || !isFolder(dirname(home))) return;
  const template = join(templates, 'lanehold.db');
  if (!existsSync(template)) {
    await putInPlace(template, async (file) => {
      const made = `${file}-home`;
      const store = await openStore(homeOf({ LANEHOLD_HOME: made }));
      store.close();
      renameSync(join(made, 'lanehold.db'), file);
    });
  }
  mkdirSync(home, { recursive: true, mode: 0o700 });
  copyFileSync(template, join(home, 'lanehold.db'));
}

/** Gives a home the compiled code of an event, if it has none. */
export function addCompiledCode(home: string, event: string): void {
  const cache = join(home, 'cache');
  if (!isFolder(home) || cachesIn(cache, event).length > 0) return;
  const kept = cachesIn(keptCaches(), event);
  if (kept.length === 0 || (existsSync(cache) && !isFolder(cache))) return;
  mkdirSync(cache, { recursive: true, mode: 0o700 });
  for (const file of kept) copyFileSync(file, join(cache, basename(file)));
}

/** Keeps what the hook of an event has compiled, if it is more than what is known. */
export async function keepCompiledCode(home: string, event: string): Promise<void> {
  const kept = keptCaches();
  if (kept === '') return;
  for (const file of cachesIn(join(home, 'cache'), event)) {
    const known = join(kept, basename(file));
    if (sizeOf(file) <= sizeOf(known)) continue;
    mkdirSync(kept, { recursive: true });
    await putInPlace(known, (made) => copyFileSync(file, made));
  }
}

/**
 * All homes of a run have one copy of the supervisor, made by the first that needs it: Node keeps
 * compiled code by the real path of a file.
 */
export function shareRuntime(home: string): void {
  const templates = process.env[TEMPLATES];
  if (templates === undefined) return;
  const shared = join(templates, 'runtime');
  mkdirSync(shared, { recursive: true, mode: 0o700 });
  symlinkSync(shared, join(home, 'runtime'));
}

const keptCaches = (): string => {
  const templates = process.env[TEMPLATES];
  return templates === undefined ? '' : join(templates, 'hook-cache');
};

function cachesIn(folder: string, event: string): string[] {
  if (folder === '' || !isFolder(folder)) return [];
  const names = readdirSync(folder);
  const own = names.filter((name) => name.startsWith(`${event}.`) && !name.endsWith('.tmp'));
  return own.map((name) => join(folder, name));
}

/** Other processes of the run may do the same at the same time: each sees a whole file or none. */
async function putInPlace(
  file: string,
  make: (temporary: string) => void | Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(`${process.env[TEMPLATES]}/new-`);
  await make(join(folder, 'made'));
  renameSync(join(folder, 'made'), file);
  rmSync(folder, { recursive: true });
}

const isFolder = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
