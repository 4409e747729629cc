/** What a policy answers at one boundary where something is not verified. */
import type { GatePolicy, KindPolicy } from '../config/policy.ts';
import type { Boundary } from '../recognise/finding.ts';
import { matchesWords } from '../recognise/rules/argv-pattern.ts';

export function severityOf(
  { kinds, removed }: GatePolicy,
  { kind, rule, argv }: Pick<Boundary, 'kind' | 'rule' | 'argv'>,
): KindPolicy {
  const isRemoved = removed.some((it) => it === rule || matchesWords(it.split(' '), argv));
  return isRemoved ? 'off' : kinds[kind];
}
