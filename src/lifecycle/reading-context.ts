import { readFileSync, statSync } from 'node:fs';
import { AGENT_GUARDS } from '../agents/guards.ts';
import type { Environment } from '../environment.ts';
import { attempt } from '../errors.ts';
import { projectPlace } from '../git/project.ts';
import type { ReadingContext } from '../recognise/finding.ts';
import { addedBoundaries } from './added-boundaries.ts';
import { guardedFiles } from './guarded-files.ts';

/** Larger scripts are not read: the recogniser treats what it cannot read by policy. */
const MAX_SCRIPT_BYTES = 1_000_000;

/** What the recogniser can read of this machine. */
export function readingContext(cwd: string, env: Environment): ReadingContext {
  return {
    cwd,
    env: { ...env, PWD: cwd },
    readFile: textOf,
    boundaries: addedBoundaries(env),
    guarded: guardedFiles(env),
    agents: AGENT_GUARDS,
    toplevel(directory) {
      const place = attempt(() => projectPlace(directory));
      return place?.kind === 'git' ? place.root : undefined;
    },
  };
}

function textOf(path: string): string | undefined {
  const stats = attempt(() => statSync(path, { throwIfNoEntry: false }));
  if (!stats?.isFile() || stats.size > MAX_SCRIPT_BYTES) return undefined;
  const text = attempt(() => readFileSync(path, 'utf8'));
  return text?.includes('\0') ? undefined : text;
}
