/** Sessions that agents have recorded themselves, taken over and found again. */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { agentsWith } from '../../src/agents/registry.ts';
import { lockFile, shortHash, whileFree } from '../../src/base/process/with-lock.ts';
import { command } from '../support/command.ts';
import { promptSubmit, sessionStart } from '../support/payloads.ts';
import { type Sandbox, sandbox } from '../support/sandbox.ts';
import { placeRecordings } from '../support/transcripts.ts';
import { until } from '../support/until.ts';

interface Listed {
  readonly id: string;
  readonly agent: string;
  readonly session: string;
  readonly request?: string;
  readonly prompts: number;
  readonly edits: number;
  readonly commands: number;
  readonly source: string | null;
}

function project(transcripts: 'on' | 'ask' | 'off' = 'on') {
  const box = sandbox();
  const folder = box.repo('shop');
  box.write(
    join(box.laneholdHome, 'config.json'),
    JSON.stringify({ recall: { transcripts }, lanes: { baseline: 'when-needed' } }),
  );
  const json = async (...argv: string[]) => {
    const { stdout, stderr } = await command(box, folder, [...argv, '--json']);
    return stdout === '' ? { error: stderr } : JSON.parse(stdout);
  };
  const refresh = async () => (await json('recall', 'refresh')).transcripts;
  const sessions = async (): Promise<Listed[]> => (await json('session', 'list')).sessions;
  return { box, folder, json, refresh, sessions };
}

/** A session of Claude Code in the folder; returns its file. */
function claudeSession(box: Sandbox, folder: string, session: string) {
  const name = folder.replaceAll(/[^A-Za-z0-9]/g, '-');
  const file = join(box.home, '.claude/projects', name, `${session}.jsonl`);
  mkdirSync(dirname(file), { recursive: true });
  let seconds = 0;
  const line = (type: string, content: unknown, more: object = {}) => {
    seconds += 1;
    const timestamp = new Date(Date.UTC(2026, 9, 1, 10, 0, seconds)).toISOString();
    const said = { type, message: { role: type, content }, cwd: folder, sessionId: session };
    appendFileSync(file, `${JSON.stringify({ ...said, timestamp, ...more })}\n`);
  };
  const steps = {
    file,
    says: (text: string) => line('user', text),
    answers: (text: string) => line('assistant', [{ type: 'text', text }]),
    asks: (path: string, id: string) => {
      const input = { file_path: join(folder, path) };
      line('assistant', [{ type: 'tool_use', id, name: 'Edit', input }]);
    },
    gets: (id: string) => line('user', [{ type: 'tool_result', tool_use_id: id, content: 'ok' }]),
    edits(path: string) {
      seconds += 1;
      steps.asks(path, `toolu_${seconds}`);
      steps.gets(`toolu_${seconds - 1}`);
    },
  };
  return steps;
}

test.each(agentsWith('transcripts').map(({ name }) => name))(
  'a session that %s has recorded is listed, found and told',
  async (agent) => {
    const { box, folder, json, refresh, sessions } = project();
    placeRecordings(box, agent, folder);
    const before = filesBelow(box.home);
    const taken = await refresh();
    expect(taken.state).toBe('done');
    expect(taken.sessions).toBeGreaterThan(0);

    const listed = await sessions();
    expect(listed).toHaveLength(taken.sessions);
    for (const it of listed) {
      expect(it).toMatchObject({ agent, source: 'transcript' });
      expect(it.prompts).toBe(agent === 'claude-code' ? 2 : 1);
    }
    // Of a session with a sub-agent: what that one ran counts, what it was told does not.
    expect(listed.map(({ commands }) => commands)).toContain(
      { 'claude-code': 1, codex: 2, 'copilot-cli': 3 }[agent] ?? 3,
    );
    const detail = await json('session', 'show', listed[0]?.id ?? '');
    expect(detail.summary.files.length + detail.timeline.length).toBeGreaterThan(1);
    const { hits } = await json('recall', 'search', agent === 'claude-code' ? 'port' : 'task');
    expect(hits[0]).toMatchObject({ kind: 'summary', source: 'transcript', agent });

    expect(await refresh()).toMatchObject({ sessions: 0, files: 0 });
    expect(await sessions()).toEqual(listed);
    const after = filesBelow(box.home);
    for (const [file, content] of before) expect(after.get(file)).toBe(content);
  },
);

