/** The options that describe a lane, and what they make of a spec. */
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { UsageError } from '../errors.ts';
import type { LaneSettings } from '../lanes/workers/settings.ts';
import type { LaneSpec } from '../store/lanes.ts';
import type { Context } from './context.ts';
import { countOf, durationOf } from './values.ts';

export interface LaneOptions {
  readonly desc?: string;
  readonly notes?: string;
  readonly agent?: string;
  readonly model?: string;
  readonly effort?: string;
  readonly touches?: readonly string[];
  readonly reads?: readonly string[];
  readonly needs?: readonly string[];
  readonly validate?: string;
  readonly validateCwd?: string;
  readonly validateTimeout?: string;
  readonly setup?: string;
  readonly timeout?: string;
  readonly turns?: string;
  readonly tokens?: string;
  readonly usd?: string;
  readonly ports?: string;
  readonly priority?: string;
  readonly overlap?: boolean;
  readonly removesTests?: boolean;
}

export function withLaneOptions(command: Command): Command {
  return command
    .option('--desc <text>', 'the task; `-` reads it from the input')
    .option('--notes <text>', 'more for the worker: decisions, traps, where to look')
    .option('--agent <name>', '`current`, `opposite`, an agent or a worker of the settings')
    .option('--model <name>', 'as the agent names it')
    .option('--effort <level>', 'as the agent names it')
    .option('--touches <glob...>', 'files that it may write; nothing else is accepted')
    .option('--reads <glob...>', 'files that it builds on')
    .option('--needs <key...>', 'lanes whose verified work it starts from')
    .option('--validate <command>', 'proves the work; runs in a shell at the root of the worktree')
    .option('--validate-cwd <folder>', 'runs it there instead')
    .option('--validate-timeout <duration>', 'ends it after this time; 30m by default')
    .option('--setup <command>', 'run once in a new worktree, such as `npm ci`')
    .option('--timeout <duration>', 'stops the worker after this time')
    .option('--turns <count>', 'cap of this lane')
    .option('--tokens <count>', 'cap of this lane, cache reads included')
    .option('--usd <amount>', 'cap of this lane')
    .option('--ports <count>', 'free ports for it, as LANEHOLD_PORT_0 and so on')
    .option('--priority <number>', 'higher starts first')
    .option('--overlap', 'may run beside lanes that touch the same files')
    .option('--removes-tests', 'tests may go: the task says so');
}

const VALIDATE_TIMEOUT_S = 1_800;

/** @throws {UsageError} */
export function newSpec(context: Context, options: LaneOptions, settings: LaneSettings): LaneSpec {
  const start: LaneSpec = {
    desc: '',
    notes: '',
    touches: [],
    reads: [],
    needs: [],
    agent: settings.agent,
    ...(settings.setup === undefined ? {} : { setup: settings.setup }),
    ...(settings.validate === undefined ? {} : { validate: settings.validate }),
    validateCwd: '',
    validateTimeoutS: VALIDATE_TIMEOUT_S,
    timeoutS: Math.ceil(settings.timeoutMs / 1000),
    budget: {},
    ports: settings.ports,
    overlaps: 'never',
    removesTests: 'no',
  };
  return changedSpec(context, start, options);
}

/** What is not named stays as it is. @throws {UsageError} */
export function changedSpec(context: Context, spec: LaneSpec, options: LaneOptions): LaneSpec {
  return {
    ...spec,
    ...words(context, options),
    ...lists(options),
    ...numbers(spec, options),
    ...(options.overlap ? { overlaps: 'allowed' } : {}),
    ...(options.removesTests ? { removesTests: 'declared' } : {}),
  };
}

export function priorityOf({ priority }: LaneOptions): number | undefined {
  if (priority === undefined) return undefined;
  const value = Number(priority);
  if (Number.isInteger(value)) return value;
  throw new UsageError(`\`${priority}\` is no priority`, {
    hint: 'give a whole number; 0 is usual',
  });
}

function words(context: Context, options: LaneOptions): Partial<LaneSpec> {
  const { notes, agent, model, effort, validate, validateCwd, setup } = options;
  const desc = options.desc === '-' ? readInput(context) : options.desc;
  const named = { desc, notes, agent, model, effort, validate, validateCwd, setup };
  return defined(named);
}

function lists({ touches, reads, needs }: LaneOptions): Partial<LaneSpec> {
  return defined({ touches, reads, needs });
}

function numbers(spec: LaneSpec, options: LaneOptions): Partial<LaneSpec> {
  const { turns, tokens, usd, ports, timeout, validateTimeout } = options;
  const seconds = (written: string | undefined) =>
    written === undefined ? undefined : Math.ceil(durationOf(written) / 1000);
  const budget = defined({
    turns: turns === undefined ? undefined : countOf(turns),
    tokens: tokens === undefined ? undefined : countOf(tokens),
    usd: usd === undefined ? undefined : amountOf(usd),
  });
  return {
    budget: { ...spec.budget, ...budget },
    ...defined({
      ports: ports === undefined ? undefined : countOf(ports),
      timeoutS: seconds(timeout),
      validateTimeoutS: seconds(validateTimeout),
    }),
  };
}

/** Dollars. @throws {UsageError} */
export function amountOf(written: string): number {
  const amount = Number(written);
  if (Number.isFinite(amount) && amount > 0) return amount;
  throw new UsageError(`\`${written}\` is no amount`, { hint: 'give dollars, such as 2.50' });
}

function readInput(context: Context): string {
  const { fd } = context.streams.stdin as { fd?: number };
  return readFileSync(fd ?? 0, 'utf8');
}

type Named<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

function defined<T extends object>(named: T): Named<T> {
  const said = Object.entries(named).filter(([, value]) => value !== undefined);
  return Object.fromEntries(said) as Named<T>;
}
