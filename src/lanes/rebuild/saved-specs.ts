/** Rows that supervisors saved beside their logs, to rebuild a lost database from. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { attempt as attempted } from '../../errors.ts';
import { readJsonFile } from '../../files/json-file.ts';
import type { Attempt } from '../../store/attempts.ts';
import type { Home } from '../../store/home.ts';
import type { Lane } from '../../store/lanes.ts';
import type { Run } from '../../store/runs.ts';
import { isName } from '../model/names.ts';
import { attemptDir } from '../model/paths.ts';

interface SavedRows {
  readonly run: Run;
  readonly lane: Lane;
  readonly attempt: Attempt;
}

export interface SavedSpec extends SavedRows {
  readonly savedAt: Date;
}

/** Oldest first; unreadable files are skipped. */
export function savedSpecs(home: Home): SavedSpec[] {
  const folder = join(home.runs, 'lanes');
  return (existsSync(folder) ? readdirSync(folder) : [])
    .flatMap((id) => savedIn(home, id))
    .sort((a, b) => a.savedAt.getTime() - b.savedAt.getTime());
}

function savedIn(home: Home, id: string): SavedSpec[] {
  const dir = attemptDir(home, id);
  const file = join(dir, 'spec.json');
  const rows = attempted(() => readJsonFile(file, Saved));
  if (rows === undefined || typeof rows === 'string') return [];
  const { run, lane, attempt } = rows as unknown as SavedRows;
  // Trusted only if the ids match the folder.
  if (attempt.id !== id || attempt.laneId !== lane.id || lane.runId !== run.id) return [];
  if (run.integrationRef !== `refs/lanehold/${run.id}/integration`) return [];
  return [
    {
      run: { ...run, createdAt: new Date(run.createdAt) },
      lane: { ...lane, createdAt: new Date(lane.createdAt) },
      attempt: { ...attempt, dir, startedAt: new Date(attempt.startedAt) },
      savedAt: statSync(file).mtime,
    },
  ];
}

const texts = (...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, z.string()]));
const name = z.string().check(z.refine(isName));
const commit = z.string().check(z.regex(/^[0-9a-f]{40,64}$/));
const globs = z.array(z.string());

/** The values are used in git commands and refs, and a worker may have changed the file. */
const Saved = z.object({
  run: z.looseObject({
    ...texts('id', 'goal', 'repository', 'commonDir', 'integrationRef'),
    name,
    baseSha: commit,
    targetRef: z.string().check(z.regex(/^refs\/heads\/[^\s~^:?*[\\]+$/)),
    policy: z.looseObject({}),
  }),
  lane: z.looseObject({
    ...texts('id', 'runId', 'specHash', 'cmdHash', 'validateCwd'),
    key: name,
    branch: z.string().check(z.regex(/^[^\s~^:?*[\\]+$/)),
    headSha: z.nullable(commit),
    baseSha: z.nullable(commit),
    spec: z.looseObject({ touches: globs, reads: globs, needs: globs }),
  }),
  attempt: z.looseObject({
    ...texts('id', 'laneId', 'kind', 'specHash', 'worktree'),
    startSha: commit,
  }),
});
