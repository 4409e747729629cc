/** How rules about files look. */
import type { GuardView } from '../../app/hold/guards.ts';
import { printableLine } from '../../base/text/printable.ts';
import { renderTable } from './table.ts';

export function guardText({ id, files, rule, denies, reason }: GuardView): string {
  const why = reason === null ? '' : ` (${printableLine(reason, 200)})`;
  const effect = denies ? 'refuses edits of' : 'is told before edits of';
  return `${id}: ${effect} ${printableLine(files)}: ${printableLine(rule, 200)}${why}`;
}

export function guardListText(guards: readonly GuardView[]): string {
  if (guards.length === 0) return 'No rules yet; set one: lanehold guard add --help';
  return renderTable(
    guards.map(({ id, files, rule, denies, by }) => [
      id,
      denies ? 'refuses' : 'tells',
      printableLine(files, 40),
      printableLine(rule, 60),
      `by ${by}`,
    ]),
  );
}
