/** A disk of a few megabytes that a test can fill: a tmpfs, where this process may mount one. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, realpathSync, rmdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export interface SmallDisk {
  readonly root: string;
  freeBytes(): number;
  /** Puts a file `ballast` at the top of it that takes the whole rest. */
  fill(): void;
  /** Deletes that file. */
  empty(): void;
}

const MEBIBYTE = 1024 ** 2;
const BALLAST = 'ballast';

/** Create it before the project that lies on it: clean-up runs in reverse order. */
export function smallDisk(mebibytes: number): SmallDisk {
  const root = emptyFolder();
  const failed = mount(root, mebibytes);
  onTestFinished(() => unmount(root));
  if (failed !== undefined) throw new Error(failed);
  return {
    root,
    freeBytes: () => {
      const { bavail, bsize } = statfsSync(root);
      return bavail * bsize;
    },
    fill: () => void spawnSync('sh', ['-c', fillCommand(root)]),
    empty: () => rmSync(join(root, BALLAST)),
  };
}

/**
 * A command line that does as `fill`. It goes on if the program that runs it is ended meanwhile: without
 * the variables of an attempt and in a session of its own, so that no supervisor finds it. The bulk is
 * taken at once; a `fallocate` that does not fit would give all of it back.
 */
export const fillCommand = (root: string): string =>
  `env -i "PATH=$PATH" setsid --wait sh -c '${FILL}' sh '${root}' '${BALLAST}' 2>&1 || true`;

const FILL = [
  'fallocate -l $(($(stat -f -c "%a * %S - 8388608" "$1"))) "$1/$2"',
  'head -c 1000000000 /dev/zero >> "$1/$2"',
].join('; ');

/** Why a tmpfs cannot be mounted here; part of the names of skipped tests. */
export const NO_SMALL_DISK: string | undefined = (() => {
  if (process.platform !== 'linux') return 'only Linux has tmpfs';
  const root = emptyFolder();
  try {
    return mount(root, 1);
  } finally {
    unmount(root);
  }
})();

function emptyFolder(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), 'lanehold-disk-')));
}

function mount(root: string, mebibytes: number): string | undefined {
  const options = `size=${mebibytes * MEBIBYTE},mode=700`;
  const done = spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'lanehold-test', root], {
    encoding: 'utf8',
  });
  if (done.status === 0) return undefined;
  return `nothing can be mounted: ${(done.error?.message ?? done.stderr).trim().split('\n')[0]}`;
}

/** Lazily: a process may still have files open. */
function unmount(root: string): void {
  if (spawnSync('mountpoint', ['-q', root]).status === 0) spawnSync('umount', ['--lazy', root]);
  if (readdirSync(root).length === 0) rmdirSync(root);
}
