import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { briefingNow } from '../../../app/recall/briefing.ts';
import { exportProject } from '../../../app/recall/export/export.ts';
import { EXPORT_FORMATS } from '../../../app/recall/export/formats.ts';
import { pickNotes } from '../../../app/recall/pick-notes.ts';
import * as recall from '../../../app/recall/recall.ts';
import { recallStats } from '../../../app/recall/recall-stats.ts';
import { callersOf, neighboursOf } from '../../../app/recall/references.ts';
import { indexCode, refreshRecall } from '../../../app/recall/refresh.ts';
import { scanProject } from '../../../app/recall/scan.ts';
import { timeline } from '../../../app/recall/sessions.ts';
import { countOf, oneOf } from '../../../app/values.ts';
import { ExitCode, UsageError } from '../../../base/errors.ts';
import { readPlainFile } from '../../../base/files/plain-file.ts';
import { plural } from '../../../base/text/printable.ts';
import * as words from '../../words/recall.ts';
import { command, group } from '../command.ts';

const importing = command({
  name: 'import',
  about: 'Take documents in: one JSON object a line',
  options: [['--jsonl <file>', 'the file, or - for standard input', { required: true }]],
  examples: [['lanehold recall import --jsonl -', 'from standard input']],
  async run(context, { jsonl }) {
    const { streams, cwd } = context;
    const given = jsonl === '-' ? await text(streams.stdin) : readPlainFile(resolve(cwd, jsonl));
    if (given === undefined)
      throw new UsageError(`there is no file ${jsonl}`, { hint: 'give --jsonl FILE, or -' });
    const done = await recall.importDocuments(context, given);
    return context.print(done, `${plural(done.imported, 'document')} taken in`);
  },
});

const query = command({
  name: 'query',
  about: 'Answer what a prompt would find, as JSON from standard input to standard output',
  options: [['--lines', 'answer each line of standard input with one line']],
  examples: [['lanehold recall query --json < prompt.json', 'ids, best first']],
  async run(context, { lines = false }) {
    const { stdin, stdout } = context.streams;
    if (lines) {
      for await (const line of createInterface({ input: stdin })) {
        stdout.write(`${JSON.stringify(await recall.answerQuery(context, line))}\n`);
      }
      return ExitCode.done;
    }
    const answer = await recall.answerQuery(context, await text(context.streams.stdin));
    return context.print(answer, JSON.stringify(answer));
  },
});

const refresh = command({
  name: 'refresh',
  about: 'Read what agents themselves have recorded of their sessions in this project',
  examples: [
    ['lanehold recall refresh', 'what is new since the last time'],
    ['lanehold config set recall.transcripts on', 'let it be done when a session starts'],
  ],
  notes:
    '\n\nFiles of agents are read and never written. Sessions are read if\nrecall.transcripts is on.',
  run: async (context) => context.print(await refreshRecall(context), words.refreshText),
});

const search = command({
  name: 'search',
  about: 'Search in notes, summaries and files of this project, best first',
  args: [['[words...]']],
  options: [
    ['--callers <name>', 'what calls, imports or uses a name of the code'],
    ['--near <file>', 'what a file imports, who imports it, what is changed with it'],
    ['--limit <count>', 'how many of each', { default: '5' }],
    ['--explain', 'why: the words found, how much they cover, what a prompt would bring'],
  ],
  examples: [
    ['lanehold recall search token expiry', 'ids, titles and dates'],
    ['lanehold recall search "why does login fail" --explain', 'with scores'],
    ['lanehold recall search --callers chargeCard', 'each call with its file and function'],
  ],
  async run(context, asked, { callers, near, limit, explain = false }) {
    const ways = [asked[0], callers, near].filter((it) => it !== undefined);
    if (ways.length !== 1)
      throw new UsageError('it is not said what to search for', {
        hint: 'give words, --callers or --near',
      });
    if (callers !== undefined)
      return context.print(await callersOf(context, callers, countOf(limit)), words.callersText);
    if (near !== undefined)
      return context.print(await neighboursOf(context, near, countOf(limit)), words.neighboursText);
    const found = await recall.searchRecall(context, asked.join(' '), countOf(limit));
    return context.print(found, words.searchText(found, explain));
  },
});

const show = command({
  name: 'show',
  about: 'Show what is remembered under an id',
  args: [['<id>', 'as a search or a session named it: lh-7f3a2c']],
  examples: [['lanehold recall show lh-7f3a2c', 'the whole text']],
  run: async (context, id) => context.print(await recall.showItem(context, id), words.itemText),
});

