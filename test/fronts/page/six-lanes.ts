/** A shop with a run of six lanes, each of which comes to another end: what a person finds in the page. */
import { onTestFinished } from 'vitest';
import type { Files, Scenario, Step } from '../../support/fake-worker.ts';
import { type LaneProject, laneProject } from '../../support/lane-project.ts';
import { laneRun } from '../../support/lane-run.ts';

const testOf = (path: string, names: readonly string[], passes = 'assert.ok(true)') =>
  names
    .map((name) => `test('${name}', () => ${passes});`)
    .reduce(
      (text, line) => `${text}${line}\n`,
      `import assert from 'node:assert/strict';\nimport { test } from 'node:test';\nimport * as it from '${path}';\nassert.ok(it);\n`,
    );

const FILES: Files = {
  'package.json': '{ "name": "shop", "private": true, "type": "module" }\n',
  'src/price/format.js': 'export const format = (cents) => (cents / 100).toFixed(2);\n',
  'src/price/price.js': 'export const add = (one, other) => one + other;\n',
  'src/cart/cart.js':
    "import { add } from '../price/price.js';\n\nexport const total = (items) => items.reduce(add, 0);\n",
  'src/checkout/total.js':
    "import { total } from '../cart/cart.js';\n\nexport const due = (items) => total(items) + 4;\n",
  'src/search/search.js':
    'export const search = (items, word) => items.filter((it) => it.includes(word));\n',
  'src/mail/mail.js': "export const sender = () => '';\n",
  'src/admin/report.js': 'export const report = (orders) => orders.length;\n',
  'test/price.test.js': testOf('../src/price/price.js', [
    'price rounds to cents',
    'add keeps cents',
  ]),
  'test/cart.test.js': testOf('../src/cart/cart.js', [
    'total of a cart',
    'total of an empty cart',
    'count of a cart',
  ]),
  'test/search.test.js': testOf('../src/search/search.js', ['search finds by name']),
  'lanehold.json': `${JSON.stringify(
    {
      features: {
        price: { files: ['src/price/**'], smoke: ['node --test test/price.test.js'] },
        cart: {
          files: ['src/cart/**'],
          smoke: ['node --test test/cart.test.js'],
          dependsOn: ['price'],
        },
        checkout: { files: ['src/checkout/**'], smoke: ['false'], dependsOn: ['cart', 'price'] },
        search: { files: ['src/search/**'], smoke: ['node --test test/search.test.js'] },
        mail: { files: ['src/mail/**'], smoke: ['true'], description: 'Order mails' },
      },
    },
    undefined,
    2,
  )}\n`,
};

const USAGE: Step = { usage: { input: 1_200, output: 300, cacheRead: 6_000 } };
const read = (path: string): Step => ({ tool: { name: 'Read', input: { file_path: path } } });
const edit = (path: string, text: string): readonly Step[] => [
  { tool: { name: 'Edit', input: { file_path: path } } },
  { write: { [path]: text } },
];
const report = (text: string): Step => ({ lanehold: ['orchestrate', 'report', text] });
const format = (sign: string) =>
  `export const format = (cents) => \`${sign}\${(cents / 100).toFixed(2)}\`;\n`;
const done = (usd: number): Step => ({ result: { usd, turns: 3 } });

const SCRIPT = '<script>globalThis.pwned = 1</script>';

/** A lane whose worker, and whose text, try to be more than text. It is not one of the six. */
export const HOSTILE = {
  key: 'odd',
  desc: `<b onmouseover="pwned=1">bold</b> \u202e${SCRIPT}`,
  steps: [
    { say: `<img src="x" onerror="globalThis.pwned = 1">${SCRIPT}` },
    { print: '\u001b]0;pwned\u0007\u001b[2J\u001b[31mred\u001b[0m' },
    { tool: { name: 'Bash', input: { command: 'echo [a link](javascript:pwned=1)' } } },
    { write: { 'src/odd/<img src=x onerror=pwned=1>.js': `</code>${SCRIPT}\n` } },
    {
      lanehold: [
        'orchestrate',
        'ask',
        `# Read [this](javascript:pwned=1) ${SCRIPT} ![x](http://127.0.0.1:9/x.png) \u001b[31m`,
      ],
    },
    done(0.01),
  ] satisfies readonly Step[],
};

