/** How notes look. */
import type { Note, NoteList } from '../../app/notes.ts';
import { enumerated } from '../../text/count.ts';
import { printable, printableLine } from '../../text/printable.ts';
import { renderTable } from './table.ts';

export function noteText(note: Note): string {
  const lines = [
    `${note.path}  ${note.kind}, ${note.created}, by ${note.source}${note.status === 'active' ? '' : `, ${note.status}`}`,
    `  ${printableLine(note.title, 200)}`,
    ...note.body
      .split('\n')
      .filter(Boolean)
      .map((line) => `  ${printable(line)}`),
    ...(note.files.length === 0
      ? []
      : [`  about ${note.files.map((it) => printableLine(it)).join(', ')}`]),
    ...(note.commands.length === 0
      ? []
      : [`  before ${note.commands.map((it) => printableLine(it)).join(', ')}`]),
    ...outdatedLines(note),
  ];
  return lines.join('\n');
}

function outdatedLines({ id, outdated: { changed, gone } }: Note): string[] {
  if (changed.length === 0 && gone.length === 0) return [];
  const what = [
    changed.length === 0 ? undefined : `${enumerated(changed, 3)} changed since`,
    gone.length === 0 ? undefined : `${enumerated(gone, 3)} is gone`,
  ].filter(Boolean);
  return [`  possibly out of date: ${what.join('; ')}. Still true? lanehold note confirm ${id}`];
}

export function noteListText({ notes, broken }: NoteList): string {
  const rows = notes.map((it) => [
    it.id,
    it.kind,
    it.path,
    stateOf(it),
    printableLine(it.title, 60),
  ]);
  const lines = broken.map(
    ({ file, line, problem }) => `cannot be read: ${file}:${line} ${problem}`,
  );
  const table =
    notes.length === 0 ? 'No notes yet; write one: lanehold note add --help' : renderTable(rows);
  return [table, ...lines].join('\n');
}

function stateOf({ status, outdated: { changed, gone } }: Note): string {
  if (status !== 'active') return status;
  return changed.length + gone.length > 0 ? 'out of date?' : '';
}
