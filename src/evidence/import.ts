/**
 * Takes evidence of others over into the store. A hook reads no notes and checks no signature: it
 * has milliseconds. So whoever pulls has the notes judged once, and the store says who vouched.
 */

import type { Feature } from '../config/feature.ts';
import type { Registry } from '../features/fingerprint.ts';
import type { Workspace } from '../features/workspace.ts';
import { readNotes } from '../git/notes.ts';
import { type Evidence, evidenceStore } from '../store/evidence.ts';
import { asEvidence, type Reading, type Refusal } from './from-notes.ts';
import { plausible, vouch } from './judge.ts';
import { byContent, type Carried, keyOf, unload } from './note-records.ts';
import type { Read } from './refusal.ts';

/** Each costs a program or two; older ones are about content that hardly anybody sends again. */
const MAX_JUDGED = 500;

export interface TakenOver {
  readonly records: readonly Evidence[];
  readonly refusals: readonly Refusal[];
  readonly unreadable: number;
}

/** @param head its note is read first. */
export async function takeOver(
  workspace: Workspace,
  registry: Registry,
  reading: Reading,
  head: string,
): Promise<TakenOver> {
  const { notes, unread } = await readNotes(reading.git, head);
  const { carried, unreadable } = unload(notes);
  const records: Evidence[] = [];
  const refusals: Refusal[] = [];
  const decided = new Set<string>();
  const news = [...byContent(carried).values()].flatMap((group) =>
    newerThanKnown(workspace, group, reading.now),
  );
  for (const it of news.slice(0, MAX_JUDGED)) {
    const { record, commit } = it;
    const feature = registry.get(record.feature);
    if (feature === undefined || decided.has(keyOf(record))) continue;
    const voucher = await voucherOf(it, feature, reading);
    if (voucher.kind === 'refused') {
      refusals.push({ feature: feature.name, commit, reason: voucher.reason });
      continue;
    }
    records.push(asEvidence(record, voucher.value));
    if (record.expiresAt === null) decided.add(keyOf(record));
  }
  keep(workspace, records);
  return { records, refusals, unreadable: unread + unreadable.length };
}

/** Which tests the feature had at that content is not known here; at the gate it is. */
async function voucherOf(
  { record, envelope }: Carried,
  feature: Feature,
  { trust, now, scratch }: Reading,
): Promise<Read<string>> {
  const fit = plausible(record, feature, trust, now);
  return fit.kind === 'refused' ? fit : vouch(envelope, trust, scratch);
}

/**
 * The store goes by the order in which records come in: what is older than the record that speaks
 * for a content now has been superseded, and must not come after it.
 */
function newerThanKnown(
  { store, projectId }: Workspace,
  group: readonly Carried[],
  now: Date,
): Carried[] {
  const [first] = group;
  if (first === undefined) return [];
  const lasts = (expiresAt: Date | null) => expiresAt === null || expiresAt > now;
  const known = evidenceStore(store)
    .ofContent(projectId, first.record.fingerprint)
    .find(({ expiresAt }) => lasts(expiresAt));
  return group.filter(
    ({ record }) => lasts(record.expiresAt) && (known === undefined || record.at > known.at),
  );
}

function keep({ store, projectId }: Workspace, records: readonly Evidence[]): void {
  if (records.length === 0) return;
  const evidence = evidenceStore(store);
  store.write(() => {
    for (const { id: _, at, ...record } of records.toReversed()) {
      evidence.add({ ...record, projectId }, at);
    }
  });
}
