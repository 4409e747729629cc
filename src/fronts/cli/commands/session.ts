import { listSessions, saveSession, showSession } from '../../../app/recall/sessions.ts';
import { countOf, defined } from '../../../app/values.ts';
import { sessionView } from '../../../app/view/sessions.ts';
import { sessionListText, sessionText } from '../../words/recall.ts';
import { command, group } from '../command.ts';

const ID = ['[session]', 'its id, or how it begins; the last session if left out'] as const;

const list = command({
  name: 'list',
  about: 'List the recorded sessions of this project, the last one first',
  options: [['--limit <count>', 'how many', { default: '20' }]],
  examples: [['lanehold session list', 'with what was asked']],
  async run(context, { limit }) {
    const listed = await listSessions(context, countOf(limit));
    return context.print(listed, sessionListText(listed.sessions));
  },
});

const show = command({
  name: 'show',
  about: 'Show what a session was about, and what it did',
  args: [ID],
  examples: [['lanehold session show', 'the last one']],
  async run(context, id) {
    const shown = await showSession(context, id);
    const entries = context.json ? (await sessionView(context, shown.id)).entries : [];
    return context.print({ ...shown, entries }, sessionText);
  },
});

const save = command({
  name: 'save',
  about: 'Keep what a session was about as a note of this project',
  args: [ID],
  options: [
    ['--path <path>', 'of the note; project/sessions/<day>-<id> if left out'],
    ['--title <text>', 'of the note; the first request if left out'],
  ],
  examples: [['lanehold session save --path project/refunds', 'the last one']],
  async run(context, id, wish) {
    const note = await saveSession(context, id, defined(wish));
    return context.print(note, `Remembered as ${note.path} (${note.id})`);
  },
});

export const declareSession = group({
  name: 'session',
  about: 'What sessions of agents did in this project',
  examples: [
    ['lanehold session list', 'which there were'],
    ['lanehold session show', 'the last one'],
  ],
  commands: [list, show, save],
});
