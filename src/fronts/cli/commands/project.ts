import { UsageError } from '../../../base/errors.ts';
import { projects } from '../../words/use-cases.ts';
import { agrees, canAnswer, command, group } from '../command.ts';

const list = command({
  name: 'list',
  about: 'List the projects of this machine, and which of them are gone from their folders',
  examples: [['lanehold project list', 'with what is kept of each']],
  async run(context) {
    const { listProjects, projectListText } = await projects();
    return context.print(await listProjects(context), projectListText);
  },
});

const move = command({
  name: 'move',
  about: 'Take over here what is kept of a project that was in another folder',
  args: [['[folder]', 'where it was; by default where this clone was']],
  examples: [
    ['lanehold project move', 'after `mv`, in the new folder'],
    ['lanehold project move ~/old/shop', 'of a clone that was made anew'],
  ],
  notes:
    '\n\nOnly a person runs this. Features of this machine, notes, rules, runs and\nevidence go on here; what was noted here meanwhile stays.',
  async run(context, folder) {
    const { takeOverProject, keptText } = await projects();
    return context.print(
      await takeOverProject(context, folder),
      (it) => `The project of ${it.from} goes on here: ${keptText(it)}`,
    );
  },
});

const forget = command({
  name: 'forget',
  about: 'Part this clone from the project that it was, or delete what is kept of a gone one',
  args: [['[folder]', 'where the gone project was: all but its evidence is deleted']],
  options: [['--yes', 'do not ask']],
  examples: [
    ['lanehold project forget', 'this clone is a project of its own; nothing is deleted'],
    ['lanehold project forget ~/old/shop', 'its features, notes, rules and sessions'],
  ],
  async run(context, folder, { yes }) {
    const { partFromProject, forgetProject, keptText } = await projects();
    if (folder === undefined) {
      return context.print(
        await partFromProject(context),
        ({ from }) => `This clone is a project of its own, apart from that of ${from}`,
      );
    }
    if (!yes && !canAnswer(context)) {
      throw new UsageError('nobody can be asked here', {
        hint: 'see what there is with `lanehold project list`, then add --yes',
      });
    }
    if (!yes && !(await agrees(context, `Delete what is kept of ${folder} for good?`, 'no'))) {
      throw new UsageError('nothing was deleted');
    }
    return context.print(await forgetProject(context, folder), (it) => `Deleted: ${keptText(it)}`);
  },
});

export const declareProject = group({
  name: 'project',
  about: 'See what is kept of each project, and take it along where a folder was moved',
  examples: [
    ['lanehold project list', 'what there is'],
    ['lanehold project move', 'after `mv`, in the new folder'],
  ],
  commands: [list, move, forget],
});
