import { oneOf } from '../../../app/values.ts';
import { both, command } from '../command.ts';

export const declareExport = command({
  name: 'export',
  about: 'Write what is known of this project as lines of JSON, Markdown, or a graph for Neo4j',
  options: [
    ['--format <format>', 'jsonl, markdown or cypher', { default: 'jsonl' }],
    ['--out <file>', 'where to; only you may read the file. Standard output if left out'],
  ],
  examples: [
    ['lanehold export --format markdown --out history.md', 'sessions and notes to read'],
    ['lanehold export --format cypher | cypher-shell', 'the same as a graph'],
  ],
  async run(context, { format, out }) {
    const { exportProject, EXPORT_FORMATS } = await both(
      import('../../../app/recall/export/export.ts'),
      import('../../../app/recall/export/formats.ts'),
    );
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
