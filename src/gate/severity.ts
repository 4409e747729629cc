/** What a policy answers at one boundary where something is not verified. */
import type { GatePolicy, KindPolicy } from '../features/policy.ts';
import { matchesWords } from './argv-pattern.ts';
import type { Boundary } from './finding.ts';

export function severityOf(
  { kinds, removed }: GatePolicy,
  { kind, rule, argv }: Pick<Boundary, 'kind' | 'rule' | 'argv'>,
): KindPolicy {
  const isRemoved = removed.some((it) => it === rule || matchesWords(it.split(' '), argv));
  return isRemoved ? 'off' : kinds[kind];
}
