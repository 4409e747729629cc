/** Finds the files of a temporary tree that a command reads: the file system records when a file was read. */
import { lstatSync, lutimesSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { attempt } from '../../base/errors.ts';
import type { Workspace } from '../workspace.ts';

/** The year 1970: `relatime` notes a read if the last one is a day old, or older than the last change. */
const UNREAD = 0;

/** @param tree a tree in a folder of its own, which nothing else uses. */
export function traceOf(
  { place, git }: Pick<Workspace, 'place' | 'git'>,
  paths: readonly string[],
  given: NodeJS.ProcessEnv,
) {
  const statsOf = (path: string) => attempt(() => lstatSync(join(place.root, path)));
  const atFirst = new Date();
  let present: readonly string[] = [];
  const setTimes = (changed: Date): void => {
    present = paths.filter((path) => statsOf(path)?.isDirectory() === false);
    for (const path of present) lutimesSync(join(place.root, path), UNREAD, changed);
  };
  return {
    /** False on a disk that does not record reads. */
    isKept: keepsAccessTimes(join(dirname(place.root), '.lanehold-probe')),
    /** The environment that the commands need. */
    env: readingEnvironment(given),
    /** Forgets earlier reads. With `now`, all files look as if they had just changed; with `same`, as before. */
    async begin(changeTimes: 'now' | 'same'): Promise<void> {
      // All files get the same time, or make would build again what is checked in beside its source.
      const changed = changeTimes === 'now' ? new Date() : atFirst;
      setTimes(changed);
      // A test that asks git for the status would make git read all files whose times it does not
      // know, or that are not older than its index.
      await git?.maybe(['update-index', '-q', '--refresh'], [1, 128]);
      const later = new Date(changed.getTime() + 2_000);
      attempt(() => utimesSync(join(place.gitDir ?? '', 'index'), later, later));
      setTimes(changed);
    },
    /** Paths that were read since `begin`, relative to the root; removed and replaced files count as read. */
    read: (): ReadonlySet<string> =>
      new Set(present.filter((path) => statsOf(path)?.atimeMs !== UNREAD)),
  };
}

function readingEnvironment(given: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { CARGO_TARGET_DIR: _, PYTHONPYCACHEPREFIX: __, GOFLAGS = '', ...others } = given;
  const count = Number(given.GIT_CONFIG_COUNT ?? 0);
  return {
    ...others,
    // A file that was compiled or tested before would not be read again.
    PYTHONDONTWRITEBYTECODE: '1',
    GOFLAGS: `${GOFLAGS} -count=1`.trim(),
    // The ctime of a file cannot be set, and git would read all files because of it.
    GIT_CONFIG_COUNT: String(count + 1),
    [`GIT_CONFIG_KEY_${count}`]: 'core.trustctime',
    [`GIT_CONFIG_VALUE_${count}`]: 'false',
  };
}

function keepsAccessTimes(probe: string): boolean {
  writeFileSync(probe, 'read me');
  lutimesSync(probe, UNREAD, new Date());
  readFileSync(probe);
  return lstatSync(probe).atimeMs !== UNREAD;
}
