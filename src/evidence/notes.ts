/** Evidence in git notes: signed envelopes that others can check, read record by record for a gate or the store. */
import { REGISTRY_FILE } from '../base/config/feature.ts';
import { attempt } from '../base/errors.ts';
import type { Git } from '../base/git/git.ts';
import { addNoteLines, noteLines, readNotes } from '../base/git/notes.ts';
import { type Assessed, assess, assessNamed } from '../features/assess.ts';
import { lackingIn } from '../features/besides.ts';
import { type Comparison, lookAt, subjectRegistry } from '../features/comparison.ts';
import type { SharedEvidence, Wanted } from '../features/evidence-status.ts';
import type { Registry } from '../features/fingerprint.ts';
import type { Workspace } from '../features/workspace.ts';
import { type Evidence, evidenceStore } from '../store/evidence.ts';
import { envelopeLine, orRefusal, RefusedError, readEnvelope, signedBytes } from './envelope.ts';
import { type JudgingContext, judge } from './judge.ts';
import { type Signer, sign } from './signing.ts';
import {
  byContent,
  type Configuration,
  keyOf,
  type NoteRecord,
  type PortableRecord,
  readNoteRecords,
  statementBytes,
} from './statement.ts';

export interface Sent {
  readonly feature: string;
  readonly kind: Evidence['kind'];
  /** False if the commit's note has it already. */
  readonly added: boolean;
}

interface Sending extends Omit<JudgingContext, 'trust'> {
  readonly commit: string;
  readonly signer: Signer;
}

/** Sends only records of this machine: to sign those of others would mean to answer for them. */
export async function noteEvidence(
  workspace: Workspace,
  items: readonly Assessed[],
  { git, commit, signer, scratch, now }: Sending,
): Promise<Sent[]> {
  const configuration = await configurationAt(git, commit);
  const known = knownPayloads(await noteLines(git, commit));
  const lines: string[] = [];
  const sent: Sent[] = [];
  for (const item of items) {
    for (const record of await speaking(workspace, item, now)) {
      const payload = statementBytes(record, configuration);
      const before = known.get(payload.toString('base64'));
      const added = before === undefined || (before === 'unsigned' && signer.kind !== 'none');
      sent.push({ feature: item.feature.name, kind: record.kind, added });
      if (!added) continue;
      lines.push(envelopeLine(payload, await sign(signedBytes(payload), signer, scratch)));
    }
  }
  if (lines.length > 0) await addNoteLines(git, commit, lines);
  return sent;
}

/**
 * The record that decides about a content, and newer waivers; newest first. A record that passed with files besides the
 * commit says nothing about the commit, and would name files that are not sent.
 */
async function speaking(
  workspace: Workspace,
  { fingerprint, subject }: Assessed,
  now: Date,
): Promise<Evidence[]> {
  const own = evidenceStore(workspace.store)
    .ofContent(workspace.projectId, fingerprint)
    .filter(({ source, expiresAt }) => source === null && (expiresAt === null || expiresAt > now));
  const besides = own.flatMap((it) => it.besides);
  const lacked = await lackingIn(lookAt(workspace), subject, besides);
  const records = own.filter((it) => lacked(it).length === 0);
  const decisive = records.findIndex(({ expiresAt }) => expiresAt === null);
  return decisive === -1 ? records : records.slice(0, decisive + 1);
}

export async function configurationAt(git: Git, commit: string): Promise<Configuration[]> {
  const args = ['rev-parse', '--verify', '--quiet', `${commit}:${REGISTRY_FILE}`];
  const blob = await git.maybe(args, [1, 128]);
  return blob === undefined ? [] : [{ name: REGISTRY_FILE, digest: { gitBlob: blob.trim() } }];
}

/** Compares payloads, because signing the same bytes again may give another signature. */
function knownPayloads(lines: readonly string[]): ReadonlyMap<string, 'signed' | 'unsigned'> {
  const known = new Map<string, 'signed' | 'unsigned'>();
  for (const line of lines) {
    const envelope = attempt(() => readEnvelope(line));
    if (envelope === undefined) continue;
    const key = envelope.payload.toString('base64');
    if (envelope.signatures.length > 0) known.set(key, 'signed');
    else if (!known.has(key)) known.set(key, 'unsigned');
  }
  return known;
}

export type CheckedRecord = Awaited<ReturnType<typeof checkNote>>['records'][number];

/**
 * Who signed each record, or why it does not count, as clauses.
 *
 * @param items every content that evidence at the commit can be about.
 */
export async function checkNote(
  items: readonly Assessed[],
  context: JudgingContext,
  commit: string,
) {
  const lines = await noteLines(context.git, commit);
  const { records, unreadable } = readNoteRecords([{ commit, lines }]);
  const checked: { record: PortableRecord; by: string | null; refusal: string | null }[] = [];
  for (const it of records) {
    const by = await orRefusal(() => signersFor(it, items, context));
    const { record } = it;
    if (by instanceof RefusedError) checked.push({ record, by: null, refusal: by.message });
    else checked.push({ record, by, refusal: null });
  }
  return { records: checked, unreadable };
}

async function signersFor(
  it: NoteRecord,
  items: readonly Assessed[],
  context: JudgingContext,
): Promise<string> {
  const { feature, fingerprint, expiresAt } = it.record;
  const content = items.find((it) => it.feature.name === feature && it.fingerprint === fingerprint);
  if (content === undefined) {
    throw new RefusedError('it is about other content than the commit has');
  }
  if (expiresAt !== null && expiresAt <= context.now) throw new RefusedError('it has expired');
  return judge(it, content.feature, context);
}

