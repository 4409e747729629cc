/** The status line: what stands in it, and that it is the same whoever answers. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { lineOf } from '../../../src/moments/lifecycle/status-line.ts';
import { command } from '../../support/command.ts';
import { answerInProcess } from '../../support/hook-in-process.ts';
import { afterEdit, promptSubmit } from '../../support/payloads.ts';
import { startResident } from '../../support/resident-process.ts';
import { CLI_PROGRAM, HOOK_PROGRAM, type Sandbox, sandbox } from '../../support/sandbox.ts';
import { shop } from '../../support/shop.ts';

const SCRIPT = resolve(import.meta.dirname, '../../../dist/lanehold-hook.sh');
const PAYLOAD = '{"cwd":"/nowhere","model":{"id":"m"}}';
const OURS = 'lanehold: nothing to verify\n';

const answer = (box: Sandbox, args: readonly string[], input = PAYLOAD, cwd = box.root) =>
  answerInProcess({ args: ['statusline', ...args], cwd, env: box.env, input });

test.each([
  ['gets the input of the agent, and stands first', 'cat', `${PAYLOAD}\n${OURS}`],
  ['may have several lines', 'echo one; echo two', `one\ntwo\n${OURS}`],
  [
    'keeps its colours, which end with it',
    "printf '\\033[31mred'",
    `\u001b[31mred\n\u001b[0m${OURS}`,
  ],
  ['is left out if it fails', 'echo half; exit 3', OURS],
  ['is left out if there is no such program', '/no/such/program', OURS],
  ['may say nothing', 'true', OURS],
  ['need not read', 'exec 0<&-; echo mine', `mine\n${OURS}`],
])('what is wrapped %s', async (_, command, stdout) => {
  const answered = await answer(sandbox(), ['--wrap', command]);
  expect(answered).toMatchObject({ exitCode: 0, stdout, stderr: '' });
});

test('the command prints the same, and waits for no end of its input', async () => {
  const box = sandbox();
  const args = [CLI_PROGRAM, 'statusline', '--wrap', 'cat'];
  const child = spawn(process.execPath, args, { cwd: box.root, env: box.env });
  child.stdin.write(PAYLOAD);
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  await once(child, 'close');
  expect(said).toBe(`${PAYLOAD}\n${OURS}`);
});

test('it makes no database, and where it cannot read one it says so', async () => {
  const box = sandbox();
  expect(await answer(box, ['--stdin'])).toMatchObject({ exitCode: 0, stdout: OURS });
  expect(existsSync(box.laneholdHome)).toBe(false);
  box.write('home/.lanehold/lanehold.db', 'no database');
  const stdout = 'lanehold: cannot tell, see `lanehold doctor`\n';
  expect(await answer(box, ['--stdin'])).toMatchObject({ exitCode: 0, stdout });
  const mine = await answer(box, ['--wrap', 'echo mine']);
  expect(mine).toMatchObject({ exitCode: 0, stdout: `mine\n${stdout}` });
});

test('it tells what is remembered and how far the session is, cut from the right where it is narrow', async () => {
  const box = sandbox();
  const repo = box.repo('shop');
  await command(box, repo, ['note', 'add', 'project/facts/a', 'Tokens expire after 900 seconds']);
  for (const session_id of ['one', 'one', 'two'])
    await box.hook('prompt-submit', {
      ...promptSubmit(repo),
      session_id,
      prompt: 'Go on with prices',
    });
  const payload = { cwd: repo, session_id: 'one', context_window: { used_percentage: 41.2 } };
  const line = async (columns: string) => {
    const env = { ...box.env, COLUMNS: columns };
    const input = JSON.stringify(payload);
    return (await answerInProcess({ args: ['statusline', '--stdin'], cwd: repo, env, input }))
      .stdout;
  };
  const whole = 'lanehold: nothing to verify · 2 sessions · 1 note · turn 2 · 41 % context\n';
  expect(await line('')).toBe(whole);
  expect(await line('73')).toBe(whole);
  expect(await line('72')).toBe(whole.replace(' · 41 % context', ''));
  expect(await line('45')).toBe('lanehold: nothing to verify · 2 sessions\n');
  expect(await line('27')).toBe('lanehold: nothing to verify\n');
  expect(await line('10')).toBe('lanehold:\u2026\n');
});

test('it names what waits for the person before what is at work', () => {
  const quick = {
    root: '/',
    pending: [],
    pushes: [],
    files: null,
    disabled: false,
    gaps: [],
    remembered: null,
  };
  const remembered = { sessions: 0, notes: 0 };
  const lanes = [
    { key: 'api', state: 'asks' },
    { key: 'db', state: 'running' },
    { key: 'ui', state: 'verified' },
  ] as const;
  expect(lineOf({ ...quick, remembered, lanes })).toBe(
    'lanehold: waits for you: api asks; 1 lane at work',
  );
});

/** Starts the entry script as the line in the settings does; the input stays open. */
async function started(
  { env }: Sandbox,
  cwd: string,
  args: readonly string[],
  { input = JSON.stringify({ cwd }), hook = HOOK_PROGRAM, more = {} } = {},
) {
  const words = [SCRIPT, process.execPath, hook, 'settings.json', 'statusline', ...args];
  const child = spawn('/bin/sh', words, { cwd, env: { ...env, ...more } });
  child.stdin.on('error', () => undefined);
  child.stdin.write(input.slice(0, 9), () => child.stdin.write(input.slice(9)));
  const said = { stdout: '', stderr: '' };
  for (const it of ['stdout', 'stderr'] as const)
    child[it].setEncoding('utf8').on('data', (text) => {
      said[it] += text;
    });
  const [code] = await once(child, 'close');
  return { code, ...said };
}

test('a Node of its own and the resident process print the same', async () => {
  const box = sandbox();
  const { repo } = shop(box);
  const edited = afterEdit(repo, join(repo, 'src/cart/add.ts'));
  await box.hook('after-tool', { ...edited, session_id: 's1' });
  const wrapped = 'cat; printf " %s $T_MINE ä\\n\\n" "$PWD"; cat .git/HEAD; exec sleep 0';
  await startResident(box);
  const T_MINE = `it's \\ "mine"`;
  for (const args of [['--stdin'], ['--wrap', wrapped], ['--wrap', 'exit 1']]) {
    const cold = await started(box, repo, args, { more: { T_MINE } });
    expect(cold).toMatchObject({ code: 0, stderr: '' });
    expect(cold.stdout).toContain('lanehold: 1 to verify: cart\n');
    const warm = await started(box, repo, args, { more: { T_MINE, LANEHOLD_RESIDENT: '' } });
    expect(warm).toEqual(cold);
  }
  const { stdout } = await box.cli(box.root, 'resident', 'status', '--json');
  expect(JSON.parse(stdout).residents).toMatchObject([{ status: { events: 3 } }]);
});

test.each([
  ['is gone', undefined],
  ['crashes', 'throw new Error("crash")'],
  ['says half of it', 'process.stdout.write("lanehold: ")'],
])('where the hook program %s, the user’s own line stands alone', async (_, program) => {
  const box = sandbox();
  const hook = box.write('package/hooks/lanehold-hook.cjs', program ?? '');
  if (program === undefined) rmSync(hook);
  const alone = { code: 0, stdout: PAYLOAD, stderr: expect.any(String) };
  const input = PAYLOAD;
  expect(await started(box, box.root, ['--wrap', 'cat'], { hook, input })).toEqual(alone);
  expect(await started(box, box.root, ['--stdin'], { hook })).toMatchObject({
    code: 0,
    stdout: '',
  });
});