/** All but lanehold's own. */
function filesBelow(folder: string): Map<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((it) => it.isFile())
    .map((it) => join(it.parentPath, it.name))
    .filter((it) => !it.includes('.lanehold'));
  return new Map(files.map((it) => [it, readFileSync(it, 'latin1')]));
}

test('only what is new is read, also of a turn that went on and of a call without result', async () => {
  const { box, folder, json, refresh, sessions } = project();
  const one = claudeSession(box, folder, 'one');
  one.says('Make the coupon parser accept percentages');
  one.answers('I look at it.');
  one.asks('src/coupon.ts', 'open');
  one.answers('I have begun.');
  expect(await refresh()).toMatchObject({ sessions: 1, files: 1 });
  expect(await sessions()).toMatchObject([{ prompts: 1, edits: 0 }]);

  one.gets('open');
  one.answers('Percentages work. Next: their rounding.');
  one.says('Round them down.');
  one.asks('src/never.ts', 'interrupted');
  one.says('No, use the other file.');
  one.edits('src/rounding.ts');
  await refresh();
  await refresh();
  const [listed] = await sessions();
  expect(listed).toMatchObject({ prompts: 3, edits: 2 });
  const { summary, timeline } = await json('session', 'show', listed?.id ?? '');
  expect(timeline.map((it: { kind: string; text?: string }) => it.text ?? it.kind)).toEqual([
    'Make the coupon parser accept percentages',
    'edit',
    'Percentages work. Next: their rounding.',
    'Round them down.',
    'No, use the other file.',
    'edit',
  ]);
  expect(summary.files).toEqual(['src/rounding.ts', 'src/coupon.ts']);
});

test('secrets, private words and ignored files are not kept', async () => {
  const { box, folder, json, refresh } = project();
  const config = { recall: { transcripts: 'on', ignore: ['secrets/**'] } };
  box.write(join(box.laneholdHome, 'config.json'), JSON.stringify(config));
  const one = claudeSession(box, folder, 'one');
  const token = `ghp_${'a1B2c3D4e5'.repeat(4)}`.slice(0, 40);
  one.says(`Deploy with ${token} please <private>the client is Zorbulon</private> today`);
  one.answers(`The token ${token} works. <private>Zorbulon again`);
  one.edits('secrets/key.pem');
  await refresh();
  const [{ id }] = (await json('session', 'list')).sessions;
  const shown = JSON.stringify(await json('session', 'show', id));
  expect(shown).toContain('Deploy with [redacted');
  for (const file of readdirSync(box.laneholdHome).filter((it) => it.startsWith('lanehold.db'))) {
    const stored = readFileSync(join(box.laneholdHome, file), 'latin1');
    for (const it of [token, 'Zorbulon', 'key.pem']) expect(stored).not.toContain(it);
  }
});

test('what hooks recorded, or must not record, is not taken from the transcript', async () => {
  const { box, folder, refresh, sessions } = project();
  const hook = (session: string, env: object = {}) =>
    box.hook(
      'prompt-submit',
      { ...promptSubmit(folder), prompt: 'Add a refund flow', session_id: session, cwd: folder },
      { cwd: folder, env: { ...env } },
    );
  await hook('hooked');
  await hook('silent', { LANEHOLD_RECALL: 'off' });
  for (const session of ['hooked', 'silent', 'other']) {
    claudeSession(box, folder, session).says('Add a refund flow');
  }
  expect(await refresh()).toMatchObject({ sessions: 1 });
  const listed = await sessions();
  expect(listed.map(({ session, source }) => [session, source]).sort()).toEqual([
    ['hooked', null],
    ['other', 'transcript'],
  ]);
  expect(await refresh()).toMatchObject({ sessions: 0 });
});

