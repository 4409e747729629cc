/** How found items look. */

import type { SearchHit, SearchResult } from '../../app/recall/recall.ts';
import type { RecallStats } from '../../app/recall/recall-stats.ts';
import type { Refreshed } from '../../app/recall/refresh.ts';
import { plural } from '../../base/text/count.ts';
import { printable, printableLine } from '../../base/text/printable.ts';
import { fileOf, type RecallItem } from '../../store/recall.ts';
import { indexText } from './index.ts';
import { renderTable } from './table.ts';

export function searchText({ hits, terms, told }: SearchResult, explain: boolean): string {
  if (hits.length === 0) return `Nothing found for ${terms.join(', ') || 'these words'}`;
  const rows = hits.map((it) => [
    printableLine(it.id, 60),
    it.kind,
    it.at?.slice(0, 10) ?? '',
    aboutHit(it),
    ...(explain
      ? [it.score.toFixed(2), `${Math.round(it.cover * 100)} %`, it.words.join(' ')]
      : []),
  ]);
  const table = renderTable(rows);
  if (!explain) return table;
  const brought = told.length === 0 ? 'nothing: too little in common' : told.join(', ');
  return `Searched for: ${terms.join(' ')}\n${table}\nA prompt with these words would bring ${brought}`;
}

/** The declarations of a file, its last author, and its tests. */
function aboutHit({ kind, title, symbols = [], by = '', tests = [] }: SearchHit): string {
  if (kind !== 'file') return printableLine(title, 70);
  const parts = [symbols.slice(0, 3).join(', '), by && `by ${by}`, tests[0] ?? ''];
  return printableLine(parts.filter((it) => it !== '').join('; '), 110);
}

export function refreshText({ transcripts, memory, code }: Refreshed): string {
  return [
    ...(memory === 0 ? [] : [`${plural(memory, 'section')} of memory and plans changed`]),
    sessionsText(transcripts),
    ...(code === undefined ? [] : [indexText(code)]),
  ].join('\n');
}

function sessionsText(transcripts: Refreshed['transcripts']): string {
  switch (transcripts.state) {
    case 'off':
      return 'Sessions of agents are not read: recall.transcripts or recall.capture is off here';
    case 'ask':
      return 'Sessions that agents have recorded are not read yet\nhint: allow it with `lanehold config set recall.transcripts on`';
    case 'busy':
      return 'Another process is reading them';
    case 'done':
      return transcripts.sessions === 0
        ? 'Nothing new in what agents have recorded here'
        : `Read ${plural(transcripts.sessions, 'session')} of agents`;
  }
}

export function itemText(item: RecallItem): string {
  const { uid, kind, at, source, agent, title, body, files, status } = item;
  const file = fileOf(item);
  const from = file === undefined ? `by ${source}` : `from ${printableLine(file, 200)} of ${agent}`;
  return [
    `${uid}  ${kind}, ${at.toISOString().slice(0, 10)}, ${from}${status === 'active' ? '' : `, ${status}`}`,
    printableLine(title, 200),
    ...(body.trim() === '' ? [] : ['', printable(body.trim())]),
    ...(files.length === 0
      ? []
      : ['', `Files: ${files.map((it) => printableLine(it)).join(', ')}`]),
  ].join('\n');
}

export function statsText({ sessions, tokens, told, used, unused }: RecallStats): string {
  if (sessions.length === 0) return 'No session was told anything of this project yet';
  const rows = sessions.map((it) => [
    it.id,
    it.agent,
    it.at.slice(0, 10),
    `${it.tokens} tokens`,
    `at most ${it.most}`,
    `${it.told} told, ${it.used} used`,
  ]);
  const mean = Math.round(tokens / sessions.length);
  const lines = unused.map(
    (it) => `never used by ${it.sessions} sessions: ${it.id} ${printableLine(it.title, 80)}`,
  );
  return [
    `About ${tokens} tokens to ${plural(sessions.length, 'session')}, ${mean} each; ${plural(told, 'item')}, ${used} used`,
    renderTable(rows),
    ...lines,
  ].join('\n');
}
