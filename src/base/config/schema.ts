/**
 * The shape of `lanehold.json`, for its validation and for the JSON Schema that editors use
 * (`npm run generate` writes it). Uses `zod/mini`, because hooks load this file.
 */
import * as z from 'zod/mini';
import { isJsonObject } from '../text/json.ts';
import { AGE } from '../text/time.ts';
import { CAPTURES, MOST_BRIEFING_TOKENS, TRANSCRIPTS } from './capture.ts';
import { FEATURE_NAME } from './feature.ts';
import { OWN_RECALL_SHAPE } from './own-recall.ts';
import { ownTeam, repositoryTeam } from './own-team.ts';
import {
  BOUNDARY_KINDS,
  GATE_ROWS,
  type GateRow,
  KIND_POLICIES,
  OWN_GATE_ROWS,
  RELEASE_CONTENTS,
} from './policy.ts';
import {
  AGE_RULE,
  COMMAND_RULE,
  lanes,
  must,
  mustHaveNoNul,
  optional,
  rule,
  timeLimit,
  userLanes,
  WORKER_NAME,
} from './schema-lanes.ts';
import { keysAt, schemasAt } from './schema-walk.ts';

export const SCHEMA_URL = 'https://unpkg.com/lanehold/schema/lanehold.schema.json';

const RULES = {
  name: rule(
    'is no feature name',
    'names begin with a-z or 0-9 and go on with these and `.`, `_`, `-`, `/`',
  ),
  pattern: rule('is an empty pattern', 'write a glob such as `src/checkout/**`'),
  relative: rule(
    'is absolute',
    'write the pattern relative to the repository root: `src/checkout/**`',
  ),
  climbing: rule(
    'leaves the repository with `..`',
    'a feature can only have files of its own repository',
  ),
  windows: rule('separates folders with `\\`', 'write `/` between folders, also on Windows'),
  principal: rule(
    'is no principal',
    'write it as the allowed-signers file has it, such as `ci@example.org`',
  ),
  long: rule('is too long', 'at most 4,096 characters'),
  doubled: rule('begins with more than one `!`', 'one `!` excludes'),
  positive: rule(
    'has no pattern that includes files',
    'add one without `!`, such as `src/checkout/**`',
  ),
  both: rule(
    'stands beside `files`',
    'take one of them out: `rest` has all files that no other feature has',
  ),
  second: rule('is the second one', 'one feature at most has all that the others leave'),
  timeout: rule('is no time limit', 'write `90s`, `5m`, `2h` or a number of seconds'),
  bounded: rule('is not between 1 ms and 24 hours', 'write `90s`, `5m` or `2h`'),
  adding: rule('excludes files', 'what always counts can only be added to'),
  tokens: rule('is no number of tokens', 'write a number from 0 to 5,000'),
  word: rule('is empty', 'write a word of the command, `*` or a last `**`'),
  words: rule(
    'is no pattern of words',
    'begin with the program; `*` is one word, `**` may only stand last',
  ),
  cwd: rule(
    'is no folder inside the repository',
    'write it relative to the repository root, such as `packages/a`',
  ),
};

const glob = z.string().check(
  must(/^!?[^!]|^!!/, RULES.pattern),
  must(/^(?!!!)/, RULES.doubled),
  must(/^(?!!?(?:\/|\\\\|[A-Za-z]:))/, RULES.relative),
  must(/^(?!!?(?:[\s\S]*[/\\])?\.\.(?:[/\\]|$))/, RULES.climbing),
  // A backslash may escape a glob character; between two plain names it is a Windows path.
  must(/\/|^(?![\s\S]*\w\\[\w.*@-])/, RULES.windows),
  mustHaveNoNul,
  z.maxLength(4096, RULES.long),
);

const command = z.string().check(must(/\S/, COMMAND_RULE), mustHaveNoNul);

const smokeTest = z.strictObject({
  command: command.check(z.describe('Runs in a shell; passes if it exits with 0')),
  timeout: z.optional(timeLimit(RULES.timeout, RULES.bounded)),
  cwd: optional(
    z.string().check(must(/^(?!\/|[A-Za-z]:|(?:[\s\S]*\/)?\.\.(?:\/|$))[^\0\\]*$/, RULES.cwd)),
    'Folder to run in, relative to the repository root',
  ),
});

const featureName = z.string().check(must(FEATURE_NAME, RULES.name));

