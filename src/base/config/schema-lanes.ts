/** The shape of `lanes` in `lanehold.json`, and in `config.json` with further keys of the user. */
import * as z from 'zod/mini';
import { AGE, MAX_TIMEOUT_MS, parseDuration, parseTimeout, TIMEOUT } from '../text/time.ts';
import { STOPPING_FLAGS } from './lane-flags.ts';

/** The rule of a value: the end of a sentence that begins with its place in the file, and a hint. */
export const rule = (fact: string, hint: string) => `${fact}\n${hint}`;

export const COMMAND_RULE = rule('is empty', 'write the command that proves the feature');
export const AGE_RULE = rule('is no time', 'write `90m`, `24h`, `7d` or `4w`');
const NUL = rule('contains a NUL character', 'remove `\\u0000`');
const NO_NUL = /^[^\0]*$/;

/** A check that aborts, so that only the first broken rule is reported. */
export const must = (pattern: RegExp, error: string) => z.regex(pattern, { error, abort: true });

export const mustHaveNoNul = must(NO_NUL, NUL);

export const optional = <Schema extends z.ZodMiniType>(schema: Schema, what: string) =>
  z.optional(schema.check(z.describe(what)));

/** A time limit as text with a unit or in seconds. */
export const timeLimit = (malformed: string, outOfRange: string) =>
  z.union([
    z.number().check(z.gt(0, outOfRange), z.lte(MAX_TIMEOUT_MS / 1000, outOfRange)),
    z.string().check(
      must(TIMEOUT, malformed),
      z.refine((it) => !TIMEOUT.test(it) || parseTimeout(it) !== undefined, outOfRange),
    ),
  ]);

export const PLACEHOLDERS = [
  'prompt',
  'prompt-file',
  'lane',
  'worktree',
  'attempt-folder',
  'session',
  'model',
  'effort',
  'permissions',
] as const;
const PLACEHOLDER = `\\{(?:${PLACEHOLDERS.join('|')})\\}`;

const RULES = {
  worker: rule(
    'is no name of a worker',
    'names begin with a-z or 0-9 and go on with these and `.`, `_`, `-`; `current` and `opposite` are taken',
  ),
  word: rule('says nothing', 'write a value, or leave the key out'),
  option: rule('begins with `-`', 'options of the agent go into `args`'),
  commanded: rule(
    'has the adapter `command` and no `command`',
    'add it: an array, the program first',
  ),
  uncommanded: rule(
    'has a `command`, which only the adapter `command` runs',
    'set `adapter` to `command`, or name another program with `program`',
  ),
  program: rule('has no program', 'write the program first: `["my-agent", "--headless"]`'),
  placeholder: rule(
    'has a placeholder inside of a word',
    'give it an element of its own: `["--prompt", "{prompt-file}"]`',
  ),
  time: rule('is no duration', 'write `90s`, `15m`, `2h` or a number of seconds'),
  day: rule('is not from 1 ms to 24 hours', 'write `90s`, `15m` or `2h`'),
  span: rule('is no span of time', 'write `90s`, `15m`, `2h`, `3d` or a number of seconds'),
  amount: rule('is not more than 0', 'leave the key out for no limit'),
  retries: rule('is not between 0 and 10', '`0` starts nothing again'),
  parallel: rule('is not between 1 and 64', 'leave it out to use the free slots'),
  rounds: rule('is not between 0 and 20', '`0` asks you at once'),
  percent: rule('is not between 0 and 100', 'write percent: `75`'),
  ports: rule('is not between 0 and 100', 'ports that each lane gets for itself'),
  notified: rule('has no program', 'write the program first: `["notify-me", "--urgent"]`'),
  url: rule('is no URL', 'write it with `https://`'),
  absolute: rule('is no absolute path', 'write it out in full, from `/`'),
};

export const WORKER_NAME = /^(?!(?:current|opposite)$)[a-z0-9][a-z0-9._-]{0,63}$/;

const text = z.string().check(must(/\S/, RULES.word), mustHaveNoNul);
/** A value that is passed after an option, so it must not look like an option. */
const value = text.check(must(/^[^-]/, RULES.option));
const workerName = z.string().check(must(WORKER_NAME, RULES.worker));
const adapterOrWorker = z.string().check(must(/^[a-z0-9][a-z0-9._-]{0,63}$/, RULES.worker));

const count = (from: number, to: number, error: string) =>
  z.int().check(z.gte(from, error), z.lte(to, error));

const duration = timeLimit(RULES.time, RULES.day);

/** A duration: a number of seconds, or text with a unit. */
const span = z.union([
  z.number().check(z.gt(0, RULES.amount)),
  z.string().check(
    z.refine((it) => TIMEOUT.test(it) || AGE.test(it), { error: RULES.span, abort: true }),
    z.refine((it) => parseDuration(it) !== undefined, RULES.span),
  ),
]);

