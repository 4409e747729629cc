/** The texts of commands about what is held in a project, the gate's answers, and shared evidence. */

import type { CheckedEvidence, ImportedEvidence, SendReport } from '../../app/hold/evidence.ts';
import type { ProjectStatus } from '../../app/setup/status.ts';
import { inLines, plural, printableLine, shortRef } from '../../base/text/printable.ts';
import { age } from '../../base/text/time.ts';
import type { CheckedRecord } from '../../evidence/notes.ts';
import { touchText } from '../../features/pending.ts';
import { withoutFiles } from '../../features/reason.ts';
import { movedText } from '../../gate/moved.ts';
import type { QuickStatus } from '../../moments/lifecycle/status-line.ts';
import type { HookGap } from '../../moments/watch/gaps.ts';
import type { AuditEntry } from '../../store/decisions.ts';
import type { PendingVerification } from '../../store/pending.ts';
import { renderTable } from './table.ts';

export function statusText(status: ProjectStatus, now: Date): string {
  const { data } = status;
  const { features, root, decisions, pending, disabled, proposals } = data;
  // For a change that git has just found, the sentences say enough.
  const seen = pending.filter(({ cause }) => cause !== 'git');
  return inLines([
    ...withoutHooks(data),
    ...gapLines(data.gaps),
    ...movedLines(data),
    ...data.lostRuns.map(
      (it) => `warning: run ${it} is not in the database: run \`lanehold doctor --repair\``,
    ),
    data.gitHookGone !== null &&
      `git no longer holds pushes: ${data.gitHookGone}; run \`lanehold git-hook install\``,
    ...heldLines(status),
    seen.length > 0 && ['Touched last:', ...seen.map((it) => pendingLine(it, now))],
    features.length === 0
      ? `No features in ${root}, so no test has to pass: run \`lanehold feature discover\``
      : `${plural(features.length, 'feature')} in ${root}`,
    ...data.empty.map((it) => `warning: ${it} has no files any more: ${withoutFiles(it)}`),
    ...withoutRepeats(decisions.map((it) => ({ ...it, event: it.decision })).toReversed())
      .toReversed()
      .map(
        (it) => `  ${age(it.at, now)}: ${it.event} ${printableLine(it.command, 60)} (${it.agent})`,
      ),
    ...data.runs.map(({ name, state }) => `Run ${name}: ${state}`),
    data.runs.length > 0 && 'hint: `lanehold orchestrate status` shows their lanes',
    proposals > 0 && `${plural(proposals, 'proposal')} waiting: run \`lanehold dream list\``,
    disabled && DISABLED,
  ]);
}

function withoutHooks({ installed, gitHook }: ProjectStatus['data']): string[] {
  if (installed) return [];
  if (!gitHook) return ['No hook is installed here, so nothing is stopped: run `lanehold install`'];
  return ['Only git’s own hook is installed, and holds pushes: run `lanehold install` for agents'];
}

function movedLines({ moved, root }: ProjectStatus['data']): string[] {
  if (moved === null) return [];
  const { fact, way } = movedText(moved, root);
  return [`warning: ${fact}: ${way}`];
}

function gapLines(gaps: readonly HookGap[]): string[] {
  return gaps.map(({ fact, repair }) => `warning: ${fact}; run \`${repair}\``);
}

function heldLines({ data, sentences: held, uncommitted, pushSentences: pushes }: ProjectStatus) {
  const ends =
    data.hold.verdict === 'ask' ? 'an agent’s push would ask you' : 'a push would be denied';
  const listed = (what: string, sentences: readonly string[]) =>
    sentences.length > 0 && [what, ...sentences.map((it) => `  ${it}`)];
  return [
    held.length + pushes.length === 0 && 'Nothing held',
    listed(`${held.length} held: ${ends}`, held),
    listed(`Not committed, held once it is: ${uncommitted.length}`, uncommitted),
    listed(`Held before, and would be still: ${pushes.length}`, pushes),
  ];
}

export function quickText(
  { pending, pushes, files, disabled, gaps }: QuickStatus,
  now: Date,
): string {
  const count = pending.length;
  return inLines([
    count + pushes.length === 0 &&
      (files === null ? 'Nothing noted as pending' : `Held last: ${files}`),
    count > 0 && `${count} pending`,
    ...pending.map((it) => pendingLine(it, now)),
    ...pushes.map(
      ({ source, remote, at }) =>
        `  push of ${shortRef(source)} to ${remote}: held ${age(at, now)}`,
    ),
    ...gapLines(gaps),
    disabled && DISABLED,
  ]);
}

const DISABLED = 'warning: LANEHOLD_DISABLE=1, hooks do nothing';

function pendingLine(it: PendingVerification, now: Date): string {
  const by = it.agent === '' ? '' : ` (${it.agent})`;
  return `  ${it.feature}: ${touchText(it)}, ${age(it.lastAt, now)}${by}`;
}

type Answer = Pick<AuditEntry, 'event' | 'session' | 'command'>;

