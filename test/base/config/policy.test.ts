import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  BOUNDARY_KINDS,
  DEFAULT_GATE_POLICY,
  type GatePolicy,
  type PolicySettings,
  policyOf,
  stricter,
} from '../../../src/base/config/policy.ts';

const boundary = fc.record({
  name: fc.constantFrom('ship', 'release'),
  argv: fc.constantFrom(['make', 'ship'], ['./ship.sh', '**']),
  kind: fc.constantFrom(...BOUNDARY_KINDS),
});
const kind = fc.constantFrom('off' as const, 'ask' as const, 'hold' as const);
const kinds = fc.record({
  push: kind,
  'pull-request': kind,
  publish: kind,
  'image-push': kind,
  deploy: kind,
  release: kind,
});
const globs = fc.uniqueArray(fc.constantFrom('package.json', 'a/**', 'b/**'));
const removals = fc.uniqueArray(
  fc.constantFrom('npm publish', 'git push staging **', 'cargo publish'),
);

const model = {
  uncovered: fc.constantFrom('allow' as const, 'ask' as const, 'hold' as const),
  opaque: fc.constantFrom('allow' as const, 'ask' as const, 'deny' as const),
  attest: fc.constantFrom('any' as const, 'without-smoke' as const),
  scope: fc.constantFrom('changed' as const, 'all' as const),
  waive: fc.constantFrom('agent' as const, 'person' as const),
  maxAgeMs: fc.constantFrom(60_000, 3_600_000, Number.POSITIVE_INFINITY),
  always: globs.map((it) => it.toSorted()),
  added: fc.uniqueArray(boundary, { selector: (it) => JSON.stringify(it) }).map(sorted),
  removed: removals.map((it) => it.toSorted()),
};
const policy: fc.Arbitrary<GatePolicy> = fc.record({ ...model, kinds });
const settings: fc.Arbitrary<PolicySettings> = fc.record(
  {
    ...model,
    kinds: fc.record({ push: kind, deploy: kind }, { requiredKeys: [] }),
    removable: removals,
  },
  { requiredKeys: [] },
);

function sorted<T>(values: readonly T[]): T[] {
  return values.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

const same = (a: unknown, b: unknown): boolean =>
  JSON.stringify(canonical(a)) === JSON.stringify(canonical(b));
const canonical = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(
        Object.entries(value)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([key, member]) => [key, canonical(member)]),
      )
    : value === Number.POSITIVE_INFINITY
      ? 'never'
      : value;

/** Written down a second time, by hand: each value from the loosest to the strictest. */
const ORDER = {
  kind: ['off', 'ask', 'hold'],
  uncovered: ['allow', 'ask', 'hold'],
  opaque: ['allow', 'ask', 'deny'],
  attest: ['any', 'without-smoke'],
  scope: ['changed', 'all'],
  waive: ['agent', 'person'],
} as const;

function isLooser(a: GatePolicy, b: GatePolicy): boolean {
  const below = (order: readonly string[], x: string, y: string) =>
    order.indexOf(x) < order.indexOf(y);
  const names = (it: GatePolicy) => it.added.map((added) => JSON.stringify(added));
  return (
    BOUNDARY_KINDS.some((it) => below(ORDER.kind, a.kinds[it], b.kinds[it])) ||
    below(ORDER.uncovered, a.uncovered, b.uncovered) ||
    below(ORDER.opaque, a.opaque, b.opaque) ||
    below(ORDER.attest, a.attest, b.attest) ||
    below(ORDER.scope, a.scope, b.scope) ||
    below(ORDER.waive, a.waive, b.waive) ||
    a.maxAgeMs > b.maxAgeMs ||
    b.always.some((it) => !a.always.includes(it)) ||
    names(b).some((it) => !names(a).includes(it)) ||
    a.removed.some((it) => !b.removed.includes(it))
  );
}

test('combining a policy with itself changes nothing', () => {
  fc.assert(fc.property(policy, (it) => same(stricter(it, it), it)));
});

test('the order of two policies means nothing', () => {
  fc.assert(fc.property(policy, policy, (a, b) => same(stricter(a, b), stricter(b, a))));
});

test('of three policies no pair goes first', () => {
  fc.assert(
    fc.property(policy, policy, policy, (a, b, c) =>
      same(stricter(stricter(a, b), c), stricter(a, stricter(b, c))),
    ),
  );
});

test('two policies together are never looser than either', () => {
  fc.assert(
    fc.property(policy, policy, (a, b) => {
      const both = stricter(a, b);
      return !isLooser(both, a) && !isLooser(both, b);
    }),
  );
});

test('a repository never loosens what its user sets', () => {
  fc.assert(
    fc.property(settings, settings, (user, repository) => {
      const own = policyOf(user);
      const set = { ...policyOf(user, repository) };
      // Where the user sets nothing, the repository's value counts, in both directions.
      const floor: GatePolicy = {
        ...set,
        ...Object.fromEntries(Object.keys(user).map((key) => [key, own[key as keyof GatePolicy]])),
        kinds: { ...set.kinds, ...user.kinds },
        removed: [...own.removed, ...(user.removable ?? [])],
      };
      return !isLooser(set, floor);
    }),
  );
});

test('without a word of the user, the repository counts; without either, the default', () => {
  const loose: PolicySettings = { kinds: { deploy: 'off' }, opaque: 'allow', waive: 'agent' };
  expect(policyOf({}, loose)).toEqual({
    ...DEFAULT_GATE_POLICY,
    kinds: { ...DEFAULT_GATE_POLICY.kinds, deploy: 'off' },
    opaque: 'allow',
    waive: 'agent',
  });
  expect(policyOf({ kinds: { deploy: 'ask' }, waive: 'person' }, loose)).toMatchObject({
    kinds: { deploy: 'ask' },
    waive: 'person',
  });
  expect(policyOf({})).toEqual(DEFAULT_GATE_POLICY);
});

test('a repository removes only what its user lets it', () => {
  const repository = { removed: ['npm publish', 'cargo publish'] };
  expect(policyOf({}, repository).removed).toEqual([]);
  expect(policyOf({ removable: ['npm publish'] }, repository).removed).toEqual(['npm publish']);
  expect(policyOf({ removed: ['git push'] }, repository).removed).toEqual(['git push']);
});