/**
 * Every content that evidence at a commit can be about: the shared features by the definition in the
 * commit, and by each earlier definition that the commit narrows, because a gate may compare it with
 * its own branch or with the default one. Private features are left out: no other machine knows them.
 */
export async function contentsAt(
  workspace: Workspace,
  { subject, base, published }: Comparison,
  now: Date,
): Promise<Assessed[]> {
  const { features, local } = await subjectRegistry(workspace, subject);
  const limit = { now, maxAgeMs: Number.POSITIVE_INFINITY };
  const all = { names: features.keys(), features };
  const contents = await assessNamed(lookAt(workspace), subject, all, limit);
  for (const before of new Set([base, ...published])) {
    const { affected } = await assess(
      lookAt(workspace),
      { subject, base: before, published: [] },
      now,
    );
    contents.push(...affected.filter(({ definedBy }) => definedBy === 'base'));
  }
  const byFingerprint = new Map(contents.map((it) => [it.fingerprint, it]));
  return [...byFingerprint.values()].filter(({ feature }) => !local.has(feature.name));
}

/** Most records of one content that are judged: each check of a signature starts a program. */
const MAX_JUDGED = 50;

export interface RefusedRecord {
  readonly feature: string;
  readonly commit: string;
  readonly reason: string;
}

interface NotesEvidence extends SharedEvidence {
  /** Records about the contents in question that count. */
  readonly accepted: readonly Evidence[];
  /** Records about them that do not count, and why. */
  readonly refusals: readonly RefusedRecord[];
  /** Number of notes that were not read because they are too large or too many. */
  readonly unread: number;
}

/**
 * @param head the commit whose note is read first, should there be too many.
 * @param elsewhere what else is known of contents.
 */
export async function evidenceInNotes(
  context: JudgingContext,
  head: string,
  elsewhere: (wanted: readonly Wanted[]) => Promise<readonly NoteRecord[]> = async () => [],
): Promise<NotesEvidence> {
  const accepted: Evidence[] = [];
  const refusals: RefusedRecord[] = [];
  const { notes, unread } = await readNotes(context.git, head);
  const { records } = readNoteRecords(notes);
  return {
    accepted,
    refusals,
    unread,
    async about(wanted) {
      const found = new Map<string, readonly Evidence[]>();
      const known = byContent([...records, ...(await elsewhere(wanted))]);
      for (const it of wanted) {
        const group = known.get(keyOf({ feature: it.feature.name, fingerprint: it.fingerprint }));
        if (group === undefined || found.has(it.fingerprint)) continue;
        const features = new Map([[it.feature.name, it.feature]]);
        const of = await judged(group.slice(0, MAX_JUDGED), features, context);
        accepted.push(...of.accepted);
        refusals.push(...of.refusals);
        found.set(it.fingerprint, of.accepted);
      }
      return found;
    },
  };
}

/**
 * The records that count, of each content up to the one that decides, and why others do not.
 *
 * @param records newest first.
 */
async function judged(
  records: readonly NoteRecord[],
  features: Pick<Registry, 'get'>,
  context: JudgingContext,
  tests?: 'unknown',
) {
  const accepted: Evidence[] = [];
  const refusals: RefusedRecord[] = [];
  const decided = new Set<string>();
  for (const it of records) {
    const { record, commit } = it;
    const feature = features.get(record.feature);
    if (feature === undefined || decided.has(keyOf(record))) continue;
    const by = await orRefusal(() => judge(it, feature, context, tests));
    if (by instanceof RefusedError) {
      refusals.push({ feature: feature.name, commit, reason: by.message });
      continue;
    }
    accepted.push({ ...record, id: 0, projectId: 0, session: null, source: by });
    // A record that passed with other files decides only for some trees.
    const isFinal = record.expiresAt === null && record.besides.length === 0;
    if (isFinal) decided.add(keyOf(record));
  }
  return { accepted, refusals };
}

/** Most records that are judged: each starts one or two programs. Older ones are rarely needed. */
const MAX_IMPORTED = 500;

/** @param head the commit whose note is read first. */
export async function importNoteRecords(
  workspace: Workspace,
  registry: Registry,
  context: JudgingContext,
  head: string,
) {
  const { notes, unread } = await readNotes(context.git, head);
  const { records: found, unreadable } = readNoteRecords(notes);
  // The definition for that content is only known at the gate.
  const imported = await importRecords(workspace, registry, context, found, 'unknown');
  return { ...imported, unreadable: unread + unreadable.length };
}

/** Takes over what counts and is newer than what is known here. */
export async function importRecords(
  workspace: Workspace,
  features: Pick<Registry, 'get'>,
  context: JudgingContext,
  found: readonly NoteRecord[],
  tests?: 'unknown',
) {
  const news = [...byContent(found).values()].flatMap((group) =>
    newerThanKnown(workspace, group, context.now),
  );
  const { accepted: records, refusals } = await judged(
    news.slice(0, MAX_IMPORTED),
    features,
    context,
    tests,
  );
  keep(workspace, records);
  return { records, refusals };
}

/** Leaves out records older than the deciding one of their content: a later row would supersede it. */
function newerThanKnown(
  { store, projectId }: Workspace,
  group: readonly NoteRecord[],
  now: Date,
): NoteRecord[] {
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