const SCENARIO: Scenario = {
  lanes: {
    [HOSTILE.key]: [HOSTILE.steps],
    format: [
      [
        { say: 'Prices are formatted in one place.' },
        USAGE,
        read('src/price/format.js'),
        ...edit('src/price/format.js', format('$')),
        {
          write: {
            'test/format.test.js': testOf('../src/price/format.js', ['format names the currency']),
          },
        },
        done(0.31),
      ],
    ],
    receipt: [
      [
        USAGE,
        ...edit('src/price/format.js', format('EUR ')),
        {
          write: {
            'test/receipt.test.js': testOf('../src/price/format.js', [
              'receipt separates thousands',
            ]),
          },
        },
        done(0.27),
      ],
    ],
    discount: [
      [
        USAGE,
        { say: 'The empty cart cannot have a discount.' },
        ...edit(
          'src/cart/cart.js',
          "import { add } from '../price/price.js';\n\nexport const total = (items) => items.reduce(add, 0) * 0.9;\n",
        ),
        {
          write: {
            'test/cart.test.js': testOf('../src/cart/cart.js', [
              'total of a cart',
              'discount of a cart',
            ]),
          },
        },
        done(0.44),
      ],
    ],
    search: [
      [
        USAGE,
        report('Case is done, accents next'),
        ...edit(
          'src/search/search.js',
          'export const search = (items, word) => items.filter((it) => it.toLowerCase().includes(word));\n',
        ),
        {
          write: {
            'test/search.test.js': testOf(
              '../src/search/search.js',
              ['search finds by name'],
              'assert.equal(0, 1)',
            ),
          },
        },
        done(0.19),
      ],
      [
        USAGE,
        { say: 'Names were compared as a whole. I look for the word in the name again.' },
        {
          write: {
            'test/search.test.js': testOf('../src/search/search.js', ['search finds by name']),
          },
        },
        {
          append: {
            'test/search.test.js': "test('search ignores accents', () => assert.equal(0, 1));\n",
          },
        },
        done(0.22),
      ],
    ],
    mail: [
      [
        USAGE,
        { say: 'There is no sender address in the settings.' },
        read('src/mail/mail.js'),
        {
          lanehold: [
            'orchestrate',
            'ask',
            'Which address sends order mails? The settings have orders@ and noreply@, and customers answer to one of them.',
          ],
        },
        done(0.08),
      ],
      [
        USAGE,
        ...edit('src/mail/mail.js', "export const sender = () => 'orders@shop.example';\n"),
        done(0.1),
      ],
    ],
    report: [
      [
        USAGE,
        { say: 'I read how orders are stored first.' },
        read('src/admin/report.js'),
        report('Sums by day work; by month is next'),
        ...edit('src/admin/report.js', 'export const report = (orders) => new Map(orders);\n'),
        { tool: { name: 'Bash', input: { command: 'npm test -- report' } } },
        { waitFor: 'report-goes-on' },
        { say: 'Months are summed as well.' },
        done(0.5),
      ],
    ],
  },
};

const LANES: readonly (readonly [key: string, desc: string, touches: string, ...more: string[]])[] =
  [
    ['format', 'Let prices be shown in dollars, euros and pounds', '{src/price,test}/**'],
    ['receipt', 'Separate thousands on receipts', '{src/price,test}/**'],
    ['discount', 'Give carts a discount', '{src/cart,test}/**'],
    ['search', 'Search without case and accents', '{src/search,test}/**'],
    ['mail', 'Send a mail with each order', 'src/mail/**'],
    ['report', 'Sum orders by day and month for the admin page', 'src/admin/**'],
  ];

export interface SixLanes {
  readonly project: LaneProject;
  readonly run: ReturnType<typeof laneRun>;
}

/**
 * Plays the run until each lane waits for somebody, or for the flag `report-goes-on`.
 *
 * @param begin is called before there is a run.
 */
export async function sixLanes(
  cleanUp: (remove: () => void) => void = onTestFinished,
  begin?: (project: LaneProject) => Promise<void>,
): Promise<SixLanes> {
  const project = laneProject({ files: FILES, scenario: SCENARIO, name: 'shop', cleanUp });
  const run = laneRun(project);
  await begin?.(project);
  await run.init(
    'Prices in three currencies, and what customers see of them',
    '--name',
    'currencies',
  );
  for (const [key, desc, touches] of LANES) {
    await run.orchestrate(
      'lane',
      'add',
      key,
      '--desc',
      desc,
      '--agent',
      'claude-code',
      '--overlap',
      '--validate',
      'node --test',
      '--touches',
      touches,
      '--usd',
      '2',
    );
  }
  await run.spawn();
  for (const [key, state] of [
    ['format', 'verified'],
    ['receipt', 'verified'],
    ['discount', 'verified'],
    ['search', 'failed'],
    ['mail', 'asks'],
    ['report', 'running'],
  ] as const) {
    await run.looksUntil(
      `${key} to be ${state}: it is ${run.states()[key]}`,
      () => run.states()[key] === state,
    );
  }
  await project.orchestrate('integrate', '--lane', 'format');
  await project.orchestrate('integrate', '--lane', 'receipt');
  await project.orchestrate('land');
  return { project, run };
}
