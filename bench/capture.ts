/**
 * `npm run bench:capture [-- --json]`: of labelled sentences of prompts and answers, how many statements are found and
 * how much of what is found is one. The second file was written after the rules.
 */
import { statementIn } from '../src/recall/statements.ts';
import { corpus } from '../test/support/recall-corpus.ts';

const figures = (['statements', 'statements-second', 'statements-third'] as const).map((name) => {
  const all = corpus(name).map(({ text, kind }) => ({ kind, found: statementIn(text) }));
  const found = all.filter((it) => it.found !== undefined);
  const right = found.filter(({ kind }) => kind !== null);
  const labelled = all.filter(({ kind }) => kind !== null).length;
  return {
    name,
    sentences: all.length,
    statements: labelled,
    precision: right.length / found.length,
    recall: right.length / labelled,
    ofTheRightKind: right.filter((it) => it.kind === it.found).length / right.length,
  };
});

if (process.argv.includes('--json')) console.log(JSON.stringify(figures, null, 2));
else {
  for (const { name, sentences, statements, precision, recall, ofTheRightKind } of figures) {
    console.log(
      `${name}: ${sentences} sentences, ${statements} of them statements: precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)}, ${ofTheRightKind.toFixed(3)} of the right kind`,
    );
  }
}
