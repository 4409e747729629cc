/** Are two pieces of work close enough for their sum to fail where each of them passes? Pure. */
import { posix } from 'node:path';
import picomatch from 'picomatch';

/** What one side has changed since the two parted. */
export interface Side {
  /** Both names of what was renamed. */
  readonly changed: readonly string[];
  /** Names out of `namesOf` the other side's changes that stand in its changed files. */
  readonly mentions: readonly string[];
  /** Globs of what it says it builds on. */
  readonly reads: readonly string[];
}

export function related(a: Side, b: Side): boolean {
  return sharesFolder(a, b) || buildsOn(a, b) || buildsOn(b, a);
}

/** Files in the root belong to everybody: a README and a lock file do not make two lanes kin. */
function sharesFolder(a: Side, b: Side): boolean {
  const own = new Set(a.changed);
  const folders = new Set(a.changed.map(posix.dirname).filter((it) => it !== '.'));
  return b.changed.some((path) => own.has(path) || folders.has(posix.dirname(path)));
}

function buildsOn(user: Side, used: Side): boolean {
  const names = new Set(namesOf(used.changed));
  if (user.mentions.some((name) => names.has(name))) return true;
  if (user.reads.length === 0) return false;
  const reads = picomatch([...user.reads], { dot: true });
  return used.changed.some((path) => reads(path));
}

/** Names that stand for a folder, not for themselves. */
const ENTRY = new Set(['index', 'main', 'mod', 'lib', '__init__', 'init', 'package']);
/** Shorter ones stand everywhere. */
const SHORTEST = 3;

/** How other files call these: by name, with and without the ending. */
export function namesOf(paths: readonly string[]): string[] {
  const names = new Set<string>();
  for (const path of paths) {
    const file = posix.basename(path);
    const stem = file.replace(/(?<=.)\..*$/, '');
    const folder = posix.basename(posix.dirname(path));
    for (const name of ENTRY.has(stem) ? [folder] : [file, stem]) {
      if (name.length >= SHORTEST && !/[\r\n]/.test(name)) names.add(name);
    }
  }
  return [...names];
}
