/** Tools over what is remembered, for agents without hooks. */
import * as z from 'zod/mini';
import {
  GUARD_INPUT,
  JUDGE_INPUT,
  NOTE_INPUT,
  NOTES_INPUT,
  RECALL_INPUT,
  TIMELINE_INPUT,
} from '../../app/inputs.ts';
import { defined } from '../../app/values.ts';
import { UsageError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/text/json.ts';
import { dreams, guards, notes, recall, sessions } from '../words/use-cases.ts';
import { ADDS, READS, said, type Tool, tool } from './tool.ts';

const HITS = 5;
const ENTRIES = 40;

export const RECALL_TOOLS: readonly Tool[] = [
  tool({
    name: 'briefing',
    title: 'Briefing',
    about:
      'What a session that starts here should know: what is held, lanes, last work, notes near it. Call it first, once.',
    input: z.strictObject({}),
    annotations: READS,
    async run(context) {
      const { briefingNow } = await import('../../app/recall/briefing.ts');
      return said(await briefingNow(context), (it) =>
        it.text === '' ? 'Nothing to tell' : it.text,
      );
    },
  }),
  tool({
    name: 'recall',
    title: 'Recall',
    about:
      'Searches notes, summaries of sessions and files of this project, best first; with `id` shows one whole.',
    input: RECALL_INPUT,
    annotations: READS,
    async run(context, { query, id, limit = HITS }) {
      const { searchRecall, showItem, itemText, searchText } = await recall();
      if ((query === undefined) === (id === undefined)) {
        throw new UsageError('it is not said what to recall', { hint: 'give `query` or `id`' });
      }
      if (id !== undefined) {
        const item = await showItem(context, id);
        return { data: { item }, text: itemText(item) };
      }
      const found = await searchRecall(context, query ?? '', limit);
      return { data: found, text: searchText(found, false) };
    },
  }),
  tool({
    name: 'timeline',
    title: 'Timeline',
    about: 'What sessions did in this project: prompts, edits, commands and how they ended.',
    input: TIMELINE_INPUT,
    annotations: READS,
    async run(context, { session, limit = ENTRIES }) {
      const { timeline, timelineText } = await sessions();
      return said(await timeline(context, { session, limit }), (it) => timelineText(it.entries));
    },
  }),
  tool({
    name: 'notes',
    title: 'List notes',
    about: 'The notes of this project and of all projects, or what waits to be judged.',
    input: NOTES_INPUT,
    annotations: READS,
    async run(context, { which }) {
      const { listNotes, listSuggestions, noteListText, suggestionsText } = await notes();
      if (which === 'suggestions') {
        return said(await listSuggestions(context), (it) => suggestionsText(it.suggestions));
      }
      return said(await listNotes(context, which), noteListText);
    },
  }),
  tool({
    name: 'note_add',
    title: 'Write a note',
    about:
      'Writes down what should outlive the session: a decision and why, what bit you, what the user always wants.',
    input: NOTE_INPUT,
    annotations: ADDS,
    async run(context, wish) {
      const { addNote, noteText } = await notes();
      const { actorOf } = await import('../../agents/actor.ts');
      const source = actorOf(context).agent ?? 'person';
      const { path, title, kind, body = '', ...more } = wish;
      const data = await addNote(context, { ...defined(more), path, title, kind, body, source });
      return { data, text: `Remembered as ${data.path} (${data.id})\n${noteText(data)}` };
    },
  }),
  tool({
    name: 'note_judge',
    title: 'Judge a note',
    about:
      'Confirms a suggestion, a proposal, or that a note is still true though its files changed; or rejects it.',
    input: JUDGE_INPUT,
    annotations: { ...ADDS, idempotentHint: true },
    async run(context, { note: name, verdict }) {
      if (name.startsWith('dp-')) {
        const { applyProposals, decidedText, rejectProposals } = await dreams();
        const text =
          verdict === 'confirm'
            ? decidedText('Applied', (await applyProposals(context, [name])).applied)
            : decidedText('Rejected', (await rejectProposals(context, [name])).rejected);
        return { data: { id: name, path: null, verdict }, text };
      }
      const { confirmNote, noteText, rejectNote } = await notes();
      if (verdict === 'reject') {
        const { id, path } = await rejectNote(context, name);
        return { data: { id, path, verdict }, text: `${path} is told no more` };
      }
      const note = await confirmNote(context, name);
      const { id, path } = note;
      return { data: { id, path, verdict }, text: `Confirmed\n${noteText(note)}` };
    },
  }),
  tool({
    name: 'guard_add',
    title: 'Set a rule about files',
    about:
      'Sets a rule that agents are told before they edit these files. To refuse edits with `deny`, a person is asked.',
    input: GUARD_INPUT,
    annotations: ADDS,
    words: guardWords,
    async run(context, wish) {
      const { addGuard, guardText } = await guards();
      return said(await addGuard(context, wish), (it) => `Set ${guardText(it)}`);
    },
  }),
  tool({
    name: 'overview',
    title: 'Overview of the project',
    about:
      'What this project is: languages, packages, how it is built, tested and run, what changes most.',
    input: z.strictObject({}),
    annotations: READS,
    async run(context) {
      const { scanProject } = await import('../../app/recall/scan.ts');
      return said(await scanProject(context, { save: false }), (it) => it.markdown);
    },
  }),
  tool({
    name: 'dream',
    title: 'Proposed changes of notes',
    about:
      'Looks through what sessions did since the last time, and lists the changes of notes, rules and features that wait for a decision.',
    input: z.strictObject({}),
    annotations: ADDS,
    async run(context) {
      const { dream, listProposals, proposalListText } = await dreams();
      await dream(context, { dryRun: false, program: false, signal: context.signal });
      return said(await listProposals(context), (it) => proposalListText(it.proposals));
    },
  }),
];

/** The command for the person who has to set it. */
function guardWords({ files, rule, reason, deny }: JsonObject): readonly string[] {
  const words = ['guard', 'add', String(files), String(rule)];
  const why = typeof reason === 'string' ? ['--reason', reason] : [];
  return [...words, ...(deny === true ? ['--deny'] : []), ...why];
}
