/** Evidence about some contents: of this machine, and shared evidence if it is to count. */
import type { Feature } from '../config/feature.ts';
import type { Fingerprint } from '../features/fingerprint.ts';
import { type Evidence, evidenceStore } from '../store/evidence.ts';
import type { Store } from '../store/open.ts';

export interface Wanted {
  readonly feature: Feature;
  readonly fingerprint: Fingerprint;
}

export interface SharedEvidence {
  /** The records that the policy lets count, newest first, by fingerprint. */
  about(wanted: readonly Wanted[]): Promise<ReadonlyMap<string, readonly Evidence[]>>;
}

interface Sources {
  readonly store: Store;
  readonly projectId: number;
  readonly shared?: SharedEvidence;
}

/** Looks up the records about a content, newest first. */
export async function recordsOf(
  { store, projectId, shared }: Sources,
  wanted: readonly Wanted[],
): Promise<(fingerprint: Fingerprint) => readonly Evidence[]> {
  const own = evidenceStore(store);
  if (shared === undefined) return (fingerprint) => own.ofContent(projectId, fingerprint);
  const others = await shared.about(wanted);
  return (fingerprint) => {
    // Imported records were judged by the policy of that day; shared evidence is judged again.
    const here = own.ofContent(projectId, fingerprint).filter(({ source }) => source === null);
    return newestFirst(here, others.get(fingerprint) ?? []);
  };
}

/** Records of this machine stay in the order of their ids: its clock may have been set back. */
function newestFirst(own: readonly Evidence[], others: readonly Evidence[]): Evidence[] {
  const merged: Evidence[] = [];
  const left = [...others];
  for (const record of own) {
    while (left[0] !== undefined && left[0].at > record.at) merged.push(...left.splice(0, 1));
    merged.push(record);
  }
  return [...merged, ...left];
}
