/**
 * The policy of the gate, and how two policies combine. Pure.
 *
 * For each setting the stricter of two values can be taken. So a repository can tighten its user's
 * policy but not loosen it, and a change cannot loosen the policy that it is judged by.
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

/** What leaves: the refs that a push names, the commit at HEAD, or the files of the working tree. */
export const RELEASE_CONTENTS = ['refs', 'head', 'worktree'] as const;
export type ReleaseContent = (typeof RELEASE_CONTENTS)[number];

/** The values of each setting that is a choice, from the loosest to the strictest. */
export const CHOICES = {
  /** The answer where something is not verified; `off` checks nothing. */
  kind: ['off', 'ask', 'hold'],
  /** The answer to changed files that belong to no feature. */
  uncovered: ['allow', 'ask', 'hold'],
  /** The answer to commands that no reading can decide. */
  opaque: ['allow', 'ask', 'deny'],
  /** Which features may be attested without running anything. */
  attest: ['any', 'without-smoke'],
  /** Which features have to be verified: those that a change concerns, or every one. */
  scope: ['changed', 'all'],
  /** Who may waive: an agent by itself, or only with the agreement of a person. */
  waive: ['agent', 'person'],
  /** What becomes of a command that is held: refused, or run after the smoke tests. */
  onHold: ['verify', 'deny'],
} as const;
type Choice<Name extends keyof typeof CHOICES> = (typeof CHOICES)[Name][number];
export type KindPolicy = Choice<'kind'>;

/** A command that settings declare to be a boundary. */
export interface AddedBoundary {
  readonly name: string;
  /** One pattern for each word: a literal, `*` for any one word, a last `**` for any that follow. */
  readonly argv: readonly string[];
  readonly kind: BoundaryKind;
  /** Follows from the kind if absent. */
  readonly leaves?: ReleaseContent;
}

export interface GatePolicy {
  readonly kinds: Readonly<Record<BoundaryKind, KindPolicy>>;
  readonly uncovered: Choice<'uncovered'>;
  readonly opaque: Choice<'opaque'>;
  readonly attest: Choice<'attest'>;
  readonly scope: Choice<'scope'>;
  readonly waive: Choice<'waive'>;
  /** After this time evidence no longer counts; infinite: it counts as long as the content stays. */
  readonly maxAgeMs: number;
  /** Globs of files that count for every feature. */
  readonly always: readonly string[];
  readonly added: readonly AddedBoundary[];
  /** Commands that settings declare not to be boundaries: the id of a rule, or a pattern of words. */
  readonly removed: readonly string[];
}

/** What one file sets, without defaults. */
export type PolicySettings = Partial<Omit<GatePolicy, 'kinds'>> & {
  readonly kinds?: Partial<GatePolicy['kinds']>;
  /** In the user's settings only: boundaries that the file of a repository may remove. */
  readonly removable?: readonly string[];
  /** In the user's settings only. */
  readonly onHold?: Choice<'onHold'>;
};

export const DEFAULT_GATE_POLICY: GatePolicy = {
  kinds: everyKind(() => 'hold'),
  uncovered: 'allow',
  opaque: 'ask',
  attest: 'without-smoke',
  scope: 'changed',
  waive: 'person',
  maxAgeMs: Number.POSITIVE_INFINITY,
  always: [],
  added: [],
  removed: [],
};

/** The strictest of both, setting by setting. */
export function stricter(a: GatePolicy, b: GatePolicy): GatePolicy {
  return {
    kinds: everyKind((kind) => later(CHOICES.kind, a.kinds[kind], b.kinds[kind])),
    uncovered: later(CHOICES.uncovered, a.uncovered, b.uncovered),
    opaque: later(CHOICES.opaque, a.opaque, b.opaque),
    attest: later(CHOICES.attest, a.attest, b.attest),
    scope: later(CHOICES.scope, a.scope, b.scope),
    waive: later(CHOICES.waive, a.waive, b.waive),
    maxAgeMs: Math.min(a.maxAgeMs, b.maxAgeMs),
    always: inEither(a.always, b.always),
    added: inEither(a.added, b.added),
    removed: inEither(a.removed, a.removed).filter((it) => b.removed.includes(it)),
  };
}

/**
 * The policy of a user in a repository. The user's settings are the minimum. Where the user sets
 * nothing, the repository's value counts, else the default.
 *
 * @param repository what its file sets; without a file, nothing.
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
  const { removable: _, onHold: __, kinds, ...set } = settings;
  return { ...rest, ...set, kinds: { ...rest.kinds, ...kinds } };
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
