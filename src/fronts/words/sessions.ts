/** How recorded sessions look. */
import type { SessionDetail, SessionView, TimelineEntry } from '../../app/recall/sessions.ts';
import { plural } from '../../base/text/count.ts';
import { printableLine } from '../../base/text/printable.ts';
import { renderTable } from './table.ts';

const minute = (at: string): string => at.slice(0, 16).replace('T', ' ');
const oneLine = (text: string, most: number): string =>
  printableLine(text.trim().replaceAll(/\s+/g, ' '), most);

export function sessionListText(sessions: readonly SessionView[]): string {
  if (sessions.length === 0) {
    return 'No session is recorded here yet; the hooks of an agent do it: lanehold install --help';
  }
  return renderTable(
    sessions.map((it) => [
      it.id,
      it.agent,
      minute(it.last),
      plural(it.prompts, 'prompt'),
      plural(it.edits, 'edit'),
      oneLine(it.request ?? '', 60),
      it.source ?? '',
    ]),
  );
}

export function sessionText({ summary, ...view }: SessionDetail): string {
  const lists: readonly (readonly [string, readonly string[]])[] = [
    ['Asked', summary.request === undefined ? [] : [summary.request]],
    ['Open', summary.openRequest === summary.request ? [] : [summary.openRequest ?? '']],
    ['Constraints', summary.constraints],
    ['Done', summary.done],
    ['Learned', summary.learned],
    ['Decided', summary.decisions],
    ['Gotchas', summary.gotchas],
    ['Next', summary.next],
    ['Files', summary.files],
  ];
  const basis = summary.basis === 'agent' ? "the agent's own words" : 'what was observed';
  const words = view.source === 'transcript' ? `${basis}, read from its transcript` : basis;
  return [
    `${view.id}  ${view.agent} ${printableLine(view.session, 60)}, ${minute(view.began)} to ${minute(view.last)}, from ${words}`,
    ...lists.flatMap(([name, texts]) =>
      texts.length === 0 ? [] : [`${name}:`, ...texts.map((it) => `  ${oneLine(it, 300)}`)],
    ),
    '',
    timelineText(view.timeline.slice(-MOST_LINES)),
  ].join('\n');
}

const MOST_LINES = 30;

export function timelineText(entries: readonly TimelineEntry[]): string {
  if (entries.length === 0) return 'Nothing is recorded here yet';
  return renderTable(
    entries.map((it) => [
      minute(it.at),
      it.session,
      it.kind,
      oneLine([it.name, it.category && `(${it.category})`].filter((part) => part).join(' '), 40),
      it.outcome ?? '',
      oneLine([it.text, ...(it.files ?? [])].filter((part) => part).join(' '), 70),
    ]),
  );
}
