/** What agents keep in memory and plan files of their own: found with its source, never written. */
import { existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { command } from '../support/command.ts';
import { promptSubmit } from '../support/payloads.ts';
import { sandbox } from '../support/sandbox.ts';

function project() {
  const box = sandbox();
  const folder = box.repo('shop');
  const json = async (...argv: string[]) => {
    const { stdout, stderr } = await command(box, folder, [...argv, '--json']);
    return stdout === '' ? { error: stderr } : JSON.parse(stdout);
  };
  const search = async (...words: string[]) =>
    ((await json('recall', 'search', ...words)).hits as Record<string, string>[]).filter(
      ({ kind }) => kind !== 'commit' && kind !== 'file',
    );
  const munged = folder.replaceAll(/[^A-Za-z0-9]/g, '-');
  const memory = `home/.claude/projects/${munged}/memory`;
  return { box, folder, json, search, memory };
}

test('a memory is found with its file, follows it, and goes with it', async () => {
  const { box, json, search, memory } = project();
  const head = '---\nname: ledger\ndescription: Ledger rounding\n---\n';
  const text = `${head}Amounts are rounded half even.\n\n## Refund windows\nA refund is possible for 30 days.\n`;
  const file = box.write(`${memory}/ledger.md`, text);
  const [hit] = await search('refund', 'windows');
  expect(hit).toMatchObject({
    ...{ kind: 'memory', title: 'Refund windows', source: 'file', agent: 'claude-code' },
    from: expect.stringMatching(/^~\/\.claude\/projects\/.+\/memory\/ledger\.md$/),
  });
  expect((await search('rounded', 'half', 'even'))[0]?.title).toBe('Ledger rounding');
  const shown = await json('recall', 'show', hit?.id ?? '');
  expect(shown.body).toBe('A refund is possible for 30 days.');
  expect(readFileSync(file, 'utf8')).toBe(text);

  box.write(file, text.replace('30 days', 'a fortnight'));
  expect(await search('fortnight')).toHaveLength(1);
  expect((await json('recall', 'refresh')).memory).toBe(0);
  rmSync(file);
  expect(await search('refund', 'windows')).toEqual([]);
  expect((await json('recall', 'show', hit?.id ?? '')).error.code).toBe('NOTHING_RECALLED');
});

test('plans, tasks and memories of other agents are found in the project that they are of', async () => {
  const { box, folder, search } = project();
  box.repo('shop-two');
  box.write('shop/.kiro/specs/coupons/tasks.md', '# Tasks\n- [ ] Zanzibar coupon expiry\n');
  box.write('shop/.kiro/steering/tech.md', 'Zanzibar services speak gRPC.\n');
  box.write('shop/.cursor/plans/search.md', '# Plan\nZanzibar search in three steps\n');
  box.write('home/.claude/plans/happy-fox.md', `# Plan\nZanzibar in ${folder}/src/a.ts\n`);
  box.write('home/.claude/plans/sad-fox.md', `# Plan\nZanzibar in ${folder}-two/src/a.ts\n`);
  box.write(
    'home/.codex/memories/MEMORY.md',
    `# Shop\nZanzibar builds in ${folder} need make\n# Other\nZanzibar secret of another client\n`,
  );
  box.write(
    'home/.gemini/GEMINI.md',
    '# Rules\nZanzibar rule\n## Gemini Added Memories\n- Zanzibar is in Africa\n',
  );
  box.write(
    'home/.gemini/antigravity/brain/c1/task.md',
    `# Task\nZanzibar: file://${folder}/x.ts\n`,
  );
  const found = (await search('zanzibar', '--limit', '20')).map(
    ({ agent, kind, from }) => `${agent} ${kind} ${from}`,
  );
  expect(found.sort()).toEqual([
    'antigravity tasks ~/.gemini/antigravity/brain/c1/task.md',
    'claude-code plan ~/.claude/plans/happy-fox.md',
    'codex memory ~/.codex/memories/MEMORY.md',
    'cursor plan .cursor/plans/search.md',
    'gemini-cli memory ~/.gemini/GEMINI.md',
    'kiro memory .kiro/steering/tech.md',
    'kiro tasks .kiro/specs/coupons/tasks.md',
  ]);
  const other = await command(box, join(box.root, 'shop-two'), [
    ...['recall', 'search', 'zanzibar', '--limit', '20', '--json'],
  ]);
  const hits: { from: string }[] = JSON.parse(other.stdout).hits;
  expect(hits.map(({ from }) => from).sort()).toEqual([
    '~/.claude/plans/sad-fox.md',
    '~/.gemini/GEMINI.md',
  ]);
});

test('secrets, private words, links and ignored files are left out', async () => {
  const { box, folder, search, memory } = project();
  const token = `ghp_${'a1B2c3D4e5'.repeat(4)}`.slice(0, 40);
  box.write(`${memory}/a.md`, `Zanzibar token ${token} <private>Quagmire</private>\n`);
  box.write('outside.md', 'Zanzibar outside\n');
  symlinkSync(join(box.root, 'outside.md'), join(box.root, memory, 'b.md'));
  symlinkSync(box.root, join(box.root, 'shop/.kiro'));
  box.write('specs/x/tasks.md', 'Zanzibar beyond a link\n');
  box.write('shop/.cursor/plans/secret.md', 'Zanzibar ignored\n');
  box.write('shop/lanehold.json', '{"recall": {"ignore": [".cursor/**"]}}');
  const found = await search('zanzibar');
  expect(found).toHaveLength(1);
  const { stdout } = await command(box, folder, ['recall', 'show', found[0]?.id ?? '']);
  expect(stdout).toContain('[redacted');
  expect(stdout).toContain('of claude-code');
  expect(stdout).not.toMatch(new RegExp(`${token}|Quagmire`));
});

test('a prompt of another agent brings it, one of its own agent does not', async () => {
  const { box, folder, search, memory } = project();
  box.write(`${memory}/a.md`, '# Refund windows\nA refund window closes after thirty days.\n');
  expect(await search('refund')).toHaveLength(1);
  const prompt = { prompt: 'when does the refund window close after days' };
  const ask = async (agent: string, payload: object) => {
    const { stdout } = await box.hook('prompt-submit', { ...payload }, { agent, cwd: folder });
    return stdout;
  };
  const codex = { hook_event_name: 'UserPromptSubmit', session_id: 's', turn_id: 't', cwd: folder };
  expect(await ask('codex', { ...codex, ...prompt })).toContain('memory/a.md of claude-code');
  expect(await ask('claude-code', { ...promptSubmit(folder), ...prompt })).not.toContain('thirty');
});

test('nothing is read where recording or reading is off', async () => {
  const { box, json, search, memory } = project();
  box.write(`${memory}/a.md`, 'Zanzibar\n');
  const config = join(box.laneholdHome, 'config.json');
  for (const recall of [{ transcripts: 'off' }, { capture: 'off' }]) {
    box.write(config, JSON.stringify({ recall }));
    expect(await search('zanzibar')).toEqual([]);
    expect(await json('recall', 'refresh')).toMatchObject({ memory: 0 });
  }
  rmSync(config);
  expect(existsSync(config)).toBe(false);
  expect(await search('zanzibar')).toHaveLength(1);
});
