/**
 * `npm run bench:redact [-- --each N] [--json]`: which share of secrets is removed, for each shape that
 * secretlint's recommended rules know, and in how many lines of this repository something is removed; and which share
 * of labelled lines is treated as it should be.
 *
 * A secret counts if the rule set itself finds it. It is removed if no eight characters in a row are left.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { rules } from '@secretlint/secretlint-rule-preset-recommend';
import { redact } from '../src/base/text/redact/redact.ts';
import { corpus } from '../test/support/recall-corpus.ts';
import { leakOf, madeSecrets, SECRET_SHAPES, SURROUNDINGS } from '../test/support/secret-shapes.ts';

const { values } = parseArgs({
  options: { each: { type: 'string', default: '500' }, json: { type: 'boolean', default: false } },
});
const each = Number(values.each);

interface ShapeFigures {
  readonly shape: string;
  readonly made: number;
  readonly removed: number;
  /** One that is not. */
  readonly missed?: string;
}

async function figuresOf(shape: string, seed: number): Promise<ShapeFigures> {
  let made = 0;
  let removed = 0;
  let missed: string | undefined;
  for (const [at, secret] of madeSecrets(shape, each, seed).entries()) {
    if (!(await isFound(secret.text))) continue;
    made += 1;
    const around = SURROUNDINGS[at % SURROUNDINGS.length] ?? String;
    const text = around(secret.text);
    const after = redact(text);
    if (leakOf(secret, after) === undefined) removed += 1;
    else missed ??= `${text} -> ${after}`.slice(0, 400);
  }
  return { shape, made, removed, ...(missed === undefined ? {} : { missed }) };
}

/** Whether a rule of the set reports anything in the text. */
async function isFound(content: string): Promise<boolean> {
  let reports = 0;
  const context = {
    createTranslator: () => () => ({ message: '', messageId: '' }),
    report: () => {
      reports += 1;
    },
    ignore: () => undefined,
  };
  // Some rules are for files of a name, and one is not on by itself.
  for (const filePath of ['package.json', '.npmrc']) {
    const source = { content, filePath, ext: '', contentType: 'text' };
    for (const rule of rules) {
      // The types of the package know no context that is made by hand.
      const options = { enableIDScanRule: true };
      await rule.create(context as never, options as never).file?.(source as never);
    }
  }
  return reports > 0;
}

const shapes: ShapeFigures[] = [];
for (const [at, shape] of Object.keys(SECRET_SHAPES).entries()) {
  const figures = await figuresOf(shape, at + 1);
  shapes.push(figures);
  if (!values.json) {
    const { made, removed, missed } = figures;
    process.stdout.write(`${shape.padEnd(28)} ${removed} of ${made}\n`);
    if (missed !== undefined) process.stdout.write(`  ${missed}\n`);
  }
}

const files = execFileSync('git', ['ls-files', '-z', '--', ':!package-lock.json'], {
  encoding: 'utf8',
});
const lines = files
  .split('\0')
  .filter((it) => /\.(?:ts|mjs|js|json|jsonl|md|sql|sh|yml|yaml|cjs|txt)$/.test(it))
  .flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .map((line, at) => ({ file, line, at })),
  );
const began = performance.now();
redact(lines.map(({ line }) => line).join('\n'));
const took = performance.now() - began;
const changed = lines.filter(({ line }) => redact(line) !== line);
// Tests have made-up secrets on purpose.
const inTests = changed.filter(({ file }) => file.startsWith('test/'));
const characters = lines.reduce((sum, { line }) => sum + line.length, 0);

const labelled = (
  [
    ['secrets', 'harmless'],
    ['secrets-second', 'harmless-second'],
    ['secrets-third', 'harmless-third'],
    ['secrets-fourth', 'harmless-fourth'],
    ['secrets-fifth', 'harmless-fifth'],
    ['secrets-sixth', 'harmless-sixth'],
    ['secrets-seventh', 'harmless-seventh'],
  ] as const
).map(([one, other]) => {
  const [secrets, harmless] = [corpus(one), corpus(other)];
  const gone = secrets.filter(({ text, secret }) => !redact(text).includes(secret)).length;
  const kept = harmless.filter(({ text }) => redact(text) === text).length;
  return { secrets: secrets.length, gone, harmless: harmless.length, kept };
});

const made = shapes.reduce((sum, it) => sum + it.made, 0);
const removed = shapes.reduce((sum, it) => sum + it.removed, 0);
const microsecondsPerKb = (took * 1_000) / (characters / 1_000);
if (values.json) {
  const summary = {
    made,
    removed,
    lines: lines.length,
    changed: changed.length,
    inTests: inTests.length,
    microsecondsPerKb,
    labelled,
  };
  process.stdout.write(`${JSON.stringify({ ...summary, shapes }, null, 2)}\n`);
} else {
  for (const { file, line, at } of changed) {
    process.stdout.write(`${file}:${at + 1}: ${redact(line).trim().slice(0, 200)}\n`);
  }
  process.stdout.write(
    `${removed} of ${made} secrets in ${shapes.length} shapes removed (${((100 * removed) / made).toFixed(1)} %)\n` +
      `${changed.length} of ${lines.length} lines of this repository changed, ${inTests.length} of them in tests; ${microsecondsPerKb.toFixed(1)} µs per kB\n`,
  );
  for (const { secrets, gone, harmless, kept } of labelled) {
    process.stdout.write(
      `labelled lines: ${gone} of ${secrets} secrets removed, ${kept} of ${harmless} harmless lines kept\n`,
    );
  }
}
