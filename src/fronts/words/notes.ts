/** The texts of notes, rules about files, and the records of a project. */
import type { GuardView, GuardWithUse } from '../../app/hold/guards.ts';
import type { ExportedNotes, ImportedNotes } from '../../app/recall/note-folders.ts';
import type { Note, NoteList, SuggestedNote } from '../../app/recall/notes.ts';
import type { ProjectList, ProjectView } from '../../app/recall/projects.ts';
import type { NoteVersion } from '../../app/team/notes.ts';
import {
  enumerated,
  inLines,
  plural,
  printable,
  printableLine,
} from '../../base/text/printable.ts';
import { renderTable } from './table.ts';

export function noteText(note: Note): string {
  const list = (all: readonly string[]) => all.map((it) => printableLine(it)).join(', ');
  return inLines([
    `${printableLine(note.path)}  ${note.kind}, ${note.created}, by ${printableLine(note.by, 80)}${note.status === 'active' ? '' : `, ${note.status}`}`,
    `  ${printableLine(note.title, 200)}`,
    ...linesOf(note.body),
    note.files.length > 0 && `  about ${list(note.files)}`,
    note.when ? `  when ${printableLine(note.when)}` : null,
    note.commands.length > 0 && `  before ${list(note.commands)}`,
    ...(note.status === 'superseded' ? [] : outdatedLines(note.id, note.outdated)),
  ]);
}

const linesOf = (body: string): string[] =>
  body
    .split('\n')
    .filter(Boolean)
    .map((line) => `  ${printable(line)}`);

export function outdatedLines(id: string, { changed, gone }: Note['outdated']): string[] {
  if (changed.length === 0 && gone.length === 0) return [];
  const what = [
    changed.length > 0 && `${enumerated(changed, 3)} changed since`,
    gone.length > 0 && `${enumerated(gone, 3)} is gone`,
  ].filter(Boolean);
  return [`  possibly out of date: ${what.join('; ')}. Still true? lanehold note confirm ${id}`];
}

export function noteListText({
  notes,
  broken,
  versions,
}: NoteList & { readonly versions: readonly NoteVersion[] }): string {
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
  return [table, ...lines, ...versions.flatMap(versionLines)].join('\n');
}

const versionLines = ({ path, by, title, body }: NoteVersion): string[] => [
  `${path} in the version of ${printableLine(by ?? 'this machine')}:`,
  `  ${title === null ? 'removed' : printableLine(title, 200)}`,
  ...linesOf(body),
  `  hint: lanehold note edit ${path} --title 'TEXT'${body === '' ? '' : " --body 'TEXT'"}`,
];

function stateOf({ status, outdated: { changed, gone } }: Note): string {
  if (status !== 'active') return status;
  return changed.length + gone.length > 0 ? 'out of date?' : '';
}

export const exportedText = ({ folder, exported }: ExportedNotes): string =>
  `${plural(exported.length, 'note')} written to ${printableLine(folder, 300)}`;

export function importedText({ imported, unchanged, skipped }: ImportedNotes): string {
  const known = unchanged.length === 0 ? '' : `, ${unchanged.length} known already`;
  return [
    `${plural(imported.length, 'note')} taken in${known}`,
    ...skipped.map(
      (it) => `left out: ${printableLine(it.file, 200)}: ${printableLine(it.problem)}`,
    ),
  ].join('\n');
}

export function suggestionsText(suggestions: readonly SuggestedNote[]): string {
  if (suggestions.length === 0) return 'No suggestions wait';
  const lines = suggestions.flatMap(({ id, kind, title, body, why, counts }) => [
    `${id}  ${kind}${counts ? ', told already' : ''}: ${printableLine(title, 200)}`,
    body !== '' && `  ${printableLine(body.replaceAll(/\s+/g, ' '), 300)}`,
    why !== null && `  because ${printableLine(why, 300)}`,
  ]);
  return inLines([
    ...lines,
    'Keep one: lanehold note confirm <id>; else: lanehold note reject <id>',
  ]);
}

export function guardText({ id, files, rule, denies, reason }: GuardView): string {
  const why = reason === null ? '' : ` (${printableLine(reason, 200)})`;
  const effect = denies ? 'refuses edits of' : 'is told before edits of';
  return `${id}: ${effect} ${printableLine(files)}: ${printableLine(rule, 200)}${why}`;
}

export function guardListText(guards: readonly GuardWithUse[]): string {
  if (guards.length === 0) return 'No rules yet; set one: lanehold guard add --help';
  return renderTable(
    guards.map(({ id, files, rule, denies, by, sessions, last }) => [
      id,
      denies ? 'refuses' : 'tells',
      printableLine(files, 40),
      printableLine(rule, 60),
      `by ${by}`,
      last === null
        ? 'met by no session'
        : `met by ${plural(sessions, 'session')}, last ${last.at.slice(0, 10)}: ${EFFECTS[last.effect]}`,
    ]),
  );
}

const EFFECTS = { refused: 'refused', edited: 'edited after it', left: 'left alone' };

/** The counts in columns, without zeros. */
const counted = ({ features, rules, notes, evidence }: ProjectView): string[] =>
  [
    [features, 'feature'] as const,
    [notes, 'note'] as const,
    [rules, 'rule'] as const,
    [evidence, 'record'] as const,
  ].map(([count, name]) => (count === 0 ? '' : plural(count, name)));

/** The records of a project, in one line. */
export const keptText = ({ features, rules, notes, evidence }: ProjectView): string =>
  `${plural(features, 'feature')} of this machine, ${plural(notes, 'note')}, ${plural(rules, 'rule')}, ${plural(evidence, 'record')} of evidence`;

export const takenText = (it: ProjectView & { readonly from: string }): string =>
  `The project of ${printable(it.from)} goes on here: ${keptText(it)}`;

export const partedText = ({ from }: { readonly from: string }): string =>
  `This clone is a project of its own, apart from that of ${printable(from)}`;

export function projectListText({ projects, moved }: ProjectList): string {
  const rows = projects.map((it) => [it.folder, it.there ? '' : 'gone', ...counted(it)]);
  const here =
    moved && `This clone was in ${printable(moved.from)}: see \`lanehold project move --help\``;
  const table = rows.length === 0 ? 'Nothing is kept of any project' : renderTable(rows);
  return here ? `${table}\n${here}` : table;
}