const feature = z.strictObject({
  files: optional(
    z
      .array(glob)
      .check(z.refine((files) => files.some((file) => !file.startsWith('!')), RULES.positive)),
    'Globs relative to the repository root; a leading `!` excludes',
  ),
  rest: optional(
    z.literal(true),
    'In the place of `files`: every file that no other feature has; documents, licences and settings of editors and CI do not count',
  ),
  smoke: optional(
    z.array(z.union([command, smokeTest])),
    'Commands that prove the feature; all have to pass',
  ),
  dependsOn: optional(z.array(featureName), 'Features whose content counts as content of this one'),
  description: z.optional(z.string()),
});

const kindPolicy = (what: string) =>
  optional(z.enum(KIND_POLICIES), `${what}; \`hold\` by default`);

const kinds = z.strictObject({
  push: kindPolicy('`git push` and its like'),
  'pull-request': kindPolicy('Pull and merge requests'),
  publish: kindPolicy('Packages to a registry'),
  'image-push': kindPolicy('Container images'),
  deploy: kindPolicy('Deployments'),
  release: kindPolicy('Releases of a forge'),
});

const addedBoundary = z.strictObject({
  name: z.string().check(must(/\S/, RULES.word), mustHaveNoNul),
  argv: z
    .array(z.string().check(must(/\S/, RULES.word), mustHaveNoNul))
    .check(
      z.refine(isWordPattern, RULES.words),
      z.describe(
        'One pattern for each word: a literal, `*` for any one word, a last `**` for any that follow',
      ),
    ),
  kind: z.enum(BOUNDARY_KINDS),
  leaves: optional(
    z.enum(RELEASE_CONTENTS),
    'What leaves: refs, the commit at HEAD, or the working tree',
  ),
});

const removal = z.string().check(
  must(/\S/, RULES.word),
  z.refine((text) => isWordPattern(text.split(/\s+/)), RULES.words),
);
const removedBoundary = z.strictObject({ remove: removal });

const gateSettings = {
  kinds: optional(kinds, 'The answer at each kind of boundary where something is not verified'),
  ...gateShape(GATE_ROWS),
  boundaries: optional(
    z.array(z.union([addedBoundary, removedBoundary])),
    'Commands that are boundaries here, or are not',
  ),
};

function gateShape(rows: Readonly<Record<string, GateRow>>) {
  const shape = Object.entries(rows).map(([name, row]) => [
    name,
    optional(gateType(row), row.text),
  ]);
  return Object.fromEntries(shape) as Record<string, z.ZodMiniOptional<z.ZodMiniType>>;
}

function gateType(row: GateRow): z.ZodMiniType {
  if (row.kind === 'age') return z.string().check(must(AGE, AGE_RULE));
  if (row.kind === 'globs') return z.array(glob.check(must(/^[^!]/, RULES.adding)));
  const words = row.order.filter((it) => typeof it === 'string');
  return words.length === 0 ? z.boolean() : z.enum(words);
}

/** A wildcard as the first word would match every command. */
function isWordPattern(words: readonly string[]): boolean {
  const any = words.indexOf('**');
  return (
    words.length > 0 && words[0] !== '*' && any !== 0 && (any === -1 || any === words.length - 1)
  );
}

const gate = z.strictObject(gateSettings);

const userGate = z.strictObject({
  ...gateSettings,
  removable: optional(z.array(removal), 'Boundaries that the file of a repository may remove'),
  ...gateShape(OWN_GATE_ROWS),
});

const evidence = z.strictObject({
  require: optional(
    z.enum(['signed', 'ci', 'any']),
    'Which evidence of others counts in `lanehold gate`; `signed` by default',
  ),
  ci: optional(
    z.array(z.string().check(must(/^[^\s\0]+$/, RULES.principal))),
    'Principals of the allowed-signers file, or gpg keys, that are CI',
  ),
});

const verify = z.strictObject({
  setup: optional(
    z.union([command, z.array(command)]),
    'Commands that make a checkout ready for smoke tests; found by lock files if not set, `[]` for none',
  ),
  setupCache: optional(
    z.array(glob),
    'Globs of the files on which the result of the setup depends: it is kept for the next time',
  ),
});

