/**
 * The settings of lanes: the user's, else the repository's, else the defaults. Pure.
 *
 * A repository can name commands (workers, the setup, the validation). They run only for a user who
 * has started an orchestration in that repository.
 */
import { agentsWith, OPPOSITES } from '../../agents/registry.ts';
import type { Permissions } from '../../agents/worker/worker.ts';
import { REGISTRY_FILE } from '../../base/config/feature.ts';
import {
  LANE_ROWS,
  lanes,
  type WrittenBudget,
  type WrittenLanes,
  type WrittenTemplate,
  type WrittenUserLanes,
  type WrittenWorker,
} from '../../base/config/schema-lanes.ts';
import { ExplainedError } from '../../base/errors.ts';
import { nearest } from '../../base/text/nearest.ts';
import { parseDuration } from '../../base/text/time.ts';
import type { Budget } from '../../store/lanes.ts';

export interface WorkerSettings
  extends Readonly<Partial<Record<'program' | 'model' | 'effort' | 'account', string>>> {
  readonly adapter: string;
  readonly command?: readonly [string, ...string[]];
  readonly permissions: Permissions;
  readonly args: readonly string[];
}

type Rows = typeof LANE_ROWS;
type NamesOf<Row> = { [Name in keyof Rows]: Rows[Name] extends Row ? Name : never }[keyof Rows];
type Single = NamesOf<{ kind: 'single' }>;
type Known = NonNullable<unknown>;

/** The settings in force. A missing value without a default is decided by the machine or the project. */
export type LaneSettings = Readonly<Pick<WrittenUserLanes, Single>> & {
  readonly [Name in Single & NamesOf<{ usual: Known }>]: NonNullable<WrittenUserLanes[Name]>;
} & {
  readonly [Name in NamesOf<{ kind: 'time' }> as `${Name}Ms`]: number;
} & {
  readonly [Name in NamesOf<{ kind: 'list' }>]: Readonly<NonNullable<WrittenUserLanes[Name]>>;
} & {
  readonly workers: ReadonlyMap<string, WorkerSettings>;
  readonly templates: ReadonlyMap<string, WrittenTemplate>;
  readonly opposite: ReadonlyMap<string, string>;
  readonly slots: Readonly<Partial<Record<'worker' | 'validate' | 'setup', number>>>;
  readonly proof: { readonly mutants?: number };
} & Readonly<Record<'budget' | 'runBudget' | 'dayBudget', Budget>>;

/** The agents that can be started; `command` is any program. */
export const ADAPTERS: readonly string[] = [
  ...agentsWith('worker').map(({ name }) => name),
  'command',
];

/**
 * Merges the files' settings as the kind of each row says.
 *
 * @throws {ExplainedError} if a worker uses an unknown agent.
 */
export function effectiveLanes(repository: WrittenLanes, user: WrittenUserLanes): WrittenUserLanes {
  assertAdapters(REGISTRY_FILE, repository);
  assertAdapters('config.json', user);
  const merged = Object.entries(LANE_ROWS).map(([name, { kind, usual }]) => {
    const their = name in lanes.shape ? repository[name as keyof WrittenLanes] : undefined;
    const your = user[name as keyof WrittenUserLanes];
    if (kind !== 'group' && kind !== 'map') return [name, your ?? their ?? usual];
    return [name, { ...(name === 'opposite' && OPPOSITES), ...Object(their), ...Object(your) }];
  });
  return Object.fromEntries(merged);
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

export function laneSettings(repository: WrittenLanes, user: WrittenUserLanes): LaneSettings {
  const { workers, ...written } = effectiveLanes(repository, user);
  const settings = Object.entries(written).map(([name, value]) => {
    const { kind } = LANE_ROWS[name as keyof Rows];
    if (kind === 'time') return [`${name}Ms`, milliseconds(value as string | number)];
    if (kind === 'list') return [name, value ?? []];
    if (kind === 'map') return [name, new Map(Object.entries(Object(value)))];
    return [name, kind === 'group' ? toCaps(value as WrittenBudget) : value];
  });
  const named = Object.entries(workers ?? {}).map(([name, it]) => [name, toWorker(it)] as const);
  return { ...Object.fromEntries(settings), workers: new Map(named) };
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

/** The caps of a budget, and of `slots`, which have no `time`. */
function toCaps({ time, ...same }: WrittenBudget): Budget {
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
