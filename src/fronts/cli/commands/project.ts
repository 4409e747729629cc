import * as projects from '../../../app/recall/projects.ts';
import { keptText, partedText, projectListText, takenText } from '../../words/notes.ts';
import { command, group } from '../command.ts';

const list = command({
  name: 'list',
  about: 'List the projects of this machine, and which of them are gone from their folders',
  examples: [['lanehold project list', 'with what is kept of each']],
  run: async (context) => context.print(await projects.listProjects(context), projectListText),
});

const move = command({
  name: 'move',
  about: 'Take over here what is kept of a project that was in another folder',
  args: [['[folder]', 'where it was; by default where this clone was']],
  examples: [
    ['lanehold project move', 'after `mv`, in the new folder'],
    ['lanehold project move ~/old/shop', 'in a clone that was made anew'],
  ],
  run: async (context, folder) =>
    context.print(await projects.takeOverProject(context, folder), takenText),
});

const forget = command({
  name: 'forget',
  about: 'Part this clone from the project that it was, or delete what is kept of a gone one',
  args: [['[folder]', 'where the gone project was: all but its evidence is deleted for good']],
  examples: [
    ['lanehold project forget', 'this clone is a project of its own'],
    ['lanehold project forget ~/old/shop', 'delete features, notes, rules and sessions'],
  ],
  async run(context, folder) {
    if (folder === undefined)
      return context.print(await projects.partFromProject(context), partedText);
    return context.print(
      await projects.forgetProject(context, folder),
      (it) => `Deleted: ${keptText(it)}`,
    );
  },
});

export const declareProject = group({
  name: 'project',
  about: 'See what is kept of each project, and take it along where a folder was moved',
  commands: [list, move, forget],
});
