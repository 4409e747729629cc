/** The texts of `forget`. */
import type { Forgettable, Forgotten } from '../../app/recall/forget.ts';
import { plural } from '../../base/text/count.ts';
import { printableLine } from '../../base/text/printable.ts';
import { renderTable } from './table.ts';

const MOST_LISTED = 40;
const NOTHING = 'Nothing that is remembered fits';

export function forgettableText({ entries, others, shared }: Forgettable): string {
  const last = entries.slice(-MOST_LISTED).reverse();
  const lines = last.map((it) => [
    it.at.slice(0, 16).replace('T', ' '),
    it.kind,
    it.uid ?? '',
    printableLine(it.text.trim().replaceAll(/\s+/g, ' '), 70),
  ]);
  const more = entries.length - last.length;
  return [
    ...(lines.length === 0 ? [NOTHING] : [renderTable(lines)]),
    ...(more > 0 ? [`and ${more} earlier`] : []),
    ...(others > 0 ? [`and ${plural(others, 'row')} of task lists and of the log`] : []),
    ...shared.map((it) => `stays, because it belongs to the repository: ${printableLine(it)}`),
  ].join('\n');
}

export function forgottenText({ events, items, others, backups, left, shared }: Forgotten): string {
  const what = [plural(events, 'event'), `${items} notes and summaries`, `${others} other rows`];
  if (events + items + others === 0) return NOTHING;
  return [
    `Deleted ${what.join(', ')}${backups === 0 ? '' : `, and the same in ${plural(backups, 'backup')}`}`,
    ...shared.map((it) => `stays, because it belongs to the repository: ${printableLine(it)}`),
    ...(left.length === 0
      ? []
      : [
          `still mentioned in ${left.map((it) => printableLine(it)).join(', ')}, which is not what recall keeps`,
        ]),
  ].join('\n');
}
