import { addGuard, listGuards, removeGuard } from '../../../app/hold/guards.ts';
import { defined } from '../../../app/values.ts';
import { guardListText, guardText } from '../../words/notes.ts';
import { command, group } from '../command.ts';

const add = command({
  name: 'add',
  about: 'Set a rule about files: agents are told before they edit them, or are refused',
  args: [
    ['<files>', 'a path or a glob, relative to the root of the project'],
    ['<rule>', 'what is to be kept, in one line'],
  ],
  options: [
    ['--deny', 'refuse the edits of agents instead of telling the rule'],
    ['--reason <text>', 'why, for whoever meets the rule'],
  ],
  examples: [
    ['lanehold guard add "migrations/**" "Released migrations stay" --deny', 'an edit is refused'],
    ['lanehold guard add src/api.ts "Keep the public names"', 'told once before an edit'],
  ],
  async run(context, files, rule, wish) {
    const guard = await addGuard(context, { ...defined(wish), files, rule });
    return context.print(guard, `Set ${guardText(guard)}`);
  },
});

const list = command({
  name: 'list',
  about: 'List the rules about files of this project',
  examples: [['lanehold guard list', 'with who set them']],
  run: async (context) =>
    context.print(await listGuards(context), (it) => guardListText(it.guards)),
});

const remove = command({
  name: 'remove',
  about: 'Remove a rule; an agent may remove only its own',
  args: [['<id>', 'of `lanehold guard list`']],
  examples: [['lanehold guard remove lg-7f3a2c', 'edits are free again']],
  run: async (context, id) =>
    context.print(await removeGuard(context, id), (it) => `The rule ${it.id} is removed`),
});

export const declareGuard = group({
  name: 'guard',
  about: 'Set rules about files: told before an edit, or refusing it',
  examples: [
    ['lanehold guard add "dist/**" "Generated: edit src instead" --deny', 'set one'],
    ['lanehold guard list', 'what there is'],
  ],
  commands: [add, list, remove],
});