const events = command({
  name: 'timeline',
  about: 'Show what sessions did in this project, in the order in which it happened',
  options: [
    ['--session <id>', 'of this session only'],
    ['--limit <count>', 'the last so many', { default: '40' }],
  ],
  examples: [['lanehold recall timeline', 'prompts, edits, commands and how they ended']],
  async run(context, { session, limit }) {
    const done = await timeline(context, { session, limit: countOf(limit) });
    return context.print(done, words.timelineText(done.entries));
  },
});

const briefing = command({
  name: 'briefing',
  about: 'Print what a session that starts here would be told now',
  examples: [
    ['lanehold recall briefing', 'for scripts, and for agents without hooks'],
    ['lanehold recall briefing --json', 'in parts, with tokens'],
  ],
  async run(context) {
    const told = await briefingNow(context);
    return context.print(told, told.text === '' ? 'Nothing to tell' : told.text);
  },
});

const stats = command({
  name: 'stats',
  about: 'Show how many tokens sessions were told, and how much of it they used',
  options: [['--limit <count>', 'the last so many sessions', { default: '20' }]],
  examples: [['lanehold recall stats', 'each session, and what none of them used']],
  run: async (context, { limit }) =>
    context.print(await recallStats(context, countOf(limit)), words.statsText),
});

const pick = command({
  name: 'pick',
  about: 'Have the model of recall.model pick the notes that a session needs',
  options: [
    ['--session <id>', 'which one; else the last one of this project'],
    ['--transcript <file>', 'its transcript; read only if recall.transcripts is on'],
  ],
  examples: [['lanehold recall pick', 'try it: the notes come with the next event']],
  notes:
    '\n\nHooks start this beside a session, which never waits for it. The model gets\nnotes and the end of the session, without secrets. See recall.model,\nrecall.modelName, recall.modelCalls and recall.modelTokens.',
  async run(context, request) {
    const done = await pickNotes(context, request);
    const isFailed =
      done.state === 'asked' && done.problems.length === done.calls && done.calls > 0;
    return context.print(done, words.pickedText, isFailed ? ExitCode.failed : ExitCode.done);
  },
});

export const declareRecall = group({
  name: 'recall',
  about: 'Search in what is remembered of this project',
  examples: [
    ['lanehold recall search token expiry', 'ids, titles and dates'],
    ['lanehold recall show lh-7f3a2c', 'one of them, whole'],
  ],
  commands: [briefing, search, show, events, stats, pick, refresh, importing, query],
});

export const declareIndex = command({
  name: 'index',
  about: 'Make files and commits searchable, reading what changed',
  options: [['--rebuild', 'read all of it again, and the words of notes and sessions too']],
  examples: [
    ['lanehold index', 'then: lanehold recall search <words>'],
    ['lanehold index --json', 'how many files and commits, and how many were read'],
    ['lanehold index --rebuild', 'where searching finds less than it should'],
  ],
  run: async (context, { rebuild = false }) =>
    context.print(await indexCode(context, rebuild ? 'rebuild' : 'update'), words.indexText),
});

export const declareScan = command({
  name: 'scan',
  about: 'Show what this project is: languages, packages, commands',
  options: [['--save', 'keep it as the note project/overview; its earlier text is superseded']],
  examples: [
    ['lanehold scan', 'as Markdown: commands, entry points, folders, what changes most'],
    ['lanehold scan --save', 'what sessions can be told of it'],
    ['lanehold scan --json', 'the same as data'],
  ],
  run: async (context, { save = false }) =>
    context.print(await scanProject(context, { save }), words.scannedText),
});

export const declareExport = command({
  name: 'export',
  about: 'Write what is known as JSON lines, Markdown, or a graph',
  options: [
    ['--format <format>', 'jsonl, markdown or cypher', { default: 'jsonl' }],
    ['--out <file>', 'where to; only you may read the file. Standard output if left out'],
  ],
  examples: [
    ['lanehold export --format markdown --out history.md', 'sessions and notes to read'],
    ['lanehold export --format cypher | cypher-shell', 'the same as a graph'],
  ],
  async run(context, { format, out }) {
    const wish = { format: oneOf('format', EXPORT_FORMATS, format), out };
    const pieces: string[] = [];
    const done = await exportProject(context, wish, (text) => {
      if (context.json) pieces.push(text);
      else context.streams.stdout.write(text);
    });
    if (done.file === null)
      return context.json ? context.print({ ...done, text: pieces.join('') }, '') : 0;
    const said = `Wrote ${done.nodes} nodes and ${done.links} links to ${done.file}`;
    return context.print(done, said);
  },
});
