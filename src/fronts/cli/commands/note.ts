import { existsSync } from 'node:fs';
import { actorOf } from '../../../agents/actor.ts';
import * as editing from '../../../app/recall/note-editing.ts';
import { exportNotes, importNotes } from '../../../app/recall/note-folders.ts';
import * as notes from '../../../app/recall/notes.ts';
import { defined, given, oneOf } from '../../../app/values.ts';
import { notesWithUse, suggestionsOfAll } from '../../../app/view/memory.ts';
import { plural } from '../../../base/text/printable.ts';
import { NOTE_KINDS } from '../../../store/recall.ts';
import * as words from '../../words/notes.ts';
import { command, group, typedOrInput } from '../command.ts';

const add = command({
  name: 'add',
  about:
    'Write down what is to be remembered: a decision, a gotcha, a preference, a fact, an instruction',
  args: [
    ['<path>', 'where it belongs: project/decisions/auth, global/style, agent/<name>/limits'],
    ['<title>', 'the whole of it in one line'],
  ],
  options: [
    ['--kind <kind>', `${NOTE_KINDS.join(', ')}; else as its folder is called, or a fact`],
    ['--body <text>', 'more about it, or - for standard input'],
    ['--when <list>', 'phrases and globs that bring it: "rate limit, tokens, src/auth/**"'],
    [
      '--files <file...>',
      'files that it is about: told before they are edited, and to be confirmed when they change; globs are only told',
    ],
    ['--commands <pattern...>', 'told before these commands: "npm publish", "git push * --tags"'],
    ['--links <link...>', 'commit:…, feature:…, another note'],
    ['--supersedes <note>', 'the note that it replaces; that one is kept and told to nobody'],
    ['--team', 'goes to the machines of the team'],
    ['--shared', 'in .lanehold/notes of the repository, for everybody; else only on this machine'],
  ],
  examples: [
    [
      'lanehold note add project/gotchas/expiry "Expiry is in seconds" --files src/token.ts',
      'has to be confirmed when the file changes',
    ],
    [
      'lanehold note add project/gotchas/release "Publish from main only" --commands "npm publish" --files "deploy/**"',
      'told before this command, and before these files are edited',
    ],
    ['lanehold note add global/style "Small commits, no squash" --kind preference', 'everywhere'],
  ],
  async run(context, path, title, { kind, body = '', team, ...wish }) {
    const shared = team ? await import('../../../app/team/notes.ts') : undefined;
    await shared?.assertShareable(context, path);
    const source = actorOf(context).agent ?? 'person';
    const note = await editing.addNote(context, {
      ...defined(wish),
      path,
      title,
      body: await typedOrInput(context, body),
      kind: given((it) => oneOf('kind', NOTE_KINDS, it), kind),
      source,
    });
    await shared?.shareNote(context, note.path);
    return context.print(note, `Remembered as ${note.path} (${note.id})\n${words.noteText(note)}`);
  },
});

const list = command({
  name: 'list',
  about: 'List the notes of this project and those of all projects',
  options: [['--all', 'those that were superseded, too']],
  examples: [
    ['lanehold note list', 'a table for people'],
    ['lanehold note list --json', 'with their texts'],
  ],
  run: async (context, { all }) =>
    context.print(await notesWithUse(context, all ? 'all' : 'current'), words.noteListText),
});

const NAME = ['<note>', 'its path or its id'] as const;

const show = command({
  name: 'show',
  about: 'Show one note, and whether the files that it is about have changed',
  args: [NAME],
  examples: [['lanehold note show project/decisions/auth', 'or by its id']],
  async run(context, name) {
    const { note } = await notes.findNote(context, name);
    return context.print(note, words.noteText(note));
  },
});

const edit = command({
  name: 'edit',
  about: 'Change a note; an earlier text is kept as superseded',
  args: [NAME],
  options: [
    ['--title <text>', 'the whole of it in one line'],
    ['--body <text>', 'more about it, or - for standard input'],
    ['--kind <kind>', NOTE_KINDS.join(', ')],
    ['--when <list>', 'phrases and globs that bring it'],
    ['--files <file...>', 'in place of its files and globs'],
    ['--commands <pattern...>', 'in place of its commands'],
    ['--links <link...>', 'in place of its links'],
  ],
  examples: [
    [
      'lanehold note edit project/decisions/db --title "SQLite, a file per tenant"',
      'the earlier decision stays beside it as superseded',
    ],
    ['lanehold note edit lh-7f3a2c --commands "npm publish"', 'only when it is told changes'],
  ],
  async run(context, name, { kind, body, ...wish }) {
    const change = {
      ...defined(wish),
      ...defined({
        body: body && (await typedOrInput(context, body)),
        kind: given((it) => oneOf('kind', NOTE_KINDS, it), kind),
      }),
    };
    const source = actorOf(context).agent ?? 'person';
    const note = await editing.editNote(context, name, { ...change, source });
    const joined = existsSync((await context.store()).home.team)
      ? await (await import('../../../app/team/notes.ts')).joinVersions(context, note.path)
      : 0;
    const others = joined === 0 ? '' : `, and joined with ${plural(joined, 'version')} of others`;
    return context.print(note, `Changed${others}\n${words.noteText(note)}`);
  },
});

const exportAll = command({
  name: 'export',
  about: 'Write the notes as a folder of Markdown documents',
  args: [['<folder>', 'is made if it is not there']],
  examples: [['lanehold note export docs/notes', 'to read, or to keep in a repository']],
  run: async (context, folder) =>
    context.print(await exportNotes(context, folder), words.exportedText),
});

const importAll = command({
  name: 'import',
  about: 'Take in the Markdown documents of a folder as notes',
  args: [['<folder>', 'of `lanehold note export`, or of any Markdown']],
  examples: [['lanehold note import docs/notes', 'notes that are there already stay as they are']],
  run: async (context, folder) =>
    context.print(await importNotes(context, folder), words.importedText),
});

const suggestions = command({
  name: 'suggestions',
  about: 'List what lanehold has inferred and nobody has confirmed yet',
  examples: [['lanehold note suggestions', 'with what each was inferred from']],
  run: async (context) =>
    context.print(await suggestionsOfAll(context), (it) => words.suggestionsText(it.suggestions)),
});

const confirm = command({
  name: 'confirm',
  about: 'Say that a note is true for the files as they are now, or keep a suggestion as a note',
  args: [NAME],
  examples: [['lanehold note confirm lh-7f3a2c', 'after its files have changed']],
  run: async (context, name) =>
    context.print(
      await editing.confirmNote(context, name),
      (it) => `Confirmed\n${words.noteText(it)}`,
    ),
});

const reject = command({
  name: 'reject',
  about: 'Put a note aside: it is kept, and told to nobody',
  args: [NAME],
  examples: [['lanehold note reject lh-7f3a2c', 'it was wrong']],
  run: async (context, name) =>
    context.print(await editing.rejectNote(context, name), (it) => `${it.path} is put aside`),
});

const remove = command({
  name: 'remove',
  about: 'Delete a note',
  args: [NAME],
  examples: [['lanehold note remove project/decisions/auth', 'its document is deleted']],
  run: async (context, name) =>
    context.print(await editing.deleteNote(context, name), (it) => `${it.path} is deleted`),
});

export const declareNote = group({
  name: 'note',
  about: 'Keep what outlives a session: decisions, gotchas, facts',
  examples: [
    ['lanehold note add project/decisions/db "SQLite, one file" --kind decision', 'write one down'],
    ['lanehold note list', 'what there is'],
  ],
  commands: [add, list, show, edit, suggestions, confirm, reject, remove, exportAll, importAll],
});
