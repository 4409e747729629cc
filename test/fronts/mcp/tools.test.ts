/** What agents are told by the MCP server: the same as `--json`, and a text beside it. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { attempt } from '../../../src/base/errors.ts';
import { tokensOf } from '../../../src/recall/tokens.ts';
import { boardRows } from '../../support/board-rows.ts';
import { command } from '../../support/command.ts';
import { mcpClient } from '../../support/mcp-client.ts';
import { sandbox } from '../../support/sandbox.ts';
import { FEATURES, shop } from '../../support/shop.ts';

const isAlive = (pid: number): boolean => attempt(() => process.kill(pid, 0)) ?? false;

const NOW = new Date('2026-03-04T05:06:07Z');

test('each tool says what it is in one sentence, and all of it costs a session 1,500 tokens at most', async () => {
  const box = sandbox();
  const { tools, client } = await mcpClient(box, box.root);
  expect(tools.map(({ name }) => name)).toEqual([
    ...['status', 'gate', 'verify', 'recall', 'note', 'lanes'],
  ]);
  for (const { name, description, inputSchema, annotations } of tools) {
    expect(description, name).toMatch(/^[A-Z][^.]*\.$/);
    expect(inputSchema, name).toMatchObject({ type: 'object' });
    expect(inputSchema.properties, name).toHaveProperty('cwd');
    expect(annotations, name).toMatchObject({ openWorldHint: name === 'lanes' });
  }
  const readers = tools.filter(({ annotations }) => annotations?.readOnlyHint === true);
  expect(readers.map(({ name }) => name)).toEqual(['status', 'gate', 'recall']);
  const told = JSON.stringify({ tools }) + client.getInstructions();
  // Each of the two says more than tokenizers do of JSON.
  expect(told.length / 3.5).toBeLessThanOrEqual(1_500);
  expect(tokensOf(told)).toBeLessThanOrEqual(1_500);
});

test('the data of `--json` is beside the text only where it is asked for', async () => {
  const box = sandbox();
  const { repo } = shop(box);
  const { client } = await mcpClient(box, repo);
  const said = await client.callTool({ name: 'status', arguments: {} });
  expect(said).toEqual({ content: [{ type: 'text', text: expect.any(String) }] });
});

test('nothing that needs a person can be done', async () => {
  const box = sandbox();
  const project = shop(box, { gate: { waive: 'agent' } });
  project.change('src/cart/add.ts');
  const { client, tools, call } = await mcpClient(box, project.repo);
  for (const name of ['waive', 'attest', 'guard_add']) {
    const wish = { features: ['cart'], reason: 'x', files: 'src', rule: 'x', deny: true };
    await expect(client.callTool({ name, arguments: wish }), name).rejects.toThrow('no tool');
  }
  const takes = tools.flatMap(({ inputSchema }) => Object.keys(inputSchema.properties ?? {}));
  expect(takes).not.toEqual(expect.arrayContaining([expect.stringMatching(/waive|attest|deny/)]));
  const input = { features: ['cart'], attest: true, notes: 'x' };
  expect((await call('verify', input)).text).toContain('there is no `attest` here');
  expect((await call('gate', { command: 'git push' })).data.decision).toBe('deny');
});

test('a verification in the folder that it names is one of the tree that is there', async () => {
  const box = sandbox();
  const project = shop(box);
  project.git('worktree', 'add', '--quiet', '-b', 'topic', '../linked');
  box.write('linked/src/cart/add.ts', 'two\n');
  box.git(join(box.root, 'linked'), 'commit', '--quiet', '--all', '--message', 'two');
  const { call } = await mcpClient(box, project.repo);
  const push = { command: 'git -C ../linked push origin topic' };
  const { text } = await call('gate', push);
  expect(text).toContain(
    'Verify: lanehold feature verify cart --project ../linked && git -C ../linked push origin topic\n',
  );
  await call('verify', { features: ['cart'], cwd: '../linked' });
  expect((await call('gate', push)).data.decision).toBe('pass');
});

test('the data is what `--json` prints', async () => {
  const box = sandbox();
  const project = shop(box);
  project.change('src/cart/add.ts');
  const { call } = await mcpClient(box, project.repo, { now: () => NOW });
  const printed = async (argv: string) =>
    JSON.parse(
      (await command(box, project.repo, [...argv.split(' '), '--json'], { now: NOW })).stdout,
    );
  for (const [name, input, argv] of [
    ['status', {}, 'status'],
    ['status', { show: 'held' }, 'status'],
    ['status', { show: 'features' }, 'feature list'],
    ['gate', { command: 'ls' }, 'gate --command ls'],
    ['gate', { base: 'origin/main' }, 'gate --base origin/main'],
  ] as const) {
    expect({ argv, data: (await call(name, input)).data }).toEqual({
      argv,
      data: await printed(argv),
    });
  }
  expect((await call('gate', { command: 'git push' })).data).toMatchObject({
    decision: 'deny',
    verdict: 'held',
    held: [{ feature: 'cart' }],
  });
});

test('verify: several features, progress, what failed; and then it is no longer held', async () => {
  const box = sandbox();
  const TORN = 'test -e notes/two.md || { echo torn; exit 4; }';
  const features = { ...FEATURES, notes: { files: ['notes/**'], smoke: [TORN] } };
  const project = shop(box, { features });
  project.change('src/cart/add.ts');
  project.change('notes/one.md');
  const { call } = await mcpClient(box, project.repo);
  const lines: string[] = [];
  const failed = await call('verify', { features: [] }, (line) => lines.push(line));
  expect(failed).toMatchObject({ isError: false, data: { verified: false } });
  expect(failed.text).toMatch(/^Not verified: 1 of 2\n.*exit code 4/);
  expect(failed.text).toContain('torn\n(all of it: ');
  expect(lines).toEqual(
    expect.arrayContaining([
      'cart: true …',
      expect.stringMatching(/^cart: true passed/),
      expect.stringMatching(/^notes: test .* failed \(exit code 4/),
    ]),
  );

  project.change('notes/two.md');
  expect((await call('verify', { features: ['notes', 'cart'] })).text).toMatch(/^Verified 2 of 2/);
  expect((await call('verify', { features: ['cart'], at: 'HEAD' })).data.verified).toBe(true);
  expect((await call('verify')).text).toBe('Nothing pending');
  expect((await call('gate', { command: 'git push' })).data.decision).toBe('pass');
  const { stdout } = await project.lanehold('feature', 'history', 'cart', '--json');
  const actors = JSON.parse(stdout).records.map((it: { actor: string }) => it.actor);
  expect([...new Set(actors)]).toEqual(['agent claude-code']);
});

test('a call that was cancelled ends its tests and records nothing', async () => {
  const box = sandbox();
  const pidFile = join(box.home, 'pid');
  const smoke = [`echo $$ > '${pidFile}'; exec sleep 300`];
  const project = shop(box, { features: { cart: { files: ['src/cart/**'], smoke } } });
  project.change('src/cart/add.ts');
  const { client } = await mcpClient(box, project.repo);
  const cancel = new AbortController();
  const pid = () => Number(existsSync(pidFile) && readFileSync(pidFile, 'utf8'));
  const options = { signal: cancel.signal };
  const call = client.callTool({ name: 'verify', arguments: {} }, undefined, options);
  await expect.poll(pid).toBeGreaterThan(0);
  cancel.abort();
  await expect(call).rejects.toThrow(/abort/i);
  await expect.poll(() => isAlive(pid())).toBe(false);
  expect((await project.lanehold('feature', 'history', 'cart')).stdout).toContain('No records');
});

test('lanes: the board, and the handoff of a run', async () => {
  const box = sandbox();
  const rows = await boardRows(box);
  const mail = rows.lane('mail');
  const asking = rows.attempt(mail, {
    through: ['exited', 'ended'],
    note: { endReason: 'rejected', endCause: 'no-change' },
  });
  rows.ask(mail, 'Which currency?', asking);
  const now = () => rows.context.now();
  const { call } = await mcpClient(box, rows.repo, { now });
  const board = await call('status', { show: 'lanes' });
  expect(board.text).toContain('Which currency?');
  expect(board.data).toMatchObject({ lanes: [{ key: 'mail' }], questions: [{}] });

  const handoff = await call('lanes', { action: 'handoff' });
  expect(handoff.text).toContain('Which currency?');
  expect(handoff.data).toMatchObject({ board: { lanes: [{ key: 'mail' }] } });
});

test('the folder: of the roots, else of the process, or as the call says', async () => {
  const box = sandbox();
  const project = shop(box);
  const other = box.repo('other');
  let roots = ['file://other-host/x', 'file:///none', pathToFileURL(project.repo).href];
  const { call, client } = await mcpClient(box, other, { roots: () => roots });
  const rootOf = async (input?: object) => (await call('status', input)).data?.root;
  expect(await rootOf()).toBe(project.repo);
  expect(await rootOf({ cwd: 'absent' })).toBeUndefined();
  expect(await rootOf({ cwd: 'src' })).toBe(project.repo);
  expect(await rootOf({ cwd: other })).toBe(other);
  roots = [pathToFileURL(other).href];
  await client.sendRootsListChanged();
  expect(await rootOf()).toBe(other);
  roots = [];
  await client.sendRootsListChanged();
  expect(await rootOf()).toBe(other);
  const fixed = await mcpClient(box, project.repo, { roots: () => roots, isFixed: true });
  roots = [pathToFileURL(other).href];
  expect((await fixed.call('status')).data.root).toBe(project.repo);
  const alone = await mcpClient(box, project.repo);
  expect((await alone.call('status')).data.root).toBe(project.repo);
});

test('a project without features, and a folder outside of every repository', async () => {
  const box = sandbox();
  const { call, defects } = await mcpClient(box, box.repo());
  expect((await call('status')).text).toContain('Nothing held');
  const features = { show: 'features' };
  expect((await call('status', features)).text).toMatch(/^No features yet\n/);
  expect((await call('verify')).text).toBe('Nothing pending');
  expect((await call('verify', { features: ['cart'] })).text).toContain('no feature named `cart`');
  expect((await call('gate', { command: 'git push' })).isError).toBe(false);
  const lanes = await call('status', { show: 'lanes' });
  expect(lanes).toMatchObject({ isError: true, data: undefined });
  expect(lanes.text).toBe(
    "there is no open run in this project\nNext: begin one with `lanehold orchestrate init 'GOAL'`",
  );
  const outside = { cwd: box.root };
  expect((await call('status', { ...outside, ...features })).text).toMatch(/^No features yet\n/);
  expect((await call('gate', outside)).text).toMatch(/^.*git.*\nNext: /);
  expect(defects).toEqual([]);
});

test('it lives on while the registry changes and breaks, and over a removed database', async () => {
  const box = sandbox();
  const project = shop(box);
  const { call, defects } = await mcpClient(box, project.repo);
  const names = async () =>
    (await call('status', { show: 'features' })).data?.features.map(
      (it: { name: string }) => it.name,
    );
  expect(await names()).toEqual(['cart', 'checkout']);
  project.register({ ...FEATURES, mail: { files: ['src/mail/**'], smoke: ['true'] } });
  expect(await names()).toEqual(['cart', 'checkout', 'mail']);
  project.write('lanehold.json', '{ "features": ');
  const broken = await call('status', { show: 'features' });
  expect(broken).toMatchObject({ isError: true });
  expect(broken.text).toContain('lanehold.json');
  project.register(FEATURES);
  expect((await call('verify', { features: ['cart'] })).isError).toBe(false);
  rmSync(box.laneholdHome, { recursive: true });
  expect(await names()).toEqual(['cart', 'checkout']);
  expect((await call('verify', { features: ['cart'] })).data.verified).toBe(true);
  writeFileSync(join(box.laneholdHome, 'lanehold.db'), 'no database at all '.repeat(100));
  const damaged = await call('status');
  expect(damaged).toMatchObject({ isError: true });
  expect(damaged.text).toMatch(/database[\s\S]*\nNext: /);
  expect(defects).toEqual([]);
});

test('input that is not as it should be: one fact, one next step', async () => {
  const box = sandbox();
  const project = shop(box);
  const { call, client, defects } = await mcpClient(box, project.repo);
  const long = 'x'.repeat(100_000);
  for (const [name, input, text] of [
    ['verify', { feature: ['cart'] }, 'there is no `feature` here\nNext: did you mean `features`?'],
    ['verify', { features: 'cart' }, '`features` has another type\nNext: give a list'],
    ['verify', { features: [1] }, '`features[0]` has another type\nNext: give a text'],
    ['verify', { features: [long] }, '`features[0]` is longer'],
    ['verify', { features: ['cart', '__proto__'] }, 'no feature named `__proto__`'],
    ['verify', { features: ['\u001b[2J\0'] }, 'no feature named'],
    ['verify', { at: '--output=/tmp/x' }, 'is no commit'],
    ['gate', { command: 'ls', head: 'HEAD' }, 'a command says itself what leaves'],
    ['recall', { query: 'a', limit: 1.5 }, '`1.5` is no count'],
    ['recall', { query: 'a', limit: 'b' }, '`limit` has another type\nNext: give a number'],
    ['status', { show: 'all' }, '`show` '],
    ['status', { json: 1 }, '`json` has another type'],
    ['status', { cwd: 7 }, '`cwd` has another type'],
    ['status', { cwd: 'a\0b' }, 'there is no folder'],
    ['status', { cwd: '/dev/null' }, 'there is no folder /dev/null'],
    ['status', { __proto__: null, constructor: 1 }, 'there is no `constructor` here'],
  ] as const) {
    const said = await call(name, input);
    expect(said, name).toMatchObject({ isError: true, data: undefined });
    expect(said.text, name).toContain(text);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
    expect(said.text, name).not.toMatch(/[\0\u001b]/);
    expect(said.text.length, name).toBeLessThan(1_000);
  }
  await expect(client.callTool({ name: 'toString', arguments: {} })).rejects.toThrow('no tool');
  expect((await call('gate', { command: `${'('.repeat(5_000)}git push` })).isError).toBe(false);
  expect((await call('status')).isError).toBe(false);
  expect(defects).toEqual([]);
});
