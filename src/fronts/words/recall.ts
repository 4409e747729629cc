/** The texts of recall: hits, sessions, the index, the overview. */
import type { Embedded } from '../../app/recall/embeddings.ts';
import type { Forgettable, Forgotten } from '../../app/recall/forget.ts';
import type { Picked } from '../../app/recall/pick-notes.ts';
import type { SearchHit, SearchResult, ShownItem } from '../../app/recall/recall.ts';
import type { RecallStats } from '../../app/recall/recall-stats.ts';
import type { Callers, Neighbours } from '../../app/recall/references.ts';
import type { IndexResult, Refreshed } from '../../app/recall/refresh.ts';
import type { SavedOverview, Scanned } from '../../app/recall/scan.ts';
import type { ListedSession, SessionDetail, TimelineEntry } from '../../app/recall/sessions.ts';
import { inLines, plural, printable, printableLine } from '../../base/text/printable.ts';
import { partsOf } from '../../recall/summaries.ts';
import { isUnanswered } from '../../recall/turns.ts';
import { fileOf } from '../../store/recall.ts';
import { outdatedLines } from './notes.ts';
import { renderTable } from './table.ts';

export function searchText(found: SearchResult, explain: boolean): string {
  const { problem } = found;
  return inLines([hitsText(found, explain), problem !== undefined && printable(problem)]);
}

function hitsText({ hits, terms, told }: SearchResult, explain: boolean): string {
  if (hits.length === 0) return 'Nothing found for these words';
  const rows = hits.map((it) => [
    printableLine(it.turn ? `${it.id}/${it.turn.number}` : it.id, 60),
    it.turn ? 'turn' : it.outdated ? `${it.kind}, out of date?` : it.kind,
    it.at?.slice(0, 10) ?? '',
    aboutHit(it),
    ...(explain
      ? [it.score.toFixed(2), `${Math.round(it.cover * 100)} %`, it.words.join(' ')]
      : []),
  ]);
  const table = renderTable(rows);
  if (!explain) return table;
  const none = 'nothing: too little in common; fewer than three words count side by side';
  const brought = told.length === 0 ? none : told.join(', ');
  return `Searched for: ${terms.join(' ')}\n${table}\nA prompt with these words would bring ${brought}`;
}

function aboutHit({ kind, title, turn, symbols = [], by = '', tests = [] }: SearchHit): string {
  if (turn !== undefined) {
    const answer = isUnanswered(turn) ? '(no answer)' : turn.answered;
    return oneLine(`${turn.asked} | ${answer}`, 110);
  }
  if (kind !== 'file') return printableLine(title, 70);
  const parts = [symbols.slice(0, 3).join(', '), by && `by ${by}`, tests[0] ?? ''];
  return printableLine(parts.filter((it) => it !== '').join('; '), 110);
}

export function callersText({ name, declared, references, more, unread }: Callers): string {
  const at = (it: { path: string; line: number }) => printableLine(`${it.path}:${it.line}`, 100);
  const where = `in ${declared.map(at).join(', ')}`;
  const rows = references.map((it) => [
    it.kind,
    at(it),
    [it.within && `in ${it.within}`, it.as && `as ${it.as}`]
      .filter((part) => part)
      .map((part) => printableLine(String(part), 60))
      .join(', '),
  ]);
  return inLines([
    `${printableLine(name, 60)} is declared ${declared.length === 0 ? 'nowhere in this project' : where}`,
    ...(rows.length === 0 ? ['Nothing refers to it'] : [renderTable(rows)]),
    more > 0 && `${more} more: see --limit`,
    unread > 0 && `${plural(unread, 'file')} with the name in languages that are not read`,
  ]);
}

export function neighboursText(it: Neighbours): string {
  const list = (what: string, names: readonly string[]) =>
    names.length === 0 ? [] : [`${what}:`, ...names.map((name) => `  ${printableLine(name, 100)}`)];
  const together = it.changedWith.map(
    ({ path, commits }) => `${path} (${commits} of ${it.commits})`,
  );
  return inLines([
    `${printableLine(it.path, 100)} declares ${it.declares.map((name) => printableLine(name, 60)).join(', ') || 'nothing'}`,
    ...list('imports', it.imports),
    ...list('imported by', it.importedBy),
    it.more > 0 && `  ${it.more} more: see --limit`,
    ...list('changed in the same commits', together),
  ]);
}

export function refreshText({ transcripts, memory, code, embedded }: Refreshed): string {
  return inLines([
    memory > 0 && `${plural(memory, 'section')} of memory and plans changed`,
    sessionsText(transcripts),
    code !== undefined && indexText(code),
    embedded !== undefined && embeddedText(embedded),
  ]);
}

function embeddedText(embedded: Embedded): string {
  if (embedded.state === 'busy') return 'Another process reads texts by their meaning';
  if (embedded.state === 'problem') return printable(embedded.problem);
  return `${plural(embedded.pieces, 'text')} read by their meaning`;
}

function sessionsText(transcripts: Refreshed['transcripts']): string {
  if (transcripts.state !== 'done') return NOT_READ[transcripts.state];
  return transcripts.sessions === 0
    ? 'Nothing new in what agents have recorded here'
    : `Read ${plural(transcripts.sessions, 'session')} of agents`;
}

const NOT_READ = {
  off: 'Sessions of agents are not read: recall.transcripts or recall.capture is off here',
  ask: 'Sessions that agents have recorded are not read yet\nhint: allow it with `lanehold config set recall.transcripts on`',
  busy: 'Another process is reading them',
};

