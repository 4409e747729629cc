/** The spec of a lane: its derived fields, its digests, and what is valid. */
import { UsageError } from '../../base/errors.ts';
import { sha256 } from '../../base/text/sha256.ts';
import type { Lane, LaneSpec } from '../../store/lanes.ts';
import { touchesOverlap } from './touches.ts';

/** The digest of everything on which a verdict depends. */
export function specHash(spec: LaneSpec): string {
  const { desc, notes, touches, reads, needs, setup, changesBehaviour } = spec;
  const lists = [touches.toSorted(), reads.toSorted(), needs.toSorted()];
  const parts = ['spec/1', desc, notes, ...lists, setup ?? '', spec.removesTests];
  if (changesBehaviour !== undefined) parts.push(changesBehaviour);
  return sha256(JSON.stringify(parts));
}

/**
 * The digest of the spec for a verdict: the one with which the attempt began, since its worker knows no other.
 * `touches` comes from the present spec, so that it can be widened while the worker runs.
 */
export function judgedSpecHash(
  begunWith: string,
  { touches }: LaneSpec,
  revisions: readonly LaneSpec[],
): string {
  const begun = revisions.findLast((spec) => specHash(spec) === begunWith);
  return begun === undefined ? begunWith : specHash({ ...begun, touches });
}

/** Changed whenever the format of the hashed bytes changes; older results then no longer match. */
const VALIDATION_FORMAT = 'validation/1';

/**
 * The hash of a validation; results with other hashes are not comparable.
 *
 * @param cwd relative to the worktree's root, since each attempt has its own folder.
 * @param timeoutMs part of the hash, since a longer timeout may give another result.
 * @param setup the lane's own setup command: without what it installs, the same command may fail.
 */
export function commandHash(command: string, cwd: string, timeoutMs: number, setup?: string) {
  const parts = [VALIDATION_FORMAT, command, cwd, timeoutMs];
  if (setup !== undefined) parts.push(setup);
  return sha256(JSON.stringify(parts));
}

export function derived(spec: LaneSpec) {
  const { validate, validateCwd, validateTimeoutS, setup } = spec;
  return {
    specHash: specHash(spec),
    validateCmd: validate ?? null,
    validateCwd,
    validateTimeoutS,
    cmdHash: commandHash(validate ?? '', validateCwd, validateTimeoutS, setup),
  };
}

/** Whether two lanes write the same files; a lane that declares no files clashes with none. */
export function clash(a: LaneSpec, b: LaneSpec): boolean {
  if (a.overlaps === 'allowed' || b.overlaps === 'allowed') return false;
  if (a.tries !== undefined && a.tries.of === b.tries?.of) return false;
  return touchesOverlap(a.touches, b.touches);
}

export const clashingWith = (lane: Clashable, others: readonly Clashable[]): string[] =>
  others.filter(({ id, spec }) => id !== lane.id && clash(lane.spec, spec)).map(({ key }) => key);

type Clashable = Pick<Lane, 'id' | 'key' | 'spec'>;

const HERE = 'here';

/** Whether other machines work on it. */
export const isElsewhere = ({ on = HERE }: LaneSpec): boolean => on !== HERE;

/** @throws {UsageError} */
export function assertPlace(on: string): void {
  if (/^(?:cap:[\w.:-]{1,60}|[a-z0-9-]{1,60})$/.test(on)) return;
  throw new UsageError(`${JSON.stringify(on.slice(0, 80))} is no place to run`, {
    hint: '`any`, `here`, `cap:gpu` or the name of a machine: `lanehold team status`',
  });
}

const MAX_PATTERN = 1_000;

/** @throws {UsageError} if the spec is incomplete or malformed. */
export function assertSpec(spec: LaneSpec): void {
  if (spec.desc.trim() === '') {
    throw new UsageError('a lane needs a description', { hint: "say the task: `--desc 'TASK'`" });
  }
  if (spec.validate === undefined || spec.validate.trim() === '') {
    throw new UsageError('a lane needs a validation: without one nothing can be verified', {
      hint: "give the lane one (`--validate 'COMMAND'`, in a plan `validate`), or set `lanes.validate` in lanehold.json",
    });
  }
  for (const pattern of [...spec.touches, ...spec.reads]) assertPattern(pattern);
  assertPlace(spec.on ?? HERE);
  if (leavesRoot(spec.validateCwd)) {
    throw new UsageError(`${JSON.stringify(spec.validateCwd)} is no folder of the repository`, {
      hint: 'write it relative to the root, such as `packages/api`',
    });
  }
}

function assertPattern(pattern: string): void {
  const path = pattern.replace(/^!/, '');
  const isWhole = path !== '' && path.length <= MAX_PATTERN && !path.includes('\0');
  if (/\*.*,|,.*\*/.test(path.replaceAll(/\{[^{}]*\}/g, ''))) {
    throw new UsageError(`${JSON.stringify(pattern.slice(0, 80))} is several globs in one`, {
      hint: "give each one by itself: --touches 'src/**' 'test/**'",
    });
  }
  if (isWhole && !leavesRoot(path)) return;
  throw new UsageError(`${JSON.stringify(pattern.slice(0, 80))} is no glob of the repository`, {
    hint: 'write it relative to the root, such as `src/api/**`',
  });
}

const leavesRoot = (path: string): boolean =>
  path.startsWith('/') || path.split('/').includes('..');
