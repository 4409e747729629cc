import { both, command } from '../command.ts';

export const declareIndex = command({
  name: 'index',
  about: 'Make the files and commits of this project searchable, reading only what changed',
  examples: [
    ['lanehold index', 'then: lanehold recall search <words>'],
    ['lanehold index --json', 'how many files and commits, and how many were read'],
  ],
  async run(context) {
    const { indexCode, indexText } = await both(
      import('../../../app/recall/code-index.ts'),
      import('../../words/index.ts'),
    );
    const result = await indexCode(context);
    return context.print(result, indexText(result));
  },
});
