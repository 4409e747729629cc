import { parseAge } from '../text/time.ts';
import type { AddedBoundary, PolicySettings } from './policy.ts';
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

/** However many blanks stand between the words. */
function normalised(pattern: string): string {
  return pattern.trim().split(/\s+/).join(' ');
}

/** A setting that is absent is one of which the file says nothing. */
function withoutUndefined(settings: object): PolicySettings {
  return Object.fromEntries(
    Object.entries(settings).filter(([, value]) => value !== undefined),
  ) as PolicySettings;
}
