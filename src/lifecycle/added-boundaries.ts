/**
 * Boundaries that `lanehold.json` and the user's `config.json` add. They are needed at every command,
 * so a file is parsed only if its text names boundaries. Mistakes in it are reported where it is
 * validated.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REGISTRY_FILE } from '../config/feature.ts';
import { type AddedBoundary, BOUNDARY_KINDS, RELEASE_CONTENTS } from '../config/policy.ts';
import type { Environment } from '../environment.ts';
import { attempt } from '../errors.ts';
import { projectPlace } from '../git/project.ts';
import { homeOf } from '../store/home.ts';

type Added = readonly AddedBoundary[];

/** @returns the boundaries that count in a folder; `undefined` stands for an unknown folder. */
export function addedBoundaries(env: Environment): (directory: string | undefined) => Added {
  const known = new Map<string | undefined, Added>();
  let own: Added | undefined;
  // A file that is missing or broken adds nothing.
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
  const text = readFileSync(file, 'utf8');
  if (!text.includes('"boundaries"')) return [];
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
