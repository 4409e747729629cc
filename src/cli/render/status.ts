import type { ProjectStatus, QuickStatus } from '../../app/status.ts';
import { touchText } from '../../features/pending.ts';
import type { AuditEntry } from '../../store/decisions.ts';
import type { PendingVerification } from '../../store/pending.ts';
import { enumerated, plural } from '../../text/count.ts';
import { age } from '../../text/time.ts';
import { renderTable } from './table.ts';

export function statusText({ data, sentences }: ProjectStatus, now: Date): string {
  const { features, root, decisions, pending, disabled } = data;
  // What git has just found says no more than the sentences.
  const seen = pending.filter(({ cause }) => cause !== 'git');
  const count = sentences.length;
  return [
    count === 0 ? 'Nothing held' : `${count} held: a push of the working tree would be denied`,
    ...sentences.map((sentence) => `  ${sentence}`),
    ...(seen.length === 0 ? [] : ['Touched last:', ...seen.map((it) => pendingLine(it, now))]),
    `${plural(features.length, 'feature')} in ${root}`,
    ...decisions.map((it) => `  ${age(it.at, now)}: ${it.decision} ${it.rule} (${it.agent})`),
    ...(disabled ? [DISABLED] : []),
  ].join('\n');
}

export function quickText({ pending, disabled }: QuickStatus, now: Date): string {
  const count = pending.length;
  return [
    count === 0 ? 'Nothing noted as pending' : `${count} pending`,
    ...pending.map((it) => pendingLine(it, now)),
    ...(disabled ? [DISABLED] : []),
  ].join('\n');
}

const DISABLED = 'warning: LANEHOLD_DISABLE=1, hooks do nothing';
const MOST_NAMED = 3;

export function statusline({ pending, disabled }: QuickStatus): string {
  if (disabled) return 'lanehold: off (LANEHOLD_DISABLE=1)';
  if (pending.length === 0) return 'lanehold: nothing to verify';
  const names = pending.map(({ feature }) => feature);
  return `lanehold: ${pending.length} to verify: ${enumerated(names, MOST_NAMED)}`;
}

function pendingLine(it: PendingVerification, now: Date): string {
  const by = it.agent === '' ? '' : ` (${it.agent})`;
  return `  ${it.feature}: ${touchText(it)}, ${age(it.lastAt, now)}${by}`;
}

export function logText(entries: readonly AuditEntry[]): string {
  return renderTable(
    entries.map(({ at, event, actor, subject, command, reason }) => {
      const why = reason.split('\n').slice(0, 2).join('; ');
      return [at.toISOString().slice(0, 19), event, subject, actor, command || why];
    }),
  );
}
