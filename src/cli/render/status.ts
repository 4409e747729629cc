import type { ProjectStatus } from '../../app/status.ts';
import type { AuditEntry } from '../../store/audit.ts';
import { plural } from '../../text/count.ts';
import { age } from '../../text/time.ts';
import { renderTable } from './table.ts';

export function statusText({ data, sentences }: ProjectStatus, now: Date): string {
  const { features, root, decisions, disabled } = data;
  const count = sentences.length;
  return [
    count === 0 ? 'Nothing held' : `${count} held: a push of the working tree would be denied`,
    ...sentences.map((sentence) => `  ${sentence}`),
    `${plural(features.length, 'feature')} in ${root}`,
    ...decisions.map((it) => `  ${age(it.at, now)}: ${it.decision} ${it.rule} (${it.agent})`),
    ...(disabled ? ['warning: LANEHOLD_DISABLE=1, hooks do nothing'] : []),
  ].join('\n');
}

export function logText(entries: readonly AuditEntry[]): string {
  return renderTable(
    entries.map(({ at, event, actor, subject, command, reason }) => {
      const why = reason.split('\n').slice(0, 2).join('; ');
      return [at.toISOString().slice(0, 19), event, subject, actor, command || why];
    }),
  );
}