const budget = z.strictObject({
  turns: optional(z.int().check(z.gt(0, RULES.amount)), 'Requests to the model'),
  time: optional(span, 'Time that workers run: `90m`, `8h`, `2d`'),
  tokens: optional(z.int().check(z.gt(0, RULES.amount)), 'Tokens, those from the cache included'),
  usd: optional(z.number().check(z.gt(0, RULES.amount)), 'US dollars, where the agent tells'),
});

const argument = z
  .string()
  .check(
    mustHaveNoNul,
    must(
      new RegExp(`^(?:${PLACEHOLDER}|(?![\\s\\S]*${PLACEHOLDER})[\\s\\S]*)$`),
      RULES.placeholder,
    ),
  );

const worker = z
  .strictObject({
    // The agents are known, and checked, in `lanes/settings`.
    adapter: z.string().check(z.describe('The agent that it speaks with')),
    command: optional(
      z
        .array(argument)
        .check(z.refine(([program]) => program !== undefined && /\S/.test(program), RULES.program)),
      'For `command`: program and arguments, no shell; the task comes on stdin. An element may be `{prompt}`, which sends the program to a file with the task, `{prompt-file}`, `{lane}`, `{worktree}`, `{attempt-folder}`, `{session}`, `{model}`, `{effort}` or `{permissions}`',
    ),
    program: optional(text, "Instead of the agent's usual program"),
    model: optional(value, 'A model, as the agent calls it'),
    effort: optional(value, 'How hard to think, as the agent calls it'),
    permissions: optional(
      z.enum(['edit', 'full']),
      '`edit` (default): change files and run the allowed commands; `full`: whatever the agent wants',
    ),
    args: optional(z.array(z.string().check(mustHaveNoNul)), 'Further arguments for the agent'),
    account: optional(
      text,
      'Workers of one account share its usage limit; by default one per login',
    ),
  })
  .check(
    z.refine((it) => it.adapter !== 'command' || it.command !== undefined, RULES.commanded),
    z.refine((it) => it.adapter === 'command' || it.command === undefined, RULES.uncommanded),
  );

const proof = z.strictObject({
  mutants: optional(
    count(0, 100, RULES.percent),
    'How many percent of small changes of the lines that a lane changed its tests have to notice; with fewer, a person looks. `0` only tells; by default none is tried',
  ),
});

const globs = z.array(text);
/** The options of `lane add`; `{lane}` in a text is the lane's key. */
const template = z.strictObject({
  desc: optional(text, 'The task'),
  notes: optional(text, 'More for the worker'),
  agent: optional(adapterOrWorker, 'Who works'),
  model: optional(value, 'A model, as the agent calls it'),
  effort: optional(value, 'How hard to think, as the agent calls it'),
  touches: optional(globs, 'Globs of files that it may write'),
  reads: optional(globs, 'Globs of files that it builds on'),
  needs: optional(z.array(text), 'Lanes whose verified work it starts from'),
  validate: optional(text, 'The command that proves it; runs in a shell'),
  setup: optional(text, 'The command that makes its worktree ready; runs in a shell'),
});

/**
 * A setting. The schema, `config`, defaults, merging and the type of the settings in force follow from its kind:
 * - `single`: the user's value counts, else the repository's, else `usual`. A `time` is one too; in force it is
 *   `<name>Ms`. A `list` as well; in force it is empty if no file has it.
 * - `group`, an object of fixed keys, and `map`, of keys that the user chooses: merged key by key.
 */
const row = <
  const Kind extends 'single' | 'time' | 'list' | 'group' | 'map',
  Type extends z.ZodMiniType,
  const Usual extends z.infer<Type> | undefined = undefined,
>(
  kind: Kind,
  type: Type,
  text: string,
  usual?: Usual,
) => ({ kind, schema: optional(type, text), usual: usual as Usual });

const single = <
  Type extends z.ZodMiniType,
  const Usual extends z.infer<Type> | undefined = undefined,
>(
  type: Type,
  text: string,
  usual?: Usual,
) => row('single', type, text, usual);
/** A choice of values; the first one is the default. */
const choice = <const Value extends string>(values: readonly [Value, ...Value[]], text: string) =>
  single(z.enum(values), text, values[0]);
const map = <Key extends z.core.$ZodRecordKey, Value extends z.core.SomeType>(
  key: Key,
  value: Value,
  text: string,
) => row('map', z.record(key, value), text);
const time = (usual: string, text: string) => row('time', duration, text, usual);
const list = <Type extends z.ZodMiniType>(type: Type, text: string) =>
  row('list', z.array(type), text);