test('sessions of other projects, of lanes and beside a link are not taken', async () => {
  const { box, folder, json, refresh, sessions } = project();
  box.write('shop/README.md', 'shop');
  box.commit(folder, 'Begin');
  const nested = box.repo('shop/vendor/lib');
  const beside = box.repo('shop-two');
  const tree = join(box.root, 'trees/fix');
  box.git(folder, 'worktree', 'add', '--quiet', '--detach', tree);
  const lane = join(box.root, 'trees/lane');
  box.git(folder, 'worktree', 'add', '--quiet', '-b', 'fix', lane);
  await json('orchestrate', 'init', 'Fix refunds');
  const spec = ['--worktree', lane, '--desc', 'Fix them', '--validate', 'true'];
  await json('orchestrate', 'lane', 'adopt', 'refunds', ...spec);
  for (const it of [nested, beside, tree, lane]) {
    claudeSession(box, it, `in-${it.split('/').at(-1)}`).says('Add a refund flow');
  }
  const { file } = claudeSession(box, folder, 'real');
  const outside = claudeSession(box, join(box.root, 'x'), 'outside');
  outside.says('Add a refund flow');
  rmSync(file, { force: true });
  symlinkSync(outside.file, file);
  symlinkSync('/dev/zero', join(dirname(file), 'zero.jsonl'));
  await refresh();
  expect((await sessions()).map(({ session }) => session)).toEqual(['in-fix']);
});

test('broken, huge and replaced transcripts do no harm', async () => {
  const { box, folder, refresh, sessions } = project();
  const one = claudeSession(box, folder, 'one');
  one.says('First request of this session');
  appendFileSync(one.file, '{"type":"user"\n[[[\n\0\0\0\n');
  appendFileSync(one.file, `{"type":"user","x":"${'y'.repeat(40_000_000)}"}\n`);
  one.says('Second request of this session');
  box.write(join(dirname(one.file), 'empty.jsonl'), '');
  expect(await refresh()).toMatchObject({ sessions: 1 });
  expect(await sessions()).toMatchObject([{ prompts: 2 }]);

  writeFileSync(one.file, '');
  one.says('A shorter one has taken its place');
  await refresh();
  expect(await sessions()).toMatchObject([
    { prompts: 1, request: 'A shorter one has taken its place' },
  ]);
  const text = readFileSync(one.file, 'utf8').replace('A shorter one', 'Another one');
  writeFileSync(`${one.file}.new`, `{"more":"${'z'.repeat(1_000)}"}\n${text}`);
  renameSync(`${one.file}.new`, one.file);
  await refresh();
  expect((await sessions())[0]?.request).toContain('Another one');
  rmSync(one.file);
  await refresh();
  expect(await sessions()).toHaveLength(1);
});

test('a session that starts has them read beside it, where that is allowed', async () => {
  const { box, folder, sessions } = project();
  claudeSession(box, folder, 'one').says('Add a refund flow');
  const start = (env: object) =>
    box.hook('session-start', sessionStart(folder, 'startup'), { cwd: folder, env: { ...env } });
  const stamps = join(box.laneholdHome, 'refreshed');
  await start({ LANEHOLD_BACKGROUND: 'off' });
  await start({ LANEHOLD_BACKGROUND: undefined, LANEHOLD_RECALL: 'off' });
  box.write('shop/lanehold.json', '{"recall": {"capture": "off"}}');
  await start({ LANEHOLD_BACKGROUND: undefined });
  rmSync(join(folder, 'lanehold.json'));
  expect(existsSync(stamps)).toBe(false);

  await start({ LANEHOLD_BACKGROUND: undefined });
  expect(readdirSync(stamps)).toHaveLength(1);
  await until('the session of the transcript', async () =>
    (await sessions()).some(({ source }) => source === 'transcript'),
  );
  expect(readFileSync(join(box.laneholdHome, 'logs/refresh.log'), 'utf8')).toBe('');
});

