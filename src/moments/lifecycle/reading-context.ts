/** Gives the recogniser what it can read of this machine. */
import { type Dirent, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { REGISTRY_FILE } from '../../base/config/feature.ts';
import { type AddedBoundary, BOUNDARY_KINDS, RELEASE_CONTENTS } from '../../base/config/policy.ts';
import { attempt } from '../../base/errors.ts';
import { isSameFile } from '../../base/files/executable.ts';
import { homeOf } from '../../base/files/home.ts';
import { programFile } from '../../base/files/package.ts';
import { textIfThere } from '../../base/files/text-if-there.ts';
import { projectPlace } from '../../base/git/project.ts';
import type { ReadingContext } from '../../commands/finding.ts';
import { AGENT_GUARDS, guardedFiles } from './guarded-files.ts';

/** Larger scripts are not read: the recogniser treats what it cannot read by policy. */
const MAX_SCRIPT_BYTES = 1_000_000;

/** @param asOf newer files count as empty. */
export function readingContext(cwd: string, env: NodeJS.ProcessEnv, asOf?: Date): ReadingContext {
  const isYounger = (path: string): boolean =>
    asOf !== undefined && (attempt(() => statSync(path))?.mtimeMs ?? 0) > asOf.getTime();
  return {
    cwd,
    env: { ...env, PWD: cwd },
    readFile: (path) => (isOwnProgram(path) || isYounger(path) ? '' : textOf(path)),
    list: (path) => attempt(() => readdirSync(path, { withFileTypes: true }).map(entryName)),
    boundaries: addedBoundaries(env),
    guarded: guardedFiles(env),
    agents: AGENT_GUARDS,
    toplevel(directory) {
      const place = attempt(() => projectPlace(directory));
      return place?.kind === 'git' ? place.root : undefined;
    },
  };
}

function entryName(entry: Dirent): string {
  const isLink = entry.isSymbolicLink();
  const isFolder = isLink
    ? attempt(() => statSync(join(entry.parentPath, entry.name)))?.isDirectory()
    : entry.isDirectory();
  return isFolder ? `${entry.name}/` : entry.name;
}

/** True for lanehold's own program, whose commands are known by their words. */
function isOwnProgram(path: string): boolean {
  return /^lanehold(?:\.js)?$/.test(basename(path)) && isSameFile(path, programFile());
}

function textOf(path: string): string | undefined {
  const stats = attempt(() => statSync(path, { throwIfNoEntry: false }));
  if (!stats?.isFile() || stats.size > MAX_SCRIPT_BYTES) return undefined;
  const text = attempt(() => readFileSync(path, 'utf8'));
  return text?.includes('\0') ? undefined : text;
}

type Added = readonly AddedBoundary[];

/**
 * Boundaries that `lanehold.json` and the user's `config.json` add. They are needed at every command,
 * so a file is parsed only if its text names boundaries. Mistakes in it are reported where it is
 * validated.
 *
 * @returns those that count in a folder; `undefined` stands for an unknown folder.
 */
function addedBoundaries(env: NodeJS.ProcessEnv): (directory: string | undefined) => Added {
  const known = new Map<string | undefined, Added>();
  let own: Added | undefined;
  // A missing or broken file adds nothing.
  return (directory) => {
    own ??= attempt(() => addedIn(homeOf(env).config)) ?? [];
    const before = known.get(directory);
    if (before !== undefined) return before;
    const root = directory === undefined ? undefined : attempt(() => projectPlace(directory).root);
    const here =
      root === undefined ? [] : (attempt(() => addedIn(join(root, REGISTRY_FILE))) ?? []);
    const all = here.length === 0 ? own : [...own, ...here];
    known.set(directory, all);
    return all;
  };
}

function addedIn(file: string): Added {
  const text = textIfThere(file);
  if (!text?.includes('"boundaries"')) return [];
  const boundaries = JSON.parse(text)?.gate?.boundaries;
  return Array.isArray(boundaries) ? boundaries.filter(isAdded) : [];
}

function isAdded(value: unknown): value is AddedBoundary {
  if (typeof value !== 'object' || value === null) return false;
  const { name, argv, kind, leaves } = value as Partial<Record<keyof AddedBoundary, unknown>>;
  return (
    typeof name === 'string' &&
    Array.isArray(argv) &&
    argv.length > 0 &&
    argv.every((word) => typeof word === 'string') &&
    BOUNDARY_KINDS.some((it) => it === kind) &&
    (leaves === undefined || RELEASE_CONTENTS.some((it) => it === leaves))
  );
}
