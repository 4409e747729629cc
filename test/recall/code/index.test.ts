/** `lanehold index`: what of a project is found afterwards, and what is read again. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { homeOf } from '../../../src/base/files/home.ts';
import { main } from '../../../src/fronts/main.ts';
import { openStore } from '../../../src/store/open.ts';
import { bufferedHost } from '../../support/buffered-host.ts';
import { command } from '../../support/command.ts';
import { promptSubmit, stop } from '../../support/payloads.ts';
import { sandbox } from '../../support/sandbox.ts';

function project() {
  const box = sandbox();
  const folder = box.repo('shop');
  const write = (path: string, content: string | Uint8Array) => box.write(`shop/${path}`, content);
  const run = (argv: readonly string[], cwd = folder) => command(box, cwd, argv);
  const index = async (cwd = folder) => {
    const { stdout, stderr } = await run(['index', '--json'], cwd);
    expect(stderr).toBe('');
    return JSON.parse(stdout);
  };
  const found = async (words: string): Promise<string[]> => {
    const { stdout } = await run(['recall', 'search', words, '--json']);
    return JSON.parse(stdout).hits.map(({ id }: { id: string }) => id);
  };
  return { box, folder, write, run, index, found };
}

const TOKEN = `ghp_${'a1B2'.repeat(9)}`;

test('files and commits are found, secrets, binaries and ignored files are not', async () => {
  const { box, folder, write, index, found } = project();
  write('.gitignore', 'ignored.ts\n');
  write('src/refunds.ts', `${'\n'.repeat(99)}export function refundLateOrders() {}\n`);
  write('lib/tides.py', 'class TideTable:\n    def highWater(self):\n        pass\n');
  write('.env', 'SHOP_MOONBEAM=1\n');
  write('photo.bin', Buffer.from([0, 1, 2, 0]));
  write('types.ts', '// @generated\nexport const moonbeam = 1;\n');
  write('key.ts', `export const token = '${TOKEN}';\n`);
  box.commit(folder, 'Pay back zebra orders');
  write('ignored.ts', 'export const moonbeam = 1;\n');
  write('fresh.ts', 'export const moonlight = 1;\n');

  expect(await index()).toMatchObject({ state: 'done', root: folder, files: 5, newCommits: 1 });
  expect((await found('refund late orders'))[0]).toBe('src/refunds.ts:100');
  expect((await found('high water'))[0]).toBe('lib/tides.py:2');
  expect(await found('moonbeam')).toEqual([]);
  expect(await found('moonlight')).toEqual(['fresh.ts:1']);
  expect(await found('zebra')).toContain('src/refunds.ts:1');
  expect(await found(TOKEN)).toEqual([]);
});

test('only what changed is read again, and what is gone is forgotten', async () => {
  const { box, folder, write, index, found } = project();
  write('a.ts', 'export const walrus = 1;\n');
  write('b.ts', 'export const penguin = 1;\n');
  box.commit(folder, 'Add the animals');
  expect(await index()).toMatchObject({ files: 2, read: 2, newCommits: 1 });
  expect(await index()).toMatchObject({ files: 2, read: 0, removed: 0, newCommits: 0 });

  write('a.ts', 'export const ostrich = 1;\n');
  rmSync(join(folder, 'b.ts'));
  expect(await index()).toMatchObject({ files: 1, read: 1, removed: 1 });
  expect(await found('walrus')).toEqual([]);
  expect(await found('ostrich')).toEqual(['a.ts:1']);

  box.git(folder, 'add', '--all');
  box.git(folder, 'commit', '--quiet', '--amend', '--message', 'Keep one animal');
  expect(await index()).toMatchObject({ read: 0, commits: 1, newCommits: 1 });
  expect(await found('penguin')).toEqual([]);
});

test('worktrees share the index of the main one', async () => {
  const { box, folder, write, index } = project();
  write('a.ts', 'export const walrus = 1;\n');
  box.commit(folder);
  await index();
  const other = join(box.root, 'other');
  box.git(folder, 'worktree', 'add', '--quiet', other);
  box.write('other/b.ts', 'export const penguin = 1;\n');
  expect(await index(other)).toMatchObject({ root: folder, files: 1, read: 0, removed: 0 });
});

test('a hit says where, what is declared there, who changed it last, and its tests', async () => {
  const { box, folder, write, run, index } = project();
  write('src/token.ts', 'export function expireToken() {}\n');
  write('test/token.test.ts', "import { expireToken } from '../src/token.ts';\n");
  box.commit(folder, 'Let tokens expire');
  await index();
  const search = ['recall', 'search', 'expire token'];
  const { hits } = JSON.parse((await run([...search, '--json'])).stdout);
  expect(hits[0]).toMatchObject({
    ...{ id: 'src/token.ts:1', kind: 'file', symbols: ['expireToken'], by: 'Ada' },
    tests: ['test/token.test.ts'],
  });
  expect(hits.at(-1)).toMatchObject({ kind: 'commit', title: 'Let tokens expire', by: 'Ada' });
  expect((await run([...search, '--explain'])).stdout).toContain('Searched for: expir token');
});

test('a refresh, which runs beside a session that begins, indexes too', async () => {
  const { box, folder, write, run, found } = project();
  write('a.ts', 'export const walrus = 1;\n');
  box.commit(folder);
  expect((await run(['recall', 'refresh'])).stdout).toContain('Indexed 1 file and 1 commit');
  expect(await found('walrus')).toEqual(['a.ts:1']);
});

test('tests that are usually changed with a file are its tests where none is named after it', async () => {
  const { box, folder, write, run, index } = project();
  for (const amount of [1, 2]) {
    write('src/refunds.ts', `export const refundLate = ${amount};\n`);
    write('test/orders.test.ts', `expect(${amount});\n`);
    box.commit(folder, `Pay ${amount}`);
  }
  await index();
  const { stdout } = await run(['recall', 'search', 'refund late', '--json']);
  expect(JSON.parse(stdout).hits[0].tests).toEqual(['test/orders.test.ts']);
});

test('neighbours in a prompt, names of two letters and large files count', async () => {
  const { box, folder, write, index, found } = project();
  write('far.ts', 'export const gate = 1; // the lock of a canal, and its gate: gate, lock\n');
  write('near.ts', 'export const two = 2; // the canal lock of the town, with one tower\n');
  write('src/cc.ts', 'export const three = 3;\n');
  write('src/large.ts', 'export const walrus = 1;\n'.repeat(30_000));
  box.commit(folder, 'Start');
  await index();
  expect((await found('open canal lock'))[0]).toBe('near.ts:1');
  expect((await found('settings of CC'))[0]).toBe('src/cc.ts:1');
  expect((await found('walrus'))[0]).toContain('src/large.ts');
});

test('files are ranked by their path and by commits', async () => {
  const { box, folder, write, index } = project();
  const noise = 'ledger invoice customer basket voucher parcel courier\n'.repeat(3);
  write('src/shipping/parcel.ts', 'export const a = 1; // ledger invoice courier\n');
  write('src/other.ts', noise);
  write('src/quiet.ts', 'export const zero = 0;\n');
  box.commit(folder, 'Start');
  write('src/quiet.ts', 'export const zero = 1;\n');
  box.commit(folder, 'Round midnight surcharges');
  await index();
  const prompts = ['shipping parcel ledger', 'midnight surcharges'];
  const lines = prompts.map((prompt) => JSON.stringify({ prompt, cwd: folder, k: 1 })).join('\n');
  const { host, said } = bufferedHost(['recall', 'query', '--json', '--lines'], {
    env: box.env,
    cwd: () => box.root,
    now: () => new Date(),
  });
  await main({ ...host, streams: { ...host.streams, stdin: Readable.from([lines]) } });
  const answers = said.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).ids[0]);
  expect(answers).toEqual(['src/shipping/parcel.ts', 'src/quiet.ts']);
});

test('a prompt brings the file that it clearly means, once, and small talk brings none', async () => {
  const { box, folder, write, index } = project();
  write('src/refunds.ts', 'export function refundLateOrders() {}\n');
  write('src/other.ts', 'export const midnight = 0;\n');
  box.commit(folder);
  await index();
  const told = async (words: string) =>
    (await box.hook('prompt-submit', { ...promptSubmit(folder), prompt: words })).stdout;
  expect(await told('looks good to me, try it again')).toBe('');
  expect(await told('why does the midnight parcel never arrive at customers')).toBe('');
  const said = await told('how do we refund late orders');
  expect(said).toContain('[file src/refunds.ts:1] declares refundLateOrders');
  expect(await told('how do we refund late orders')).toBe('');
});

test('a folder without git is refused with a way out', async () => {
  const { box, run } = project();
  const { exitCode, stderr } = await run(['index'], box.root);
  expect(exitCode).toBe(1);
  expect(stderr).toContain('hint: run `git init` first');
});

test('who calls a name, and what is around a file, is told as the files stand, in each language that is read', async () => {
  const { box, folder, write, run, index } = project();
  write('src/pay.ts', 'export function chargeCard() {}\nexport class Till { close() {} }\n');
  write(
    'src/shop/order.ts',
    "import { chargeCard as charge, Till } from '../pay.ts';\nexport const order = () => { charge(); new Till().close(); };\n",
  );
  write(
    'src/shop/view.tsx',
    "const Row = () => null;\nexport const View = () => <Row />;\n// chargeCard() in a comment\nconst text = 'chargeCard()';\n",
  );
  write(
    'src/late.ts',
    "export const later = async () => (await import('./pay.js')).chargeCard();\n",
  );
  write('app/rates.py', 'def find_rate():\n    pass\n');
  write(
    'app/invoice.py',
    'from .rates import find_rate\n\nclass Invoice:\n    def total(self):\n        return find_rate()\n',
  );
  write('go.mod', 'module shop.test\n');
  write('go/tax/tax.go', 'package tax\n\nfunc Rate() int { return 1 }\n');
  write('go/main.go', 'package main\n\nimport "shop.test/go/tax"\n\nfunc main() { tax.Rate() }\n');
  write('rs/src/stock.rs', 'pub fn count() {}\n');
  write('rs/src/main.rs', 'use crate::stock::count;\nfn main() { count(); }\n');
  write(
    'src/safe.ts',
    'const same = <T>(it: T) => it;\nclass Box {}\nclass Safe extends Box {}\nsame(new Box());\n',
  );
  write(
    'src/renamed.ts',
    "import { settle as pay } from './pay.ts';\nimport * as bank from './pay.ts';\nconst { settle: late } = await import('./pay.ts');\nfunction evening(day: number) {\n  pay(day);\n  bank.settle();\n  late();\n}\n",
  );
  write(
    'app/renamed.py',
    'from rates import (find_quote as quote)\n\ndef sell():\n    return quote()\n',
  );
  write('rs/src/renamed.rs', 'use crate::stock::sum as add;\nfn all() { add(); }\n');
  write('app/toll.py', 'def toll(by=0):\n    pass\n');
  write('app/booth.py', 'from app.toll import toll\n\ntoll(toll())\n');
  write('legacy.rb', 'chargeCard()\n');
  box.commit(folder, 'Begin');
  expect((await run(['recall', 'search', '--callers', 'x'])).stderr).toContain('lanehold index');
  await index();
  const asked = async (...argv: string[]) =>
    JSON.parse((await run(['recall', 'search', ...argv, '--json'])).stdout);

  expect(await asked('--callers', 'chargeCard')).toEqual({
    name: 'chargeCard',
    declared: [{ path: 'src/pay.ts', line: 1 }],
    references: [
      { path: 'src/late.ts', line: 1, kind: 'call', within: 'later' },
      { path: 'src/shop/order.ts', line: 2, kind: 'call', within: 'order', as: 'charge' },
      { path: 'src/shop/order.ts', line: 1, kind: 'import', within: null },
    ],
    more: 0,
    unread: 1,
  });
  for (const [name, call] of [
    ['Till', { path: 'src/shop/order.ts', line: 2, kind: 'call', within: 'order' }],
    ['Row', { path: 'src/shop/view.tsx', line: 2, kind: 'call', within: 'View' }],
    ['find_rate', { path: 'app/invoice.py', line: 5, kind: 'call', within: 'total' }],
    ['Rate', { path: 'go/main.go', line: 5, kind: 'call', within: 'main' }],
    ['count', { path: 'rs/src/main.rs', line: 2, kind: 'call', within: 'main' }],
  ] as const)
    expect((await asked('--callers', name)).references[0], name).toEqual(call);

  const places = async (name: string) =>
    (await asked('--callers', name)).references.map(
      ({ line, kind, within }: { line: number; kind: string; within: string | null }) =>
        `${line} ${kind} ${within}`,
    );
  // By another name, and by that of the module.
  expect(await places('settle')).toEqual([
    ...['5 call evening', '6 call evening', '7 call evening', '1 import null', '3 use null'],
  ]);
  expect(await places('find_quote')).toEqual(['4 call sell', '1 import null']);
  expect(await places('sum')).toEqual(['2 call all', '1 import null']);
  // A line is listed once.
  expect(await places('toll')).toEqual(['3 call null', '1 import null']);

  for (const [file, by] of [
    ['src/pay.ts', ['src/late.ts', 'src/renamed.ts', 'src/shop/order.ts']],
    ['app/rates.py', ['app/invoice.py', 'app/renamed.py']],
    ['go/tax/tax.go', ['go/main.go']],
    ['rs/src/stock.rs', ['rs/src/main.rs', 'rs/src/renamed.rs']],
  ] as const)
    expect((await asked('--near', file)).importedBy, file).toEqual(by);
  expect((await asked('--near', 'src/shop/order.ts')).imports).toEqual(['src/pay.ts']);

  expect((await asked('--callers', 'Box')).references).toMatchObject([
    { line: 4, kind: 'call' },
    { line: 3, kind: 'use', within: 'Safe' },
  ]);

  // Lines are those of now.
  write(
    'src/late.ts',
    "\n\nexport const later = async () => (await import('./pay.js')).chargeCard();\n",
  );
  expect((await asked('--callers', 'chargeCard')).references[0].line).toBe(3);
  expect(await run(['recall', 'search', '--callers', 'nosuch'])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('no indexed file has the name `nosuch`'),
  });
  expect((await run(['recall', 'search', 'words', '--near', 'a.ts'])).exitCode).toBe(2);
  expect((await run(['recall', 'search', '--near', 'gone.ts'])).stderr).toContain(
    'no file `gone.ts`',
  );
});

test('documents are taken in from a file', async () => {
  const { write, run, found } = project();
  write(
    'docs.jsonl',
    '{"id":"d1","kind":"fact","title":"The walrus has tusks","files":["a.ts"]}\n',
  );
  const done = await run(['recall', 'import', '--jsonl', 'docs.jsonl']);
  expect(done).toMatchObject({ exitCode: 0, stdout: '1 document taken in\n' });
  expect(await found('walrus tusks')).toEqual(['d1']);
  const missing = await run(['recall', 'import', '--jsonl', 'gone.jsonl']);
  expect(missing).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('no file gone.jsonl'),
  });
});

test('who calls a name is found behind the other names by which files hand it on', async () => {
  const { box, folder, write, run, index } = project();
  write('src/pay.ts', 'export function settle(day: number) { return day; }\n');
  write(
    'src/index.ts',
    "export { settle as pay } from './pay.ts';\nexport * as bank from './pay.ts';\n",
  );
  write('src/again.ts', "import { pay as first } from './index.ts';\nexport { first as last };\n");
  write('src/evening.ts', "import { pay } from './index.ts';\nconst evening = () => pay(1);\n");
  write('src/night.ts', "import { last } from './again.ts';\nfunction night() { last(2); }\n");
  write('src/all.ts', "export * from './index.ts';\n");
  write('src/noon.ts', "import { pay } from './all.ts';\nconst noon = () => pay(5);\n");
  write(
    'src/bank.ts',
    "import { bank } from './index.ts';\nfunction vault() { bank.settle(3); }\n",
  );
  // Another thing of this name, and a name that a file keeps to itself.
  write('src/other.ts', 'function pay() {}\nfunction other() { pay(); }\n');
  write(
    'src/own.ts',
    "import { settle as local } from './pay.ts';\nexport const own = local(4);\n",
  );
  write(
    'src/local.ts',
    "import { own } from './own.ts';\nfunction local() { return own; }\nlocal();\n",
  );
  write('shop/rates.py', 'def find_rate():\n    return 1\n');
  write('shop/__init__.py', 'from .rates import find_rate as rate\n');
  write('app.py', 'from shop import rate\n\ndef total():\n    return rate()\n');
  write('rs/Cargo.toml', '[package]\nname = "stock"\n');
  write('rs/src/lib.rs', 'pub mod parts;\npub mod shelf;\npub use crate::parts::count as sum;\n');
  write('rs/src/parts.rs', 'pub fn count() {}\n');
  box.commit(folder, 'Begin');
  await index();
  const calls = async (name: string) => {
    const { stdout } = await run(['recall', 'search', '--callers', name, '--json']);
    return JSON.parse(stdout)
      .references.filter(({ kind }: { kind: string }) => kind === 'call')
      .map(({ path, within }: { path: string; within: string }) => `${path} ${within}`);
  };
  expect(await calls('settle')).toEqual([
    ...[
      'src/bank.ts vault',
      'src/evening.ts evening',
      'src/night.ts night',
      'src/noon.ts noon',
      'src/own.ts null',
    ],
  ]);
  expect(await calls('find_rate')).toEqual(['app.py total']);
  const { stdout } = await run(['recall', 'search', '--callers', 'settle']);
  expect(stdout).toMatch(/src\/evening\.ts:2 +in evening, as pay/);
});

test.each([
  ['lost', (index: string) => `DELETE FROM ${index}`],
  ['damaged', (index: string) => `DELETE FROM ${index}_data`],
])('a %s index is made again, with the words of notes and sessions', async (state, loss) => {
  const { box, folder, write, run, index, found } = project();
  write('src/refunds.ts', 'export function refundLateOrders() {}\n');
  box.commit(folder, 'Pay back zebra orders');
  await index();
  await run(['note', 'add', 'project/facts/walrus', 'The walrus has tusks']);
  const prompt = 'Why does the penguin import fail on Tuesdays?';
  await box.hook('prompt-submit', { ...promptSubmit(folder), session_id: 'one', prompt });
  await box.hook('stop', { ...stop(folder), session_id: 'one', last_assistant_message: 'Dates.' });
  const store = await openStore(homeOf(box.env));
  store.db.unsafeMode().exec(['code_words', 'commit_words', 'item_words'].map(loss).join(';'));
  store.close();
  if (state === 'damaged') {
    // Features and evidence are not set aside for it.
    for (const line of [
      ['recall', 'search', 'zebra'],
      ['doctor', '--repair'],
    ]) {
      const { exitCode, stderr } = await run(line);
      expect(exitCode).toBe(1);
      expect(stderr).toContain('lanehold index --rebuild');
    }
  } else expect(await found('zebra refund walrus penguin')).toEqual([]);

  const { stdout } = await run(['index', '--rebuild', '--json']);
  expect(JSON.parse(stdout)).toMatchObject({ state: 'done', files: 1, read: 1, newCommits: 1 });
  expect(await found('zebra')).toContain('src/refunds.ts:1');
  expect((await found('walrus tusks'))[0]).toMatch(/^lh-/);
  expect((await found('penguin import tuesdays'))[0]).toMatch(/^se-/);
});

test('a file with many calls of a name is read in time', async () => {
  const { write, run, index } = project();
  write('calls.ts', `${'settleOrder();\n'.repeat(40_000)}settleOrder();`);
  await index();
  const before = process.cpuUsage();
  const argv = ['recall', 'search', '--callers', 'settleOrder', '--limit', '20000', '--json'];
  const { references } = JSON.parse((await run(argv)).stdout);
  const { user, system } = process.cpuUsage(before);
  expect(references.at(-1)).toMatchObject({ kind: 'call', line: 40_001 });
  // Its lines, each counted from the beginning of the file, took twenty seconds.
  expect((user + system) / 1000).toBeLessThan(6000);
});