test('what older versions of Codex recorded is read, too', async () => {
  const { box, folder, json, refresh, sessions } = project();
  const lines = [
    ['session_meta', { id: 'old', cwd: folder, timestamp: '2025-10-01T10:00:00.000Z' }],
    ['event_msg', { type: 'user_message', message: 'Round the coupons down' }],
    ...calls('shell', { arguments: '{"command":["bash","-lc","npm test"],"workdir":"."}' }),
    ...calls('apply_patch', { input: '*** Begin Patch\n*** Update File: src/a.ts\n*** End Patch' }),
    ...calls('shell', {
      arguments: JSON.stringify({
        command: ['apply_patch', '*** Begin Patch\n*** Add File: src/b.ts\n+x\n*** End Patch'],
      }),
    }),
    ['event_msg', { type: 'agent_message', message: 'Done. Next: the tests.' }],
  ].map(([type, payload]) => JSON.stringify({ timestamp: '2025-10-01T10:00:01Z', type, payload }));
  const day = 'home/.codex/sessions/2025/10/01';
  box.write(`${day}/rollout-2025-10-01T10-00-00-old.jsonl`, `${lines.join('\n')}\n`);
  await refresh();
  const [listed] = await sessions();
  expect(listed).toMatchObject({ request: 'Round the coupons down', commands: 1, edits: 2 });
  const { summary } = await json('session', 'show', listed?.id ?? '');
  expect(summary).toMatchObject({ files: ['src/b.ts', 'src/a.ts'], next: ['Next: the tests.'] });
});

let asked = 0;
/** A call of the model, and its output. */
function calls(name: string, more: object): [string, object][] {
  asked += 1;
  const id = { call_id: `call_${asked}` };
  return [
    ['response_item', { type: 'function_call', name, ...id, ...more }],
    ['response_item', { type: 'function_call_output', ...id, output: 'ok' }],
  ];
}

test.each(['ask', 'off'] as const)('nothing is read while the setting is %s', async (setting) => {
  const { box, folder, refresh, sessions } = project(setting);
  claudeSession(box, folder, 'one').says('Add a refund flow');
  expect(await refresh()).toEqual({ state: setting });
  expect(await sessions()).toEqual([]);
});

test('a repository can forbid it, and cannot decide that it is done', async () => {
  const { box, folder, refresh } = project('ask');
  claudeSession(box, folder, 'one').says('Add a refund flow');
  box.write('shop/lanehold.json', '{"recall": {"transcripts": "on"}}');
  expect(await refresh()).toEqual({ state: 'ask' });
  box.write('shop/lanehold.json', '{"recall": {"capture": "off"}}');
  await command(box, folder, ['config', 'set', 'recall.transcripts', 'on']);
  expect(await refresh()).toEqual({ state: 'off' });
});

test('what was forgotten does not come back from its transcript', async () => {
  const { box, folder, json, refresh, sessions } = project();
  const one = claudeSession(box, folder, 'one');
  one.says('Ask Zorbulon about the refund flow');
  await refresh();
  const [listed] = await sessions();
  const forgotten = await json('forget', '--session', listed?.id ?? '', '--yes');
  expect(forgotten.error).toBeUndefined();
  expect(await sessions()).toEqual([]);
  expect(await refresh()).toMatchObject({ sessions: 0 });
  one.says('Only what is said later counts');
  await refresh();
  expect(await sessions()).toMatchObject([
    { prompts: 1, request: 'Only what is said later counts' },
  ]);
});

test('one process reads at a time', async () => {
  const { box, folder, refresh } = project();
  claudeSession(box, folder, 'one').says('Add a refund flow');
  const locks = join(box.laneholdHome, 'locks');
  await whileFree(lockFile(locks, 'recall', shortHash('refresh')), async () => {
    expect(await refresh()).toEqual({ state: 'busy' });
  });
  expect(await refresh()).toMatchObject({ sessions: 1 });
});

test('the next session is told the last work that a transcript has', async () => {
  const { box, folder, refresh } = project();
  const one = claudeSession(box, folder, 'one');
  one.says('Make the coupon parser accept percentages');
  one.edits('src/coupon.ts');
  await refresh();
  const { stdout } = await box.hook('session-start', sessionStart(folder, 'startup'), {
    cwd: folder,
  });
  expect(stdout).toContain('Make the coupon parser');
  expect(stdout).toContain('src/coupon.ts');
});