/** Joins the answer of git's own hook with that of the agent's hook just before it. Oldest first. */
function withoutRepeats<T extends Answer>(entries: readonly T[]): readonly T[] {
  return entries.flatMap((it, at) => {
    if (isRepeat(entries[at - 1], it)) return [];
    const [, remote, refs = ''] = BY_GIT.exec(entries[at + 1]?.command ?? '') ?? [];
    if (!isRepeat(it, entries[at + 1])) return it;
    const names = refs.split(' ').map((ref) => shortRef(ref.slice(ref.indexOf(':') + 1)));
    return { ...it, command: `${it.command} (to ${remote}: ${names.join(', ')})` };
  });
}

function isRepeat(one: Answer | undefined, next: Answer | undefined): boolean {
  const isPassed = one?.event === 'pass' && next?.event === 'pass';
  const isSame = isPassed && one.session !== '' && one.session === next.session;
  return isSame && !BY_GIT.test(one.command) && BY_GIT.test(next.command);
}

const BY_GIT = /^git push (\S+) (\S*:refs\/.+)$/;

export function logText(all: readonly AuditEntry[]): string {
  const entries = withoutRepeats(all);
  const table = renderTable(
    entries.map(({ at, event, actor, subject, command, reason }) => {
      const time = at.toISOString().slice(0, 19);
      return [time, event, subject, actor, command || whyOf(reason).join('; ')];
    }),
  ).split('\n');
  return entries
    .flatMap(({ event, command, reason }, at) => {
      const isHeld = command !== '' && (event === 'deny' || event === 'ask');
      return [table[at] ?? '', ...(isHeld ? whyOf(reason).map((it) => `  ${it}`) : [])];
    })
    .join('\n');
}

/** The held features and reasons that a denial lists; for other texts, the beginning. */
function whyOf(reason: string): string[] {
  const lines = reason.split('\n').map((it) => printableLine(it, 200));
  const held = lines.flatMap((it) => (it.startsWith('- ') ? it.slice(2) : []));
  return held.length > 0 ? held : lines.slice(0, 2);
}

const MOST_RECORDS = 20;
const MOST_REFUSALS = 5;

export function sentText({ data, signer }: SendReport, revision: string): string {
  const { remote, sent } = data;
  if (sent.length === 0) {
    return `Nothing to send: no shared feature has evidence for the content of ${revision}\nhint: \`lanehold feature verify NAME --at ${revision}\``;
  }
  const names = [...new Set(sent.map(({ feature }) => feature))].join(', ');
  const added = sent.filter((it) => it.added).length;
  if (added === 0) return `${remote} has the evidence for ${names} already`;
  const verdict = `Sent ${plural(added, 'record')} to ${remote}: ${names}`;
  if (signer.kind !== 'none') return `${verdict}, signed`;
  return `${verdict}, unsigned (${signer.why}): it counts only where \`evidence.require\` is \`any\``;
}

export function importedText(imported: ImportedEvidence): string {
  const { remote, records, refusals, unreadable } = imported;
  const verdict =
    records.length === 0
      ? `No evidence of ${remote} is new here`
      : `Imported ${plural(records.length, 'record')} from ${remote}`;
  const refused = refusals
    .slice(0, MOST_REFUSALS)
    .map((it) => `  ${it.feature} at ${it.commit.slice(0, 12)}: ${it.reason}`);
  return [
    verdict,
    ...records.slice(0, MOST_RECORDS).map((it) => `  ${it.feature}: ${it.kind}, ${it.source}`),
    ...andMore(records.length - MOST_RECORDS),
    ...(refused.length > 0 ? ['Does not count:', ...refused] : []),
    ...andMore(refusals.length - MOST_REFUSALS),
    ...(unreadable > 0 ? [`${plural(unreadable, 'note line')} could not be read`] : []),
  ]
    .map((line) => printableLine(line, 200))
    .join('\n');
}

function andMore(count: number): string[] {
  return count > 0 ? [`  and ${count} more`] : [];
}

export function checkedText(checked: CheckedEvidence, revision: string, now: Date): string {
  const { records, unreadable } = checked;
  const total = records.length + unreadable.length;
  if (total === 0) return `No evidence is noted at ${revision}`;
  return [
    `Accepted ${records.filter(counts).length} of ${plural(total, 'record')} at ${revision}`,
    ...records.map((it) => `  ${recordText(it, now)}`),
    ...unreadable.map((reason) => `  a line that cannot be read: ${reason}`),
  ]
    .map((line) => printableLine(line, 240))
    .join('\n');
}

export function countsAll({ records, unreadable }: CheckedEvidence): boolean {
  return records.length > 0 && unreadable.length === 0 && records.every(counts);
}

const counts = ({ refusal }: CheckedRecord): boolean => refusal === null;

function recordText({ record, by, refusal }: CheckedRecord, now: Date): string {
  const what = `${record.feature}: ${record.kind} ${age(record.at, now)} by ${record.actor}`;
  const until = record.expiresAt === null ? '' : `, until ${record.expiresAt.toISOString()}`;
  return refusal === null ? `${what}${until}, ${by}` : `${what}: does not count: ${refusal}`;
}
