import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { command } from '../../support/command.ts';
import { afterEdit } from '../../support/payloads.ts';
import { sandbox } from '../../support/sandbox.ts';

const box = sandbox(afterAll);
let repo = '';
beforeAll(async () => {
  repo = box.repo();
  box.write('repo/src/a.txt', 'a\n');
  await command(box, repo, ['feature', 'add', 'all', '--files', '**', '--smoke', 'true']);
  box.git(repo, 'commit', '--quiet', '--allow-empty', '--message', 'start');
  box.git(repo, 'worktree', 'add', '--quiet', join(box.root, 'linked'));
  symlinkSync(join(repo, 'src'), join(box.root, 'link'));
  mkdirSync(join(box.root, 'elsewhere'));
  box.repo('repo/nested');
});

let session = 0;
const announced = async (file: string) => {
  session += 1;
  const payload = { ...afterEdit(box.root, file), session_id: `session ${session}` };
  const ran = await box.hook('after-tool', payload);
  expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
  return ran.stdout.includes('feature all');
};

test.each([
  'repo/src/a.txt',
  'repo/src/../src/a.txt',
  'repo/new/folder/that/is/not/there.txt',
  'repo/..odd/name.txt',
  'repo/...',
  'repo/new\nline.txt',
  'link/a.txt',
  'linked/b.txt',
])('an edit of %j touches the feature', async (path) => {
  expect(await announced(path)).toBe(true);
});

test.each(['elsewhere/a.txt', 'a.txt', 'repo-beside/a.txt', 'repo/nested/a.txt', '/', '/a.txt'])(
  'an edit of %j does not',
  async (path) => {
    expect(await announced(path)).toBe(false);
  },
);

test('a session is told once, the next one again', async () => {
  const edit = afterEdit(repo, join(repo, 'src/a.txt'));
  const tell = async (id: string) => {
    return (await box.hook('after-tool', { ...edit, session_id: id })).stdout !== '';
  };
  expect([await tell('x'), await tell('x'), await tell('y'), await tell('x')]).toEqual([
    true,
    false,
    true,
    false,
  ]);
});

test('where the model sees nothing after a tool, it is told before its next call', async () => {
  const agent = { agent: 'antigravity' };
  const common = { conversationId: 'talk', workspacePaths: [repo] };
  const args = { TargetFile: join(repo, 'src/a.txt') };
  const edit = { ...common, toolCall: { name: 'write_to_file', args }, stepIdx: 1, error: '' };
  expect((await box.hook('after-tool', edit, agent)).stdout).toBe('{}');
  const call = { ...common, invocationNum: 3, initialNumSteps: 9 };
  const [first, second] = [
    await box.hook('prompt-submit', call, agent),
    await box.hook('prompt-submit', call, agent),
  ];
  expect(JSON.parse(first.stdout).injectSteps[0].ephemeralMessage).toContain('all');
  expect(second.stdout).toBe('{}');
});
