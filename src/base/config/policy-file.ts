/** Settings of the gate as `lanehold.json`, `config.json` and the command line write them. Pure. */
import { formatAge, parseAge } from '../text/time.ts';
import {
  type AddedBoundary,
  BOUNDARY_KINDS,
  type GatePolicy,
  type PolicySettings,
} from './policy.ts';
import type { WrittenBoundary, WrittenGate } from './schema.ts';

/** The `gate` of a file that has the right shape, normalised. */
export function toPolicySettings(written: WrittenGate): PolicySettings {
  const { maxAge, boundaries, ...same } = written;
  const maxAgeMs = maxAge === undefined ? undefined : parseAge(maxAge);
  const settings = {
    ...same,
    maxAgeMs,
    added: boundaries?.flatMap((it): AddedBoundary[] => ('argv' in it ? [toAdded(it)] : [])),
    removed: boundaries?.flatMap((it) => ('remove' in it ? [normalised(it.remove)] : [])),
    removable: same.removable?.map(normalised),
  };
  return withoutUndefined(settings);
}

function toAdded({ name, argv, kind, leaves }: WrittenBoundary): AddedBoundary {
  return { name, argv, kind, ...(leaves === undefined ? {} : { leaves }) };
}

/** With single blanks between the words. */
function normalised(pattern: string): string {
  return pattern.trim().split(/\s+/).join(' ');
}

/** An absent setting means that the file does not set it. */
function withoutUndefined(settings: object): PolicySettings {
  return Object.fromEntries(
    Object.entries(settings).filter(([, value]) => value !== undefined),
  ) as PolicySettings;
}

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
  'gate.onHold',
];

/** The value of a setting as a file writes it; `null` if it has none. */
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
    case 'onHold':
      return own.onHold ?? 'deny';
    default:
      return policy[setting as 'uncovered' | 'opaque' | 'attest' | 'scope' | 'waive' | 'always'];
  }
}

/** A value as a cell of a table; `none` if it is empty. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === null || (Array.isArray(value) && value.length === 0)
    ? 'none'
    : JSON.stringify(value);
}
