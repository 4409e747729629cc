/**
 * Which files of a temporary tree a command reads. The file system notes when a file was read; on a disk
 * that does not, Node and Python tell it themselves.
 */
import {
  lstatSync,
  lutimesSync,
  mkdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import type { Environment } from '../../base/environment.ts';
import { attempt } from '../../base/errors.ts';
import type { Workspace } from '../workspace.ts';
import { PRELOAD_FOR_NODE, PRELOAD_FOR_PYTHON } from './preloads.ts';

export interface Trace {
  /** `hooks`: only what Node and Python read is seen. */
  readonly seenBy: 'access-times' | 'hooks';
  /** What the commands have to get. */
  readonly env: Environment;
  /** Forgets what was read, and lets files look as if all had changed just `now`, or be the `same` as before. */
  begin(changeTimes: 'now' | 'same'): Promise<void>;
  /** Paths that were read since, relative to the root; what was removed or replaced counts as read. */
  read(): ReadonlySet<string>;
}

type Tree = Pick<Workspace, 'place' | 'git'>;

/** @param tree in a folder of its own; nobody else uses either. */
export function traceOf(tree: Tree, paths: readonly string[], given: Environment): Trace {
  const { CARGO_TARGET_DIR: _, PYTHONPYCACHEPREFIX: __, GOFLAGS = '', ...others } = given;
  const count = Number(given.GIT_CONFIG_COUNT ?? 0);
  const env = {
    ...others,
    // What was compiled or tested before would not be read again.
    PYTHONDONTWRITEBYTECODE: '1',
    GOFLAGS: `${GOFLAGS} -count=1`.trim(),
    // The third time of a file cannot be set; git would read all files for it.
    GIT_CONFIG_COUNT: String(count + 1),
    [`GIT_CONFIG_KEY_${count}`]: 'core.trustctime',
    [`GIT_CONFIG_VALUE_${count}`]: 'false',
  };
  const isKept = keepsAccessTimes(join(dirname(tree.place.root), '.lanehold-probe'));
  return isKept ? byAccessTimes(tree, paths, env) : byHooks(tree, paths, env);
}

/** The year 1970: `relatime` notes a read if the last one is a day old, or older than the last change. */
const UNREAD = 0;

function keepsAccessTimes(probe: string): boolean {
  writeFileSync(probe, 'read me');
  lutimesSync(probe, UNREAD, new Date());
  readFileSync(probe);
  return lstatSync(probe).atimeMs !== UNREAD;
}

function byAccessTimes({ place, git }: Tree, paths: readonly string[], env: Environment): Trace {
  const statsOf = (path: string) => attempt(() => lstatSync(join(place.root, path)));
  const atFirst = new Date();
  let present: readonly string[] = [];
  const setTimes = (changed: Date): void => {
    present = paths.filter((path) => statsOf(path)?.isDirectory() === false);
    for (const path of present) lutimesSync(join(place.root, path), UNREAD, changed);
  };
  return {
    seenBy: 'access-times',
    env,
    async begin(changeTimes) {
      // One time for all, or make would build again what is checked in beside its source.
      const changed = changeTimes === 'now' ? new Date() : atFirst;
      setTimes(changed);
      // A test that asks git for the status would have all files read whose times git does not know, or
      // that are not older than its index.
      await git?.maybe(['update-index', '-q', '--refresh'], [1, 128]);
      const later = new Date(changed.getTime() + 2_000);
      attempt(() => utimesSync(join(place.gitDir ?? '', 'index'), later, later));
      setTimes(changed);
    },
    read: () => new Set(present.filter((path) => statsOf(path)?.atimeMs !== UNREAD)),
  };
}

function byHooks({ place: { root } }: Tree, paths: readonly string[], env: Environment): Trace {
  const folder = join(dirname(root), '.lanehold-hooks');
  mkdirSync(folder);
  const [log, register] = [join(folder, 'reads'), join(folder, 'register.mjs')];
  writeFileSync(register, PRELOAD_FOR_NODE);
  writeFileSync(join(folder, 'sitecustomize.py'), PRELOAD_FOR_PYTHON);
  const { NODE_OPTIONS = '', PYTHONPATH } = env;
  return {
    seenBy: 'hooks',
    env: {
      ...env,
      LANEHOLD_READS: log,
      NODE_OPTIONS: `${NODE_OPTIONS} --import ${JSON.stringify(register)}`.trim(),
      PYTHONPATH: PYTHONPATH ? `${folder}${delimiter}${PYTHONPATH}` : folder,
    },
    begin: async () => rmSync(log, { force: true }),
    read() {
      const lines = new Set(attempt(() => readFileSync(log, 'utf8').split('\n')));
      return new Set(paths.filter((path) => lines.has(join(root, path))));
    },
  };
}