const recallSettings = {
  capture: optional(
    z.enum(CAPTURES),
    'With `off` nothing is recorded; with `suggest`, the default, what is inferred waits for a person',
  ),
  briefing: optional(
    z.int().check(z.minimum(0, RULES.tokens), z.maximum(MOST_BRIEFING_TOKENS, RULES.tokens)),
    'Tokens that a session is told at most when it starts; 600 by default, 0 for nothing recalled',
  ),
  transcripts: optional(
    z.enum(TRANSCRIPTS),
    'With `on`, which only you can set, sessions that agents have recorded themselves are read; not with `ask`, the default',
  ),
  ignore: optional(
    z.array(z.string().check(must(/\S/, RULES.pattern), mustHaveNoNul)),
    'Globs of files that are never recorded; a folder from `/` or `~` means the projects in it',
  ),
};
const recall = z.strictObject(recallSettings);

const userRecall = z.strictObject({ ...recallSettings, ...OWN_RECALL_SHAPE });

export const registryFileSchema = z.strictObject({
  $schema: z.optional(z.string()),
  features: z.optional(z.record(featureName, feature)),
  gate: z.optional(gate),
  evidence: z.optional(evidence),
  verify: optional(verify, 'How a commit is made ready to be verified'),
  lanes: optional(lanes, 'How orchestrations work here'),
  recall: optional(recall, 'What is recorded of sessions'),
  team: optional(repositoryTeam, 'What a team never gets'),
});

const hooks = z.strictObject({
  resident: optional(
    z.enum(['on', 'off']),
    'With `off` each hook is answered by a process of its own; with `on`, the default, the first starts one for all',
  ),
});

/** The user's own settings: `config.json` in lanehold's home. */
export const userConfigSchema = z.strictObject({
  $schema: z.optional(z.string()),
  gate: z.optional(userGate),
  lanes: z.optional(userLanes),
  hooks: optional(hooks, 'How hooks of agents are answered'),
  recall: optional(userRecall, 'What is recorded of sessions'),
  team: optional(ownTeam, 'What this machine does with a team'),
});

/** Parts of a valid `lanehold.json`, as they were written. */
export type WrittenFeature = z.infer<typeof feature>;
export type WrittenSmokeTest = z.infer<typeof smokeTest>;
export type WrittenGate = z.infer<typeof userGate>;

/** Checks of features that zod does not make: the name `__proto__`, and the combination of `files` and `rest`. */
export function moreIssues(value: unknown): z.core.$ZodIssue[] {
  const features = isJsonObject(value) && isJsonObject(value.features) ? value.features : {};
  const [, ...more] = Object.keys(features).filter((name) => 'rest' in Object(features[name]));
  return Object.entries(features).flatMap(([name, written]): z.core.$ZodIssue[] => {
    const path = ['features', name];
    if (name === '__proto__') {
      const issues = featureName.safeParse(name).error?.issues ?? [];
      return [{ code: 'invalid_key', origin: 'record', path, issues, message: '' }];
    }
    if (!isJsonObject(written)) return [];
    const { files, rest } = written;
    if (files === undefined && rest === undefined)
      return [{ code: 'invalid_type', expected: 'array', path: [...path, 'files'], message: '' }];
    return [
      ...(files !== undefined && rest !== undefined ? [RULES.both] : []),
      ...(more.includes(name) ? [RULES.second] : []),
    ].map((message) => ({ code: 'custom', path: [...path, 'rest'], message }));
  });
}

/** The user's settings by their names on the command line; a group is replaced by its members. */
export const SETTING_NAMES: readonly string[] = keysAt(userConfigSchema, []).flatMap((section) =>
  keysAt(userConfigSchema, [section]).flatMap((name) => {
    const inside = keysAt(userConfigSchema, [section, name]).map((it) => `${name}.${it}`);
    return (inside.length === 0 ? [name] : inside).map((it) => `${section}.${it}`);
  }),
);

/** True also for `lanes.workers.local` and `lanes.opposite.local`, whose names the user chooses. */
export function isSetting(key: string): boolean {
  if (SETTING_NAMES.includes(key)) return true;
  const [section, map, name = ''] = key.split('.');
  const isInMap = takes(`${section}.${map}`, 'record') && WORKER_NAME.test(name);
  return isInMap && schemasAt(userConfigSchema, key.split('.')).length > 0;
}

/** Whether the setting can have values of a type, such as `number`. */
export const takes = (key: string, type: string): boolean =>
  schemasAt(userConfigSchema, key.split('.')).some((it) => it._zod.def.type === type);
