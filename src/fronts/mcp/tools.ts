/**
 * The tools: the use case that each calls, and its text. There are few, because their declarations are in the context
 * of every session: an agent with a shell uses commands for everything else.
 */

import * as z from 'zod/mini';
import { actorOf } from '../../agents/actor.ts';
import { listFeatures } from '../../app/hold/features.ts';
import { judgeCommit, judgeShellCommand } from '../../app/hold/gate.ts';
import { type Selection, verifySelected } from '../../app/hold/verification.ts';
import { briefingNow } from '../../app/recall/briefing.ts';
import * as editing from '../../app/recall/note-editing.ts';
import * as notes from '../../app/recall/notes.ts';
import { searchRecall, showItem } from '../../app/recall/recall.ts';
import { callersOf, neighboursOf } from '../../app/recall/references.ts';
import { projectStatus } from '../../app/setup/status.ts';
import { countOf, defined } from '../../app/values.ts';
import { notesWithUse } from '../../app/view/memory.ts';
import { needsView } from '../../app/view/needs.ts';
import { UsageError } from '../../base/errors.ts';
import type { TestEvent } from '../../features/verify.ts';
import { NOTE_KINDS } from '../../store/recall.ts';
import { listText } from '../words/features.ts';
import { commitText, shellCommandText } from '../words/gate.ts';
import * as words from '../words/notes.ts';
import { callersText, itemText, neighboursText, searchText } from '../words/recall.ts';
import { statusText } from '../words/status.ts';
import { unseenLines, verificationProgress, verificationText } from '../words/verification.ts';
import { boardOf, LANES } from './lanes.ts';
import {
  ADDS,
  type CallContext,
  names,
  needed,
  READS,
  said,
  type Tool,
  text,
  tool,
} from './tool.ts';

const HITS = 5;

const count = z.optional(
  z.pipe(
    z.number(),
    z.transform((it) => countOf(String(it))),
  ),
);

export const TOOLS: readonly Tool[] = [
  tool({
    name: 'status',
    description:
      'What a push would be held for and whether hooks hold it; or all features with their tests, or the lanes of a run.',
    input: z.strictObject({
      show: z._default(z.enum(['held', 'features', 'lanes']), 'held'),
      run: z.optional(z.string()),
    }),
    annotations: READS,
    async run(context, { show, run }) {
      if (show === 'lanes') return boardOf(context, run, 'look');
      if (show === 'features')
        return said(await listFeatures(context), (it) => listText(it, context.now()));
      const [found, { needs }] = [await projectStatus(context), await needsView(context)];
      return { data: { ...found.data, needs }, text: statusText(found, context.now()) };
    },
  }),
  tool({
    name: 'gate',
    description: 'Whether this shell command, or else this commit, would be let through, and why.',
    input: z.strictObject({
      command: z.optional(z.string()),
      head: z.optional(text('by default HEAD')),
      base: z.optional(text('by default the upstream branch')),
    }),
    annotations: READS,
    async run(context, { command, ...revisions }) {
      if (command === undefined) {
        const answer = await judgeCommit(context, revisions);
        return { data: answer.data, text: commitText(answer) };
      }
      if (revisions.head !== undefined || revisions.base !== undefined) {
        throw new UsageError('a command says itself what leaves', {
          hint: 'leave out `head` and `base`',
        });
      }
      return said(await judgeShellCommand(context, command), shellCommandText);
    },
  }),
  tool({
    name: 'verify',
    description: 'Runs the smoke tests of these features, or of all that is held.',
    input: z.strictObject({
      features: z.optional(names()),
      at: z.optional(text('A revision, instead of the working tree')),
    }),
    annotations: ADDS,
    run: verify,
  }),
  tool({
    name: 'recall',
    description:
      'Searches notes, session summaries and files; shows one by its `id`; without either, what a new session should know.',
    input: z.strictObject({
      query: z.optional(z.string()),
      id: z.optional(z.string()),
      callers: z.optional(text('A name in the code')),
      near: z.optional(text('A file: imports, importers')),
      limit: count,
    }),
    annotations: READS,
    async run(context, { query, id, callers, near, limit = HITS }) {
      if ([query, id, callers, near].filter((it) => it !== undefined).length > 1) {
        throw new UsageError('it is not said what to recall', {
          hint: 'give `query`, `id`, `callers` or `near`',
        });
      }
      if (callers !== undefined) return said(await callersOf(context, callers, limit), callersText);
      if (near !== undefined) return said(await neighboursOf(context, near, limit), neighboursText);
      if (id !== undefined) {
        const item = await showItem(context, id);
        return { data: { item }, text: itemText(item) };
      }
      if (query !== undefined) {
        const found = await searchRecall(context, query, limit);
        return { data: found, text: searchText(found, false) };
      }
      return said(await briefingNow(context), ({ text }) => text || 'Nothing to tell');
    },
  }),
  tool({
    name: 'note',
    description: 'Keeps what should outlive the session, or lists and judges what is kept.',
    input: z.strictObject({
      action: z.enum(['add', 'list', 'suggestions', 'confirm', 'reject']),
      path: z.optional(text('project/decisions/auth, global/style; to judge one, its id or path')),
      title: z.optional(text('All of it in one line')),
      kind: z.optional(z.enum(NOTE_KINDS)),
      body: z.optional(z.string()),
      when: z.optional(text('Words of prompts that bring it')),
      files: z.optional(names('Globs: told before their edit')),
      commands: z.optional(names('Told before them')),
      links: z.optional(names('commit:…, feature:…, a note')),
      supersedes: z.optional(z.string()),
      shared: z.optional(z.boolean().check(z.describe('In the repository'))),
    }),
    annotations: ADDS,
    async run(context, { action, path, title, kind, body = '', ...more }) {
      if (action === 'list')
        return said(await notesWithUse(context, 'current'), words.noteListText);
      if (action === 'suggestions') {
        const found = await notes.listSuggestions(context);
        return said(found, (it) => words.suggestionsText(it.suggestions));
      }
      const name = needed(path, 'path', action);
      if (action === 'reject') {
        return said(await editing.rejectNote(context, name), (it) => `${it.path} is told no more`);
      }
      if (action === 'confirm') {
        const note = await editing.confirmNote(context, name);
        return said(note, (it) => `Confirmed\n${words.noteText(it)}`);
      }
      const source = actorOf(context).agent ?? 'person';
      const wish = {
        ...defined(more),
        path: name,
        title: needed(title, 'title', action),
        kind,
        body,
      };
      const note = await editing.addNote(context, { ...wish, source });
      return said(note, (it) => `Remembered as ${it.path} (${it.id})\n${words.noteText(it)}`);
    },
  }),
  LANES,
];

/** Verifies with progress; the output of a failed test comes after the verdict. */
async function verify(context: CallContext, selection: Selection) {
  const shown = { ...context, env: { NO_COLOR: '1' }, streams: process, json: true, quiet: false };
  const { onTest, onStep, stop } = await verificationProgress(shown);
  const failures: string[] = [];
  const unseen = unseenLines();
  const { signal } = context;
  const progress = {
    signal,
    onStep,
    onTest(event: TestEvent) {
      onTest(event);
      if (event.kind !== 'ended' || event.failure.length === 0) return;
      failures.push(...unseen(event.failure), `(all of it: ${event.run.outputFile})`);
    },
  };
  const features = selection.features?.length === 0 ? undefined : selection.features;
  const data = await verifySelected(context, { ...selection, features }, progress).finally(stop);
  const text = 'features' in data ? verificationText(data, context.now()) : 'Nothing pending';
  return { data, text: [text, ...failures].join('\n') };
}
