/**
 * `npm run bench:conflicts [-- --language NAME] [--each]`: how many conflicts git, plain union and lanehold resolve, and how many
 * results are wrong although both sides' promises hold on them.
 */
import { parseArgs } from 'node:util';
import { CASES } from './cases.ts';
import { outcomesOf, RESOLVERS, whyNotTried } from './measure.ts';
import { TRAPS } from './traps.ts';

const { values } = parseArgs({
  options: { language: { type: 'string', default: '' }, each: { type: 'boolean', default: false } },
});
const print = (line: string): boolean => process.stdout.write(`${line}\n`);
const languages = new Set([...CASES, ...TRAPS].map((it) => it.language));
for (const language of languages) {
  const why = whyNotTried(language);
  if (why !== undefined) print(`${language}: not tried: ${why}`);
}
await printTable('Features of one library', CASES);
await printTable('Traps, and what looks like one', TRAPS);

async function printTable(title: string, all: typeof CASES): Promise<void> {
  const cases = all.filter(
    ({ language }) =>
      (values.language === '' || language === values.language) &&
      whyNotTried(language) === undefined,
  );
  print(`\n${title}`);
  const kinds = [...new Set(cases.map(({ kind }) => kind))];
  const rows: string[][] = [];
  for (const which of RESOLVERS) {
    const found = await outcomesOf(cases, which);
    if (values.each && which === 'lanehold') {
      for (const { case: it, kind, way, tries } of found)
        print(
          `${kind}  ${it.language} ${it.kind}: ${it.name}  (${way || 'no way'}, ${tries} validated)`,
        );
    }
    const wrong = found.filter((it) => it.kind === 'wrong');
    const isRight = (kind: string) => (it: (typeof found)[number]) =>
      it.kind === 'resolved' && (kind === '' || it.case.kind === kind);
    const resolvable = cases.filter(({ hidden }) => hidden !== 'none').length;
    print(
      `${which}: ${found.filter(isRight('')).length} of ${resolvable} resolved, ${wrong.length} wrong of all ${cases.length}`,
    );
    rows.push([which, ...kinds.map((kind) => `${found.filter(isRight(kind)).length}`)]);
    const ways = Map.groupBy(found.filter(isRight('')), ({ way }) => way);
    if (which === 'lanehold') for (const [way, those] of ways) print(`  ${way}: ${those.length}`);
  }
  const totals = kinds.map((kind) => `${cases.filter((it) => it.kind === kind).length}`);
  for (const [at, kind] of ['kind', ...kinds].entries())
    print(
      [
        kind.padEnd(21),
        ...rows.map((it) => (it[at] ?? '').padStart(9)),
        (['of', ...totals][at] ?? '').padStart(5),
      ].join(''),
    );
}
