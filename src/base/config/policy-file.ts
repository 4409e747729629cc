/** Settings of the gate as `lanehold.json`, `config.json` and the command line write them. Pure. */
import { formatAge, parseAge } from '../text/time.ts';
import {
  GATE_ROWS,
  type GatePolicy,
  type GateRow,
  OWN_GATE_ROWS,
  type PolicySettings,
} from './policy.ts';
import type { WrittenGate } from './schema.ts';

const ROWS: Readonly<Record<string, GateRow>> = { ...GATE_ROWS, ...OWN_GATE_ROWS };

/** The `gate` of a file that has the right shape, normalised. */
export function toPolicySettings({ boundaries, ...written }: WrittenGate): PolicySettings {
  const same = Object.entries(written).map(([name, value]) =>
    ROWS[name]?.kind === 'age' ? [`${name}Ms`, parseAge(String(value))] : [name, value],
  );
  return {
    ...Object.fromEntries(same),
    ...(boundaries && {
      added: boundaries.filter((it) => 'argv' in it),
      removed: boundaries.flatMap((it) => ('remove' in it ? [normalised(it.remove)] : [])),
    }),
    ...(written.removable && { removable: written.removable.map(normalised) }),
  };
}

/** The words have single blanks between them. */
function normalised(pattern: string): string {
  return pattern.trim().split(/\s+/).join(' ');
}

/** The value of a setting as it is written in a file; `null` if it has none. */
export function settingNamed(setting: string, policy: GatePolicy, own: PolicySettings): unknown {
  const [, name = '', kind] = setting.split('.');
  if (name === 'kinds') return policy.kinds[kind as keyof GatePolicy['kinds']];
  if (name === 'boundaries')
    return [...policy.added, ...policy.removed.map((remove) => ({ remove }))];
  if (name === 'removable') return own.removable ?? [];
  const all: Readonly<Record<string, unknown>> = { ...own, ...policy };
  if (ROWS[name]?.kind !== 'age') return all[name] ?? ROWS[name]?.usual;
  const ms = Number(all[`${name}Ms`]);
  return Number.isFinite(ms) ? formatAge(ms) : null;
}

/** A value as a cell of a table; `none` if it is empty. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === null || (Array.isArray(value) && value.length === 0)
    ? 'none'
    : JSON.stringify(value);
}
