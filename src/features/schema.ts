/**
 * The shape of `lanehold.json`: the one source for its validation and for the JSON Schema that
 * editors use (`npm run generate` writes it). `zod/mini`, because the hook reads this file.
 */
import * as z from 'zod/mini';
import { FEATURE_NAME } from './feature.ts';
import { MAX_TIMEOUT_MS, parseTimeout, TIMEOUT } from './registry-file-timeout.ts';

export const SCHEMA_URL = 'https://unpkg.com/lanehold/schema/lanehold.schema.json';

/** What a refused value is told, as the end of a sentence that its place in the file begins. */
interface Rule {
  readonly fact: string;
  readonly hint: string;
}

const NO_NUL = /^[^\0]*$/;

const RULES = {
  name: {
    fact: 'is no feature name',
    hint: 'names begin with a-z or 0-9 and go on with these and `.`, `_`, `-`, `/`',
  },
  pattern: { fact: 'is an empty pattern', hint: 'write a glob such as `src/checkout/**`' },
  relative: {
    fact: 'is absolute',
    hint: 'write the pattern relative to the repository root: `src/checkout/**`',
  },
  climbing: {
    fact: 'leaves the repository with `..`',
    hint: 'a feature can only have files of its own repository',
  },
  windows: {
    fact: 'separates folders with `\\`',
    hint: 'write `/` between folders, also on Windows',
  },
  principal: {
    fact: 'is no principal',
    hint: 'write it as the allowed-signers file has it, such as `ci@example.org`',
  },
  nul: { fact: 'contains a NUL character', hint: 'remove `\\u0000`' },
  long: { fact: 'is too long', hint: 'at most 4,096 characters' },
  doubled: { fact: 'begins with more than one `!`', hint: 'one `!` excludes' },
  positive: {
    fact: 'has no pattern that includes files',
    hint: 'add one without `!`, such as `src/checkout/**`',
  },
  command: { fact: 'is empty', hint: 'write the command that proves the feature' },
  timeout: { fact: 'is no time limit', hint: 'write `90s`, `5m`, `2h` or a number of seconds' },
  bounded: { fact: 'is not between 1 ms and 24 hours', hint: 'write `90s`, `5m` or `2h`' },
  cwd: {
    fact: 'is no folder inside the repository',
    hint: 'write it relative to the repository root, such as `packages/a`',
  },
} as const satisfies Record<string, Rule>;

/** The hint that belongs to a fact with which a rule refused a value. */
export function hintFor(fact: string): string | undefined {
  return Object.values(RULES).find((rule) => rule.fact === fact)?.hint;
}

/** The first rule that a value breaks is the one its author reads. */
const must = (pattern: RegExp, { fact }: Rule) => z.regex(pattern, { error: fact, abort: true });

const glob = z.string().check(
  must(/^!?[^!]|^!!/, RULES.pattern),
  must(/^(?!!!)/, RULES.doubled),
  must(/^(?!!?(?:\/|\\\\|[A-Za-z]:))/, RULES.relative),
  must(/^(?!!?(?:[\s\S]*[/\\])?\.\.(?:[/\\]|$))/, RULES.climbing),
  // A backslash may escape a glob character; between two plain names it is a Windows path.
  must(/\/|^(?![\s\S]*\w\\[\w.*@-])/, RULES.windows),
  must(NO_NUL, RULES.nul),
  z.maxLength(4096, RULES.long.fact),
);

const command = z.string().check(must(/\S/, RULES.command), must(NO_NUL, RULES.nul));

const smokeTest = z.strictObject({
  command: command.check(z.describe('Runs in a shell; passes if it exits with 0')),
  timeout: z.optional(
    z.union([
      z
        .number()
        .check(z.gt(0, RULES.bounded.fact), z.lte(MAX_TIMEOUT_MS / 1000, RULES.bounded.fact)),
      z.string().check(
        must(TIMEOUT, RULES.timeout),
        z.refine(
          (text) => !TIMEOUT.test(text) || parseTimeout(text) !== undefined,
          RULES.bounded.fact,
        ),
      ),
    ]),
  ),
  cwd: z.optional(
    z
      .string()
      .check(
        must(/^(?!\/|[A-Za-z]:|(?:[\s\S]*\/)?\.\.(?:\/|$))[^\0\\]*$/, RULES.cwd),
        z.describe('Folder to run in, relative to the repository root'),
      ),
  ),
});

const featureName = z.string().check(must(FEATURE_NAME, RULES.name));

const feature = z.strictObject({
  files: z.array(glob).check(
    z.refine((files) => files.some((file) => !file.startsWith('!')), RULES.positive.fact),
    z.describe('Globs relative to the repository root; a leading `!` excludes'),
  ),
  smoke: z.optional(
    z
      .array(z.union([command, smokeTest]))
      .check(z.describe('Commands that prove the feature; all have to pass')),
  ),
  dependsOn: z.optional(
    z.array(featureName).check(z.describe('Features whose content counts as content of this one')),
  ),
  description: z.optional(z.string()),
});

const gate = z.strictObject({
  uncovered: z.optional(
    z
      .enum(['allow', 'ask', 'hold'])
      .check(z.describe('The answer to files that belong to no feature; `allow` by default')),
  ),
  opaque: z.optional(
    z
      .enum(['ask', 'deny', 'allow'])
      .check(z.describe('The answer to commands that no reading can decide; `ask` by default')),
  ),
  attest: z.optional(
    z
      .enum(['without-smoke', 'any'])
      .check(z.describe('Which features may be attested without running anything')),
  ),
});

const evidence = z.strictObject({
  require: z.optional(
    z
      .enum(['signed', 'ci', 'any'])
      .check(z.describe('Which evidence of others counts in `lanehold gate`; `signed` by default')),
  ),
  ci: z.optional(
    z
      .array(z.string().check(must(/^[^\s\0]+$/, RULES.principal)))
      .check(z.describe('Principals of the allowed-signers file, or gpg keys, that are CI')),
  ),
});

export const registryFileSchema = z.strictObject({
  $schema: z.optional(z.string()),
  features: z.optional(z.record(featureName, feature)),
  gate: z.optional(gate),
  evidence: z.optional(evidence),
  lanes: z.optional(z.strictObject({})),
  recall: z.optional(z.strictObject({})),
});

/** Parts of a `lanehold.json` that has the right shape, as they were written. */
export type WrittenFeature = z.infer<typeof feature>;
export type WrittenSmokeTest = z.infer<typeof smokeTest>;

/** The issue of a feature whose name JSON can write and zod cannot see. */
export function badNameIssue(name: string): z.core.$ZodIssue {
  const issues = featureName.safeParse(name).error?.issues ?? [];
  return { code: 'invalid_key', origin: 'record', path: ['features', name], issues, message: '' };
}

/** The keys that the object at `path` may have, in the order of the documentation. */
export function knownKeys(path: readonly PropertyKey[]): readonly string[] {
  return Object.keys(objectAt(path).shape);
}

function objectAt(path: readonly PropertyKey[]): { readonly shape: object } {
  const [section, , list] = path;
  if (section === 'features') return list === 'smoke' ? smokeTest : feature;
  if (section === 'gate') return gate;
  if (section === 'evidence') return evidence;
  return section === undefined ? registryFileSchema : { shape: {} };
}
