import type { AttestPolicy, GatePolicy, UncoveredPolicy } from './feature.ts';

/** From lenient to strict. */
const UNCOVERED: readonly UncoveredPolicy[] = ['allow', 'ask', 'hold'];
const ATTEST: readonly AttestPolicy[] = ['any', 'without-smoke'];

/** A change that relaxes a policy does not profit from it before others have it. Pure. */
export function stricter(subject: GatePolicy, base: GatePolicy): GatePolicy {
  return {
    ...subject,
    uncovered: later(UNCOVERED, subject.uncovered, base.uncovered),
    attest: later(ATTEST, subject.attest, base.attest),
  };
}

function later<T>(order: readonly T[], one: T, other: T): T {
  return order.indexOf(other) > order.indexOf(one) ? other : one;
}