/** The settings that both files may have. */
const ROWS = {
  agent: single(
    adapterOrWorker,
    'Who works: `current` (default, the agent that starts the run), `opposite`, an agent or a worker',
    'current',
  ),
  workers: map(workerName, worker, 'Workers by name, beside the agents themselves'),
  templates: map(
    workerName,
    template,
    'What `lane add --template` fills in, by name; `{lane}` in a text is the key of the lane',
  ),
  // The default is in `lanes/settings`, where agents are known.
  opposite: map(adapterOrWorker, adapterOrWorker, 'Who `opposite` is for each agent'),
  parallel: single(count(1, 64, RULES.parallel), 'Lanes at once; as many as fit by default'),
  attempts: single(
    count(0, 10, RULES.retries),
    'How often work that was lost or cut off is started again; 2 by default',
    2,
  ),
  validate: single(text, 'The command that proves a lane, if the lane names none; runs in a shell'),
  setup: single(text, 'The command that makes a new worktree ready; runs in a shell'),
  setupCache: list(text, 'Globs of files on which the result of the setup depends: lock files'),
  ports: single(
    count(0, 100, RULES.ports),
    'Ports that each lane gets, in LANEHOLD_PORT_0 and so on; 0 by default',
    0,
  ),
  timeout: time('2h', 'The longest that a worker may run; `2h` by default'),
  stall: time('15m', 'A worker without output and changes is stalled; `15m` by default'),
  onStall: choice(['report', 'stop'], 'What to do with it; `report` by default'),
  accept: list(
    z.enum(STOPPING_FLAGS),
    'Flags with which verified lanes are integrated although no person has looked at them',
  ),
  baseline: choice(
    ['at-once', 'when-needed'],
    'When the validation of a new lane runs on its base: `at-once` (default), so that one that proves nothing there is told, or `when-needed`',
  ),
  onLimit: choice(
    ['wait', 'opposite'],
    'Where the account of a lane’s agent is used up: `wait` (default) until it is not, or go on with the `opposite`',
  ),
  land: choice(
    ['merge', 'squash', 'rebase', 'pr'],
    'What `land` makes of the lanes’ commits: `merge` (default) lands them with their merges, `squash` makes one of each lane, `rebase` puts them in a line, `pr` opens a pull request with them',
  ),
  pullRounds: single(
    count(0, 20, RULES.rounds),
    'How often a worker is given what came back on its pull request, before you are asked; 3 by default',
    3,
  ),
  pullEvery: time('30s', 'How often pull requests are looked at, at most; `30s` by default'),
  checkpoint: time('60s', 'How often changed files are saved as a commit; `60s` by default'),
  proof: row(
    'group',
    proof,
    'What a validation has to show beyond passing: `{ "mutants": 60 }` tries up to 20 small changes of the lines that a lane has changed, of which its tests have to notice that many percent',
  ),
  budget: row('group', budget, 'What one lane may use'),
  runBudget: row('group', budget, 'What a run may use in all'),
  dayBudget: row('group', budget, 'What all runs may use in 24 hours'),
};

const slots = z.strictObject({
  worker: optional(count(1, 64, RULES.parallel), 'Workers at once'),
  validate: optional(count(1, 64, RULES.parallel), 'Validations at once'),
  setup: optional(count(1, 64, RULES.parallel), 'Setups at once'),
});

const notify = z.strictObject({
  command: optional(
    z
      .array(z.string().check(mustHaveNoNul))
      .check(z.refine(([program]) => program !== undefined && /\S/.test(program), RULES.notified)),
    'Program and arguments, no shell; the text is one more argument, all of it comes as JSON on stdin',
  ),
  desktop: optional(z.boolean(), 'By `notify-send` or `osascript`'),
  webhook: optional(
    z.string().check(must(/^https?:\/\/\S+$/, RULES.url)),
    'Gets a POST with the same JSON',
  ),
});

/** The settings, with those that only the user may have. */
export const LANE_ROWS = {
  ...ROWS,
  worktrees: single(
    z.string().check(must(/^\/[^\0]*$/, RULES.absolute)),
    'Folder for the worktrees of lanes',
  ),
  notify: single(
    notify,
    'How you are told that a run needs you, is done, or has reached a cap: `command`, `desktop`, `webhook`',
  ),
  slots: row('group', slots, 'What this machine does at once, over all projects'),
};

const shapeOf = <Rows extends Record<string, { schema: z.ZodMiniType }>>(rows: Rows) =>
  Object.fromEntries(Object.entries(rows).map(([name, { schema }]) => [name, schema])) as {
    [Name in keyof Rows]: Rows[Name]['schema'];
  };

export const lanes = z.strictObject(shapeOf(ROWS));
export const userLanes = z.strictObject(shapeOf(LANE_ROWS));

/** The values are as the files write them. */
export type WrittenLanes = z.infer<typeof lanes>;
export type WrittenUserLanes = z.infer<typeof userLanes>;
export type WrittenNotify = z.infer<typeof notify>;
export type WrittenWorker = z.infer<typeof worker>;
export type WrittenBudget = z.infer<typeof budget>;
export type WrittenTemplate = z.infer<typeof template>;
