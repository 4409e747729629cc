/** What the usual commands print in a terminal of 80 and of 60 columns, where names are long. */
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { runProgram, type Start } from '../../support/program.ts';
import { CLI_PROGRAM, sandbox } from '../../support/sandbox.ts';
import { shop } from '../../support/shop.ts';

const CHECKOUT = 'customer-facing-checkout/internationalisation';
const FORECAST = 'warehouse-replenishment-forecasting';
const LANE = 'currency-conversion-in-customer-facing-checkout';
const FEATURES = {
  [CHECKOUT]: {
    files: [`packages/${CHECKOUT}/**`],
    smoke: [`node --check packages/${CHECKOUT}/src/currency-conversion-and-rounding-rules.js`],
    description: 'All that has to do with currencies, their conversion and how amounts are rounded',
  },
  [FORECAST]: { files: [`packages/${FORECAST}/**`], smoke: ['true'], dependsOn: [CHECKOUT] },
};

const COMMANDS = [
  'lanehold --help',
  'lanehold feature add --help',
  'lanehold status',
  'lanehold feature list',
  `lanehold feature show ${CHECKOUT}`,
  'lanehold feature coverage',
  'lanehold feature pending',
  'lanehold feature discover',
  `lanehold feature verify ${CHECKOUT}`,
  'lanehold feature verify no-feature-of-this-name-is-registered-anywhere-here',
  "lanehold gate --command 'git push'",
  "lanehold gate --command 'make ship' --explain",
  'lanehold doctor',
  'lanehold install --dry-run --agent claude-code codex',
  'lanehold orchestrate status',
  'lanehold note list',
  'lanehold guard list',
  'lanehold recall search currency conversion',
  'lanehold config list',
  'lanehold log',
];

const RULE = 'Released migrations are not edited, because they have run on machines of customers';
const FILE = `packages/${CHECKOUT}/src/currency-conversion-and-rounding-rules.js`;
const WORKER = '{"adapter": "command", "command": ["true"]}';
const GOAL = 'Move all currency conversions and all invoices to the new API of the bank';

/** Commands that put something long into the store. */
const BEFORE = [
  ['note', 'add', 'project/gotchas/currency-conversion-rounds-half', RULE, '--files', FILE],
  ['guard', 'add', 'packages/**/migrations-of-the-database/**', RULE, '--deny'],
  ['config', 'set', 'lanes.workers.local', WORKER, 'lanes.agent', 'local'],
  ['config', 'set', 'lanes.baseline', 'when-needed'],
  ['orchestrate', 'init', GOAL],
  ['orchestrate', 'lane', 'add', LANE, '--desc', RULE, '--validate', 'true'],
];

const hasScript = existsSync('/usr/bin/script');

test.skipIf(!hasScript).each([80, 60])('usual commands fit into %i columns', async (columns) => {
  const box = sandbox();
  const it = shop(box, { features: FEATURES });
  it.write(FILE, 'export const rate = 1;\n');
  it.change(`packages/${FORECAST}/src/demand-by-region-and-season.js`);
  for (const words of BEFORE) {
    expect(await it.lanehold(...words)).toMatchObject({ exitCode: 0 });
  }
  const bin = join(box.root, 'bin');
  mkdirSync(bin);
  symlinkSync(CLI_PROGRAM, join(bin, 'lanehold'));
  symlinkSync(process.execPath, join(bin, 'node'));
  const lines = await onTerminal(COMMANDS, columns, {
    cwd: it.repo,
    env: { ...box.env, PATH: `${bin}:${box.env.PATH}` },
  });
  // A word is never broken: one that is wider stands alone, or beside its label.
  const isOneWord = (line: string) => /^ *(?:- )?(?:[a-z ]{1,11} {2,})?[^ ]+(?: \\)?$/.test(line);
  expect(lines.filter((line) => line.length > columns && !isOneWord(line))).toEqual([]);
  const said = lines.join('\n');
  expect(said).toMatch(/^custo\S*…\S*ation +not verified/m);
  expect(said).toMatch(/^ +cur\S*out +planned/m);
  const verify = 'lanehold feature verify';
  expect(lines).toContain(
    columns === 60 ? `  ${verify} \\` : `Verify: ${verify} ${FORECAST} && git push`,
  );
});

/** What a terminal shows of some commands; each has to print something. */
async function onTerminal(commands: readonly string[], columns: number, start: Start) {
  const script = commands.map((line) => `echo ${MARK}; ${line}`);
  const { stdout } = await runProgram(
    'script',
    ['--quiet', '--command', `stty cols ${columns}; ${script.join('; ')}`, '/dev/null'],
    start,
  );
  const text = stripVTControlCharacters(stdout).replaceAll('\r', '');
  const parts = text.split(`${MARK}\n`).slice(1);
  expect(parts).toHaveLength(commands.length);
  for (const [at, part] of parts.entries()) expect(part.trim(), commands[at]).not.toBe('');
  return parts.join('').split('\n');
}

const MARK = '=== next';
