import { both, command } from '../command.ts';

export const declareScan = command({
  name: 'scan',
  about: 'Show what this project is: languages, packages, how it is built, tested and run',
  options: [['--save', 'keep it as the note project/overview; its earlier text is superseded']],
  examples: [
    ['lanehold scan', 'as Markdown: commands, entry points, folders, what changes most'],
    ['lanehold scan --save', 'what sessions can be told of it'],
    ['lanehold scan --json', 'the same as data'],
  ],
  async run(context, { save = false }) {
    const { scanProject, scannedText } = await both(
      import('../../../app/recall/scan.ts'),
      import('../../words/scan.ts'),
    );
    const scanned = await scanProject(context, { save });
    return context.print(scanned, scannedText(scanned));
  },
});
