/** The setups that a tree needs by its lock files, if its settings name none. */
import { lstatSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { VerifySettings } from '../base/config/feature.ts';
import { attempt } from '../base/errors.ts';
import { upwards } from '../base/git/tree-entry.ts';
import { at, parsedObject } from '../base/text/json.ts';
import { PACKAGE_MANAGERS, type PackageManager } from './package-managers.ts';

export interface Setup {
  /** `undefined`: the result can only be copied from where it is installed. */
  readonly command: string | undefined;
  /** Folder that it runs in, relative to the root; `''` is the root. */
  readonly cwd: string;
  /** Globs of the files that the result depends on: lock files. */
  readonly keyFiles: readonly string[];
  /** The package manager whose lock file was found. */
  readonly manager?: PackageManager;
  /** It also builds the project itself, so its result depends on more than the lock file. */
  readonly buildsProject?: boolean;
}

/** @param root the root of the tree: an install command that follows a lock file there depends on that file alone. */
export function setupsOf(
  { setup, setupCache }: VerifySettings,
  root: string,
): readonly Setup[] | undefined {
  return setup?.map((command) => {
    const named = { command, cwd: '', keyFiles: setupCache ?? [] };
    if (setupCache !== undefined) return named;
    const manager = PACKAGE_MANAGERS.find(
      (it) => it.command && INSTALLS[it.name]?.test(command) && isFile(join(root, it.lock)),
    );
    if (manager === undefined) return named;
    const { keyFiles, buildsProject = false } = toSetup(root, '', manager);
    return { ...named, keyFiles, buildsProject };
  });
}

/** Commands that install what the lock file says, and do nothing else. */
const INSTALLS: Readonly<Record<string, RegExp>> = {
  npm: /^npm ci(?: --no-[a-z]+)*$/,
  pnpm: /^pnpm (?:i|install) --frozen-lockfile$/,
  yarn: /^yarn install --(?:immutable|frozen-lockfile)$/,
  bun: /^bun install --frozen-lockfile$/,
  uv: /^uv sync --(?:frozen|locked)$/,
};

export interface Search {
  /** Root of the tree that is to be set up. */
  readonly root: string;
  /** Its files, relative to the root. */
  readonly paths: readonly string[];
  /** Folders in which commands will run, relative to the root. */
  readonly folders: readonly string[];
  /** Roots of the checkouts that people work in: what is installed there is needed here as well. */
  readonly installedIn: readonly string[];
}

/**
 * One setup for each lock file at or above a folder, and for each below whose packages the person has installed. If a
 * folder has several lock files of one language, the one that its manifest names counts.
 */
export function findSetups({ root, paths, folders, installedIn }: Search): Setup[] {
  const managers = managersIn(root, paths);
  const needed = [
    ...folders.flatMap((folder) => LANGUAGES.map((it) => nearest(managers, folder, it))),
    ...installedIn.flatMap((it) => installed(managers, it)),
  ];
  const found = new Map<string, Setup>();
  for (const [folder, manager] of needed.filter((it) => it !== undefined)) {
    found.set(`${folder}\0${manager.name}`, toSetup(root, folder, manager));
  }
  return [...found.values()];
}

type Managers = ReadonlyMap<string, readonly PackageManager[]>;
type Placed = readonly [folder: string, manager: PackageManager];

function nearest(managers: Managers, folder: string, language: string): Placed | undefined {
  const above = [...upwards(folder)].flatMap((it): Placed[] => {
    const manager = managers.get(it)?.find((one) => one.language === language);
    return manager === undefined ? [] : [[it, manager]];
  });
  // The lock file of the workspace says more than a manifest inside it.
  return above.find(([, { command }]) => command !== undefined) ?? above[0];
}

function installed(managers: Managers, root: string): Placed[] {
  const isThere = (folder: string, it: PackageManager): boolean =>
    it.command !== undefined && it.folders.some((name) => isFolder(join(root, folder, name)));
  return [...managers].flatMap(([folder, here]) =>
    here.filter((it) => isThere(folder, it)).map((it): Placed => [folder, it]),
  );
}

const LANGUAGES = [...new Set(PACKAGE_MANAGERS.map(({ language }) => language))];

/** The package managers whose files are in each folder, at most one for each language. */
function managersIn(root: string, paths: readonly string[]): Map<string, PackageManager[]> {
  const names = new Set(PACKAGE_MANAGERS.map(({ lock }) => lock));
  const folders = Map.groupBy(
    paths.filter((path) => names.has(basename(path))),
    (path) => path.slice(0, Math.max(0, path.lastIndexOf('/'))),
  );
  return new Map(
    [...folders].map(([folder, files]) => {
      const named = at.text(manifestIn(join(root, folder)), 'packageManager')?.split('@')[0];
      const here = PACKAGE_MANAGERS.filter(({ lock }) => files.includes(join(folder, lock)));
      const chosen = LANGUAGES.flatMap((language) => {
        const fitting = here.filter((it) => it.language === language);
        return fitting.find(({ name, command }) => command && name === named) ?? fitting[0] ?? [];
      });
      return [folder, chosen];
    }),
  );
}

function toSetup(root: string, folder: string, manager: PackageManager): Setup {
  const lock = join(folder, manager.lock);
  const text = attempt(() => readFileSync(join(root, lock), 'utf8')) ?? '';
  return {
    command: manager.command?.(text),
    cwd: folder,
    keyFiles: [lock.replaceAll(/[\\*?[\](){}!+@|]/g, '\\$&')],
    manager,
    buildsProject: manager.language === 'javascript' && buildsProject(join(root, folder)),
  };
}

/** Whether scripts that run after an installation may build something: all but those for git hooks. */
function buildsProject(folder: string): boolean {
  const scripts = at.object(manifestIn(folder), 'scripts');
  const prepare = at.text(scripts, 'prepare') ?? '';
  return at.text(scripts, 'install') !== undefined || !HOOK_SETUP.test(prepare);
}

const HOOK_SETUP =
  /^(?:\s*(?:npx )?(?:husky|lefthook|simple-git-hooks|is-ci)\b[^;&|]*(?:\|\||$))*$/;

const manifestIn = (folder: string) =>
  parsedObject(attempt(() => readFileSync(join(folder, 'package.json'), 'utf8')) ?? '');

const isFile = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;

const isFolder = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
