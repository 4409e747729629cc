/**
 * The settings of lanes: the user's, else the repository's, else the defaults. Pure.
 *
 * A repository can name commands (workers, the setup, the validation). They run only for a user who
 * has started an orchestration in that repository.
 */
import { agentsWith, OPPOSITES } from '../../agents/registry.ts';
import type { Permissions } from '../../agents/worker/worker.ts';
import { REGISTRY_FILE } from '../../base/config/feature.ts';
import type {
  WrittenBudget,
  WrittenLanes,
  WrittenTemplate,
  WrittenUserLanes,
  WrittenWorker,
} from '../../base/config/schema-lanes.ts';
import { ExplainedError } from '../../base/errors.ts';
import { nearest } from '../../base/text/nearest.ts';
import { parseDuration } from '../../base/text/time.ts';
import type { Budget } from '../../store/runs.ts';

export interface WorkerSettings
  extends Readonly<Partial<Record<'program' | 'model' | 'effort' | 'account', string>>> {
  readonly adapter: string;
  readonly command?: readonly [string, ...string[]];
  readonly permissions: Permissions;
  readonly args: readonly string[];
}

/** Durations in milliseconds; what is not set is left to the machine or the project. */
export interface LaneSettings
  extends Omit<Effective, Times | Caps | Collections>,
    Readonly<Record<Caps, Budget>>,
    Readonly<Record<'timeoutMs' | 'stallMs' | 'checkpointMs', number>> {
  readonly workers: ReadonlyMap<string, WorkerSettings>;
  readonly templates: ReadonlyMap<string, WrittenTemplate>;
  readonly opposite: ReadonlyMap<string, string>;
  readonly setupCache: readonly string[];
  readonly accept: readonly string[];
  readonly slots: Readonly<Partial<Record<'worker' | 'validate' | 'setup', number>>>;
}

type Effective = Readonly<
  WrittenUserLanes & Defined<Required<Pick<WrittenLanes, keyof typeof DEFAULT_LANES>>>
>;
type Times = 'timeout' | 'stall' | 'checkpoint';
type Caps = (typeof CAPS)[number];
type Collections = (typeof NAMED)[number] | 'setupCache' | 'accept' | 'slots';

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

/** The agents that can be started; `command` is any program. */
export const ADAPTERS: readonly string[] = [
  ...agentsWith('worker').map(({ name }) => name),
  'command',
];

/**
 * For each setting the user's value, else the repository's, else the default. Workers, templates, opposites
 * and limits are merged by name, and the user's take precedence.
 *
 * @throws {ExplainedError} if a worker is to speak with an agent that is not known.
 */
export function effectiveLanes(repository: WrittenLanes, user: WrittenUserLanes): Effective {
  assertAdapters(REGISTRY_FILE, repository);
  assertAdapters('config.json', user);
  const { worktrees: _, slots: __, ...theirs } = repository as WrittenUserLanes;
  const effective = { ...DEFAULT_LANES, ...theirs, ...user };
  for (const key of [...NAMED, ...CAPS]) {
    const defaults = key === 'opposite' ? DEFAULT_LANES.opposite : {};
    Object.assign(effective, { [key]: { ...defaults, ...theirs[key], ...user[key] } });
  }
  return effective as Effective;
}

function assertAdapters(file: string, { workers = {} }: WrittenLanes): void {
  for (const [name, { adapter }] of Object.entries(workers)) {
    if (ADAPTERS.includes(adapter)) continue;
    const known = ADAPTERS.map((it) => `\`${it}\``).join(', ');
    const meant = nearest(adapter, ADAPTERS);
    throw new ExplainedError(
      `${file}: \`lanes.workers.${name}.adapter\` is ${JSON.stringify(adapter)}, not one of ${known}`,
      meant === undefined ? {} : { hint: `did you mean \`${meant}\`?` },
    );
  }
}

const NAMED = ['workers', 'templates', 'opposite'] as const;
const CAPS = ['budget', 'runBudget', 'dayBudget'] as const;

export function laneSettings(repository: WrittenLanes, user: WrittenUserLanes): LaneSettings {
  const { timeout, stall, checkpoint, ...written } = effectiveLanes(repository, user);
  const workers = Object.entries(written.workers ?? {});
  return {
    ...written,
    workers: new Map(workers.map(([name, worker]) => [name, toWorker(worker)])),
    templates: new Map(Object.entries(written.templates ?? {})),
    opposite: new Map(Object.entries(written.opposite)),
    setupCache: written.setupCache ?? [],
    accept: written.accept ?? [],
    slots: defined(written.slots ?? {}),
    timeoutMs: milliseconds(timeout),
    stallMs: milliseconds(stall),
    checkpointMs: milliseconds(checkpoint),
    budget: toCaps(written.budget),
    runBudget: toCaps(written.runBudget),
    dayBudget: toCaps(written.dayBudget),
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

/** @param written a value that the schema has accepted; a number means seconds. */
function milliseconds(written: string | number): number {
  if (typeof written === 'number') return Math.max(1, Math.round(written * 1000));
  return parseDuration(written) ?? Number.NaN;
}

type Defined<T> = { [Key in keyof T]: Exclude<T[Key], undefined> };

function defined<T extends object>(settings: T): Defined<T> {
  const said = Object.entries(settings).filter(([, value]) => value !== undefined);
  return Object.fromEntries(said) as Defined<T>;
}
