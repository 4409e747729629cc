/** Rows that supervisors saved beside their logs, to rebuild a lost database from. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../../errors.ts';
import { readPlainFile } from '../../files/plain-file.ts';
import type { Attempt } from '../../store/attempts.ts';
import type { Home } from '../../store/home.ts';
import type { Lane } from '../../store/lanes.ts';
import type { Run } from '../../store/runs.ts';
import { isJsonObject } from '../../text/json.ts';
import { isName } from '../names.ts';
import { attemptDir } from '../paths.ts';

export interface SavedSpec {
  readonly run: Run;
  readonly lane: Lane;
  readonly attempt: Attempt;
  readonly savedAt: Date;
}

/** Oldest first; unreadable files are skipped. */
export function savedSpecs(home: Home): SavedSpec[] {
  return attemptFolders(home)
    .flatMap((id) => savedIn(home, id))
    .sort((a, b) => a.savedAt.getTime() - b.savedAt.getTime());
}

function attemptFolders(home: Home): string[] {
  try {
    return readdirSync(join(home.runs, 'lanes'));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

function savedIn(home: Home, id: string): SavedSpec[] {
  const dir = attemptDir(home, id);
  const file = join(dir, 'spec.json');
  let value: unknown;
  try {
    value = JSON.parse(readPlainFile(file) ?? '');
  } catch {
    // Missing, unreadable or incomplete: skipped.
    return [];
  }
  if (!isSaved(value)) return [];
  const { run, lane, attempt } = value;
  // Trusted only if the ids match the folder.
  if (attempt.id !== id || attempt.laneId !== lane.id || lane.runId !== run.id) return [];
  return [
    {
      run: { ...run, createdAt: new Date(run.createdAt) },
      lane: { ...lane, createdAt: new Date(lane.createdAt) },
      attempt: { ...attempt, dir, startedAt: new Date(attempt.startedAt) },
      savedAt: statSync(file).mtime,
    },
  ];
}

const TEXTS = {
  run: ['id', 'name', 'goal', 'repository', 'commonDir', 'baseSha', 'targetRef', 'integrationRef'],
  lane: ['id', 'runId', 'key', 'specHash', 'cmdHash', 'branch', 'validateCwd'],
  attempt: ['id', 'laneId', 'kind', 'specHash', 'startSha', 'worktree'],
} as const;

function isSaved(value: unknown): value is Pick<SavedSpec, 'run' | 'lane' | 'attempt'> {
  if (!isJsonObject(value)) return false;
  if (!isJsonObject(value.run) || !isJsonObject(value.lane) || !isJsonObject(value.attempt))
    return false;
  const { run, lane, attempt } = value;
  const complete = Object.entries(TEXTS).every(([part, names]) => {
    const fields = value[part];
    return isJsonObject(fields) && names.every((name) => typeof fields[name] === 'string');
  });
  if (!complete || !isJsonObject(run.policy) || !hasSpec(lane)) return false;
  return isName(`${run.name}`) && isName(`${lane.key}`) && areSafe(run, lane, attempt);
}

type Fields = Readonly<Record<string, unknown>>;

/** The values are used in git commands and refs, and a worker may have changed the file. */
function areSafe(run: Fields, lane: Fields, attempt: Fields): boolean {
  const commits = [run.baseSha, attempt.startSha, lane.headSha, lane.baseSha];
  const refs = [run.targetRef, `refs/heads/${lane.branch}`];
  return (
    run.integrationRef === `refs/lanehold/${run.id}/integration` &&
    commits.every((sha) => sha === null || /^[0-9a-f]{40,64}$/.test(`${sha}`)) &&
    refs.every((ref) => /^refs\/heads\/[^\s~^:?*[\\]+$/.test(`${ref}`))
  );
}

function hasSpec(lane: unknown): boolean {
  if (!isJsonObject(lane) || !isJsonObject(lane.spec)) return false;
  const { touches, reads, needs } = lane.spec;
  return [touches, reads, needs].every(
    (list) => Array.isArray(list) && list.every((it) => typeof it === 'string'),
  );
}
