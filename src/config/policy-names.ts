/** The settings of a policy by the names that files and the command line have for them. Pure. */

import { formatAge } from '../text/time.ts';
import { BOUNDARY_KINDS, type GatePolicy, type PolicySettings } from './policy.ts';

export const SETTING_NAMES: readonly string[] = [
  ...BOUNDARY_KINDS.map((kind) => `gate.kinds.${kind}`),
  'gate.uncovered',
  'gate.opaque',
  'gate.attest',
  'gate.scope',
  'gate.waive',
  'gate.maxAge',
  'gate.always',
  'gate.boundaries',
  'gate.removable',
];

/** The value of a setting as a file would write it; `null` where there is none. */
export function settingNamed(name: string, policy: GatePolicy, own: PolicySettings): unknown {
  const [, setting, kind] = name.split('.');
  switch (setting) {
    case 'kinds':
      return policy.kinds[kind as keyof GatePolicy['kinds']];
    case 'maxAge':
      return Number.isFinite(policy.maxAgeMs) ? formatAge(policy.maxAgeMs) : null;
    case 'boundaries':
      return [...policy.added, ...policy.removed.map((remove) => ({ remove }))];
    case 'removable':
      return own.removable ?? [];
    default:
      return policy[setting as 'uncovered' | 'opaque' | 'attest' | 'scope' | 'waive' | 'always'];
  }
}

/** A value in words of a table: `none` where there is nothing. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === null || (Array.isArray(value) && value.length === 0)
    ? 'none'
    : JSON.stringify(value);
}