export function itemText(item: ShownItem): string {
  const { turns = [], uid, kind, at, source, agent, title, body, files, status } = item;
  const file = fileOf(item);
  const from =
    file === undefined
      ? `by ${printableLine(source, 80)}`
      : `from ${printableLine(file, 200)} of ${agent}`;
  return inLines([
    `${uid}  ${kind}, ${at.toISOString().slice(0, 10)}, ${from}${status === 'active' ? '' : `, ${status}`}`,
    printableLine(title, 200),
    ...turns.flatMap(({ number, at: then, asked, answered }) => [
      '',
      `${uid}/${number}, ${minute(then)}`,
      printable(`> ${asked}\n\n${answered}`.trim()),
    ]),
    ...(body.trim() === '' || turns.length > 0 ? [] : ['', printable(body.trim())]),
    files.length > 0 && ['', `Files: ${files.map((it) => printableLine(it)).join(', ')}`],
    outdatedLines(item.uid, item.outdated),
  ]);
}

const NOT_ASKED: Readonly<Record<Exclude<Picked['state'], 'asked'>, string>> = {
  off: 'Nothing is recorded of this project, so the model is asked nothing',
  nothing: 'There is no note that the session was not told',
  busy: 'The model is being asked for this session already',
  paused: 'The model gave no usable answer minutes ago, so it is left alone',
};

export function pickedText(done: Picked): string {
  if (done.state !== 'asked') return NOT_ASKED[done.state];
  const { calls, left, tokens, problems, picked } = done;
  const less = left === 0 ? '' : `; for ${plural(left, 'chunk')} of notes the limits left no call`;
  return [
    `${plural(calls, 'call')}, ${plural(tokens, 'token')}: ${plural(picked.length, 'note')} picked${less}`,
    ...picked.map(({ id, title }) => `  ${id} ${printableLine(title, 120)}`),
    ...problems.map((it) => `  no usable answer: ${printableLine(it, 200)}`),
  ].join('\n');
}

export function statsText({ sessions, tokens, told, used, unused, model }: RecallStats): string {
  const { calls, failed, tokens: given, cached, said } = model;
  const picking = `The model that picks notes: ${plural(calls, 'call')}, ${failed} without a usable answer; it was given ${given} tokens, ${cached} of them cached, and said ${said}`;
  const cost = calls === 0 ? [] : [picking];
  if (sessions.length === 0)
    return ['No session was told anything of this project yet', ...cost].join('\n');
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
    ...cost,
  ].join('\n');
}

export function indexText(result: IndexResult): string {
  if (result.state === 'busy') return 'Another process is indexing this project';
  const { root, ms, files, read, removed, skipped, leftOut, commits, newCommits } = result;
  const left = leftOut === 0 ? '' : `, ${leftOut} more left out: too many`;
  const kinds = 'secret, binary, generated or large file';
  return [
    `Indexed ${plural(files, 'file')} and ${plural(commits, 'commit')} of ${printableLine(root)}`,
    `  read ${plural(read, 'changed file')} and ${plural(newCommits, 'new commit')}, removed ${removed}, in ${(ms / 1000).toFixed(1)} s`,
    ...(skipped + leftOut === 0 ? [] : [`  not searched: ${plural(skipped, kinds)}${left}`]),
  ].join('\n');
}

export const scannedText = ({ markdown, saved }: Scanned): string =>
  saved === null ? markdown : `${markdown}\n\n${savedText(saved)}`;

function savedText({ path, id, state }: SavedOverview): string {
  if (state === 'unchanged') return `${path} says this already (${id})`;
  const before = state === 'changed' ? '; its earlier text stays as superseded' : '';
  return `Saved as ${path} (${id})${before}`;
}

const minute = (at: string): string => at.slice(0, 16).replace('T', ' ');
const oneLine = (text: string, most: number): string =>
  printableLine(text.trim().replaceAll(/\s+/g, ' '), most);

export function sessionListText(sessions: readonly ListedSession[]): string {
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
    ...partsOf(summary),
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

const MOST_LISTED = 40;
const NOTHING = 'Nothing that is remembered fits';

export function forgettableText({ entries, others, shared }: Forgettable): string {
  const last = entries.slice(-MOST_LISTED).reverse();
  const lines = last.map((it) => [minute(it.at), it.kind, it.uid ?? '', oneLine(it.text, 70)]);
  const more = entries.length - last.length;
  return inLines([
    ...(lines.length === 0 ? [NOTHING] : [renderTable(lines)]),
    more > 0 && `and ${more} earlier`,
    others > 0 && `and ${plural(others, 'row')} of task lists and of the log`,
    ...shared.map((it) => `stays, because it belongs to the repository: ${printableLine(it)}`),
  ]);
}

export function forgottenText({ events, items, others, backups, left, shared }: Forgotten): string {
  const what = [plural(events, 'event'), `${items} notes and summaries`, `${others} other rows`];
  if (events + items + others === 0) return NOTHING;
  return inLines([
    `Deleted ${what.join(', ')}${backups === 0 ? '' : `, and the same in ${plural(backups, 'backup')}`}`,
    ...shared.map((it) => `stays, because it belongs to the repository: ${printableLine(it)}`),
    left.length > 0 &&
      `still mentioned in ${left.map((it) => printableLine(it)).join(', ')}, which is not what recall keeps`,
  ]);
}
