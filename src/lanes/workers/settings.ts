/**
 * The settings of lanes: the user's, else the repository's, else the defaults. Pure.
 *
 * A repository can name commands (workers, the setup, the validation). They run only for a user who
 * has started an orchestration in that repository.
 */

import { OPPOSITES } from '../../agents/registry.ts';
import type { Permissions } from '../../agents/worker/worker.ts';
import type {
  WrittenBudget,
  WrittenLanes,
  WrittenTemplate,
  WrittenUserLanes,
  WrittenWorker,
} from '../../config/schema-lanes.ts';
import type { Budget } from '../../store/runs.ts';
import { parseDuration } from '../../text/time.ts';

export interface WorkerSettings {
  /** An agent's name, or `command`. */
  readonly adapter: string;
  /** For the adapter `command`: the program and its arguments. */
  readonly command?: readonly [string, ...string[]];
  readonly program?: string;
  readonly model?: string;
  readonly effort?: string;
  readonly permissions: Permissions;
  readonly args: readonly string[];
  readonly account?: string;
}

export interface LaneSettings {
  /** `current`, `opposite`, an agent, or a worker. */
  readonly agent: string;
  readonly workers: ReadonlyMap<string, WorkerSettings>;
  readonly templates: ReadonlyMap<string, WrittenTemplate>;
  readonly opposite: ReadonlyMap<string, string>;
  /** `undefined`: as many as there are free slots. */
  readonly parallel: number | undefined;
  readonly attempts: number;
  readonly validate: string | undefined;
  readonly setup: string | undefined;
  readonly setupCache: readonly string[];
  readonly ports: number;
  readonly timeoutMs: number;
  readonly stallMs: number;
  readonly onStall: 'report' | 'stop';
  readonly baseline: 'at-once' | 'when-needed';
  readonly onLimit: 'wait' | 'opposite';
  readonly checkpointMs: number;
  /** Kinds of flags that need no person. */
  readonly accept: readonly string[];
  readonly budget: Budget;
  readonly runBudget: Budget;
  readonly dayBudget: Budget;
  /** Absolute folder; `undefined`: the default one. */
  readonly worktrees: string | undefined;
  /** Not set: derived from the machine. */
  readonly slots: Readonly<Partial<Record<'worker' | 'validate' | 'setup', number>>>;
}

/** In the form of a settings file. */
export const DEFAULT_LANES = {
  agent: 'current',
  opposite: OPPOSITES,
  attempts: 2,
  ports: 0,
  timeout: '2h',
  stall: '15m',
  onStall: 'report',
  onLimit: 'wait',
  baseline: 'at-once',
  checkpoint: '60s',
} as const satisfies WrittenLanes;

/**
 * For each setting the user's value, else the repository's, else the default. Workers, templates, opposites
 * and limits are merged by name, and the user's take precedence.
 */
export function effectiveLanes(
  repository: WrittenLanes,
  user: WrittenUserLanes,
): WrittenUserLanes & typeof DEFAULT_LANES {
  const { worktrees: _, slots: __, ...theirs } = repository as WrittenUserLanes;
  const effective = { ...DEFAULT_LANES, ...theirs, ...user };
  for (const key of MERGED) {
    const defaults = key === 'opposite' ? DEFAULT_LANES.opposite : {};
    Object.assign(effective, { [key]: { ...defaults, ...theirs[key], ...user[key] } });
  }
  return effective as WrittenUserLanes & typeof DEFAULT_LANES;
}

const MERGED = [
  ...(['workers', 'templates', 'opposite'] as const),
  ...(['budget', 'runBudget', 'dayBudget'] as const),
];

export function laneSettings(repository: WrittenLanes, user: WrittenUserLanes): LaneSettings {
  const written = effectiveLanes(repository, user);
  const workers = Object.entries(written.workers ?? {});
  return {
    agent: written.agent,
    workers: new Map(workers.map(([name, worker]) => [name, toWorker(worker)])),
    templates: new Map(Object.entries(written.templates ?? {})),
    opposite: new Map(Object.entries(written.opposite)),
    parallel: written.parallel,
    attempts: written.attempts,
    validate: written.validate,
    setup: written.setup,
    setupCache: written.setupCache ?? [],
    ports: written.ports,
    timeoutMs: milliseconds(written.timeout),
    stallMs: milliseconds(written.stall),
    onStall: written.onStall,
    onLimit: written.onLimit,
    baseline: written.baseline,
    checkpointMs: milliseconds(written.checkpoint),
    accept: written.accept ?? [],
    budget: toCaps(written.budget),
    runBudget: toCaps(written.runBudget),
    dayBudget: toCaps(written.dayBudget),
    worktrees: written.worktrees,
    slots: defined(written.slots ?? {}),
  };
}

function toWorker(written: WrittenWorker): WorkerSettings {
  const { command: [program, ...rest] = [], permissions = 'edit', args = [], ...same } = written;
  return {
    ...defined(same),
    adapter: written.adapter,
    permissions,
    args,
    ...(program === undefined ? {} : { command: [program, ...rest] }),
  };
}

function toCaps({ time, ...same }: WrittenBudget = {}): Budget {
  return {
    ...defined(same),
    ...(time === undefined ? {} : { seconds: Math.max(1, Math.round(milliseconds(time) / 1000)) }),
  };
}

/** Of a value that the schema has accepted; a number means seconds. */
function milliseconds(written: string | number): number {
  if (typeof written === 'number') return Math.max(1, Math.round(written * 1000));
  return parseDuration(written) ?? Number.NaN;
}

type Defined<T> = { [Key in keyof T]: Exclude<T[Key], undefined> };

/** Drops settings that are not set. */
function defined<T extends object>(settings: T): Defined<T> {
  const said = Object.entries(settings).filter(([, value]) => value !== undefined);
  return Object.fromEntries(said) as Defined<T>;
}
