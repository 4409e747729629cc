/** Reads handoffs that were given out: stored ones, and files, whose content is not trusted. */
import { readFileSync } from 'node:fs';
import { ExplainedError, UsageError } from '../../errors.ts';
import { handoffStore, type StoredHandoff } from '../../store/handoffs.ts';
import type { Run } from '../../store/runs.ts';
import { isJsonObject, parsedJson } from '../../text/json.ts';
import type { LaneContext } from '../context.ts';
import type { Claim, Line } from './line.ts';

export interface Given {
  readonly id: string;
  readonly at: string;
  readonly lines: readonly Pick<Line, 'about' | 'text' | 'claims'>[];
}

/** The last one given out; `undefined` if there is none. */
export function lastGiven({ store }: LaneContext, run: Run): Given | undefined {
  const kept = handoffStore(store).last(run.id);
  return kept === undefined ? undefined : givenOf(kept);
}

/**
 * A handoff in a file: its JSON, or a page that names a stored one.
 *
 * @throws {UsageError} if it is neither.
 */
export function givenInFile({ store }: LaneContext, run: Run, file: string): Given {
  const text = textOf(file);
  const whole = parsed(text);
  if (whole !== undefined) return whole;
  const id = /\bHandoff ([0-9a-f-]{36})\b/.exec(text)?.[1];
  const kept = id === undefined ? undefined : handoffStore(store).byId(id);
  if (kept === undefined || kept.runId !== run.id) {
    throw new UsageError(`${file} is no handoff of run ${run.name} that is known here`, {
      hint: 'give one that `lanehold orchestrate handoff --write` or `--json` has made',
    });
  }
  return givenOf(kept);
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError(`cannot read ${file}: ${why}`, { hint: 'give a handoff file', cause });
  }
}

function givenOf(kept: StoredHandoff): Given {
  const given = parsed(kept.body);
  if (given !== undefined) return given;
  throw new ExplainedError(`the handoff ${kept.id} that is kept cannot be read`, {
    hint: 'make a new one with `lanehold orchestrate handoff`',
  });
}

function parsed(text: string): Given | undefined {
  const value = parsedJson(text);
  if (!isJsonObject(value) || typeof value.id !== 'string' || !Array.isArray(value.lines)) {
    return undefined;
  }
  const lines = value.lines.filter(isLine);
  if (lines.length < value.lines.length) return undefined;
  return { id: value.id, at: String(value.at), lines };
}

function isLine(value: unknown): value is Given['lines'][number] {
  return (
    isJsonObject(value) &&
    typeof value.about === 'string' &&
    typeof value.text === 'string' &&
    Array.isArray(value.claims) &&
    value.claims.every(isClaim)
  );
}

/** The text fields of each kind of claim; revisions and commit pairs are checked in `isClaim`. */
const FIELDS: Readonly<Record<Claim['kind'], readonly string[]>> = {
  run: ['intent'],
  state: ['lane', 'state', 'specHash'],
  ref: ['ref', 'sha'],
  contains: ['ref', 'sha'],
  worktree: ['path'],
  log: ['validationId', 'path', 'sha256'],
  question: ['id'],
  conflict: ['lane'],
};

function isClaim(value: unknown): value is Claim {
  if (!isJsonObject(value) || typeof value.kind !== 'string') return false;
  const fields = Object.entries(FIELDS).find(([kind]) => kind === value.kind)?.[1];
  if (fields === undefined || !fields.every((it) => typeof value[it] === 'string')) return false;
  if (value.kind === 'state') return typeof value.specRev === 'number';
  if (value.kind === 'conflict') return Array.isArray(value.shas);
  return true;
}
