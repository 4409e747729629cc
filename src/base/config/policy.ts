/**
 * The policy of the gate, and how two policies combine. Pure.
 *
 * Of two values of a setting, the stricter one can be taken. So a repository can tighten its user's
 * policy but not loosen it, and a change cannot loosen the policy by which it is judged.
 */

/** The kinds of commands that make work leave the machine. */
export const BOUNDARY_KINDS = [
  'push',
  'pull-request',
  'publish',
  'image-push',
  'deploy',
  'release',
] as const;
export type BoundaryKind = (typeof BOUNDARY_KINDS)[number];

/** The content that leaves: the refs that a push names, the commit at HEAD, or the files of the working tree. */
export const RELEASE_CONTENTS = ['refs', 'head', 'worktree'] as const;
export type ReleaseContent = (typeof RELEASE_CONTENTS)[number];

/** @param order the values from the loosest to the strictest; the strictest of two files counts. */
const choice = <const Value extends string | boolean>(
  order: readonly [Value, ...Value[]],
  usual: NoInfer<Value>,
  text: string,
) => ({ kind: 'choice' as const, order, usual, text });

/** The age after which something no longer counts, in force `<name>Ms`; the shorter one of two files counts. */
const age = (text: string) => ({ kind: 'age' as const, usual: Number.POSITIVE_INFINITY, text });

/** Globs of files; those of both files count. */
const globs = (text: string) => ({ kind: 'globs' as const, usual: [] as readonly string[], text });

/** The settings that both files may have. Schema, `config`, defaults, merging and the policy's type follow. */
export const GATE_ROWS = {
  uncovered: choice(
    ['allow', 'ask', 'hold'],
    'allow',
    'The answer to files that belong to no feature; `allow` by default; `ask` is not about documents and settings of editors and CI',
  ),
  opaque: choice(
    ['allow', 'ask', 'deny'],
    'ask',
    'The answer to commands that no reading can decide; `ask` by default',
  ),
  attest: choice(
    ['any', 'without-smoke'],
    'without-smoke',
    'Which features may be attested without running anything',
  ),
  scope: choice(
    ['changed', 'all'],
    'changed',
    'Which features have to be verified at a boundary; those a change concerns by default',
  ),
  waive: choice(
    ['agent', 'person'],
    'person',
    'Who may waive without being asked; a `person` by default',
  ),
  maxAge: age('After this time evidence no longer counts: `24h`, `7d`; never by default'),
  always: globs('Globs of files that count for every feature, such as a lock file'),
};

/** The settings that only the user may have. */
export const OWN_GATE_ROWS = {
  onHold: choice(
    ['verify', 'deny'],
    'deny',
    'With `verify`, an agent that is held runs the smoke tests first and goes on; `deny` by default',
  ),
};

export type GateRow = ReturnType<typeof age | typeof globs> | ReturnType<typeof choice>;
type Settled<Rows extends Record<string, GateRow>> = {
  readonly [Name in keyof Rows as Rows[Name]['kind'] extends 'age'
    ? `${Name & string}Ms`
    : Name]: Rows[Name] extends { readonly order: readonly (infer Value)[] }
    ? Value
    : Rows[Name]['usual'];
};

/** The answer if something is not verified, from the loosest; `off` checks nothing. */
export const KIND_POLICIES = ['off', 'ask', 'hold'] as const;
export type KindPolicy = (typeof KIND_POLICIES)[number];

/** A command that settings declare to be a boundary. */
export interface AddedBoundary {
  readonly name: string;
  /** One pattern for each word: a literal, `*` for any one word, a last `**` for any that follow. */
  readonly argv: readonly string[];
  readonly kind: BoundaryKind;
  /** The content that leaves; it follows from the kind if absent. */
  readonly leaves?: ReleaseContent | undefined;
}

export interface GatePolicy extends Settled<typeof GATE_ROWS> {
  readonly kinds: Readonly<Record<BoundaryKind, KindPolicy>>;
  readonly added: readonly AddedBoundary[];
  /** Commands that settings declare not to be boundaries: the id of a rule, or a pattern of words. */
  readonly removed: readonly string[];
}

/** The settings of one file, without defaults. */
export type PolicySettings = Partial<Omit<GatePolicy, 'kinds'> & Settled<typeof OWN_GATE_ROWS>> & {
  readonly kinds?: Partial<GatePolicy['kinds']>;
  /** Boundaries that the file of a repository may remove; only the user's settings can list them. */
  readonly removable?: readonly string[];
};

/** A value for each row of the policy, by its name in force. */
function settled(value: (row: GateRow, name: never) => unknown): Settled<typeof GATE_ROWS> {
  const values = Object.entries(GATE_ROWS).map(([written, row]) => {
    const name = row.kind === 'age' ? `${written}Ms` : written;
    return [name, value(row, name as never)];
  });
  return Object.fromEntries(values);
}

export const DEFAULT_GATE_POLICY: GatePolicy = {
  ...settled(({ usual }) => usual),
  kinds: everyKind(() => 'hold'),
  added: [],
  removed: [],
};

export function stricter(a: GatePolicy, b: GatePolicy): GatePolicy {
  return {
    ...settled((row, name) => stricterValue(row, a[name], b[name])),
    kinds: everyKind((kind) => later(KIND_POLICIES, a.kinds[kind], b.kinds[kind])),
    added: inEither(a.added, b.added),
    removed: inEither(a.removed, a.removed).filter((it) => b.removed.includes(it)),
  };
}

function stricterValue(row: GateRow, a: never, b: never): unknown {
  if (row.kind === 'choice') return later(row.order, a, b);
  return row.kind === 'age' ? Math.min(a, b) : inEither(a, b);
}

/**
 * The policy of a user in a repository. The user's settings are the minimum. If the user sets
 * nothing, the repository's value counts, else the default.
 *
 * @param repository the settings of its file; empty without a file.
 */
export function policyOf(user: PolicySettings, repository: PolicySettings = {}): GatePolicy {
  const own = filled(user, DEFAULT_GATE_POLICY);
  const theirs = filled(permitted(repository, user), own);
  const floor = filled({ ...user, removed: theirs.removed }, theirs);
  return stricter(theirs, floor);
}

/** A repository can remove only boundaries that its user removes or lists as removable. */
function permitted(settings: PolicySettings, user: PolicySettings): PolicySettings {
  const may = user.removable ?? [];
  const removed = (settings.removed ?? []).filter((it) => may.includes(it));
  return { ...settings, removed: inEither(user.removed ?? [], removed) };
}

function filled(settings: PolicySettings, rest: GatePolicy): GatePolicy {
  const set = Object.entries(settings).filter(([name]) => name in DEFAULT_GATE_POLICY);
  return { ...rest, ...Object.fromEntries(set), kinds: { ...rest.kinds, ...settings.kinds } };
}

function everyKind<T>(value: (kind: BoundaryKind) => T): Readonly<Record<BoundaryKind, T>> {
  return Object.fromEntries(BOUNDARY_KINDS.map((kind) => [kind, value(kind)])) as Record<
    BoundaryKind,
    T
  >;
}

function later<T>(choices: readonly T[], a: T, b: T): T {
  return choices.indexOf(a) >= choices.indexOf(b) ? a : b;
}

/** Sorted and without duplicates, so that the order of two files does not matter. */
function inEither<T>(a: readonly T[], b: readonly T[]): readonly T[] {
  const all = new Map([...a, ...b].map((it) => [JSON.stringify(it), it]));
  return [...all].sort(([x], [y]) => (x < y ? -1 : 1)).map(([, it]) => it);
}
