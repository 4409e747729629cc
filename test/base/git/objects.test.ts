import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import type { Git } from '../../../src/base/git/git.ts';
import { gitIn } from '../../../src/base/git/git-in.ts';
import { sandbox } from '../../support/sandbox.ts';

type Box = ReturnType<typeof sandbox>;

/** A git that is only a script in front of the real one. */
function gitThrough(box: Box, script: string) {
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const file = box.write('bin/git', `#!/bin/sh\n${script}\nexec '${real}' "$@"\n`);
  chmodSync(file, 0o755);
  return { ...box.env, PATH: [join(box.root, 'bin'), box.env.PATH].join(delimiter) };
}

const textOf = async (git: Git, ...names: string[]) =>
  (await git.objects(names)).map((it) => it?.content.toString('latin1'));

test('names, also none, are answered in their order, whatever the objects hold', async () => {
  const box = sandbox();
  const repo = box.repo();
  const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, at) => at % 256));
  writeFileSync(join(repo, 'bytes'), bytes);
  writeFileSync(join(repo, 'empty'), '');
  writeFileSync(join(repo, 'like an answer'), `${'0'.repeat(40)} blob 3\nabc\n`);
  const commit = box.commit(repo);
  const git = gitIn(repo, box.env);
  const [blob, none, empty, like, found] = await git.objects([
    'HEAD:bytes',
    'HEAD:none',
    'HEAD:empty',
    'HEAD:like an answer',
    'HEAD^{commit}',
  ]);
  expect(blob?.content.equals(bytes)).toBe(true);
  expect([none, empty?.content.length, found?.oid]).toEqual([undefined, 0, commit]);
  expect(like?.content.toString()).toBe(readFileSync(join(repo, 'like an answer'), 'utf8'));
  expect(await git.objects([])).toEqual([]);
  await expect(git.objects(['HEAD:a\nHEAD:empty'])).rejects.toThrow('has a line break');
});

test('many questions are one start of git, and a new one after a rest', async () => {
  const box = sandbox();
  const repo = box.repo();
  box.write('repo/a', '1');
  box.commit(repo);
  const log = join(box.root, 'starts');
  const git = gitIn(repo, gitThrough(box, `echo start >>'${log}'`));
  const starts = () => readFileSync(log, 'utf8').split('\n').length - 1;
  for (let at = 0; at < 20; at += 1) expect(await textOf(git, 'HEAD:a')).toEqual(['1']);
  await Promise.all(Array.from({ length: 20 }, () => textOf(git, 'HEAD:a', 'HEAD:b')));
  expect(starts()).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(await textOf(git, 'HEAD:a')).toEqual(['1']);
  expect(starts()).toBe(2);
});

test('what git says where it ends is the failure, and the next question starts it anew', async () => {
  const box = sandbox();
  const git = gitIn(box.root, box.env);
  const asked = [git.objects(['HEAD']), git.objects(['HEAD:a'])];
  for (const it of asked) await expect(it).rejects.toThrow(/cat-file.*not a git repository/);
  await expect(git.objects(['HEAD'])).rejects.toThrow(/not a git repository/);
  await expect(gitIn(box.root, { ...box.env, PATH: '/nowhere' }).objects(['HEAD'])).rejects.toThrow(
    'not found',
  );
});

test('a git that does not answer is ended at the time limit', async () => {
  const box = sandbox();
  const repo = box.repo();
  const git = gitIn(repo, gitThrough(box, 'sleep 60'), { timeoutMs: 300 });
  await expect(git.objects(['HEAD'])).rejects.toThrow('timed out after 0.3 s');
});

test('a program ends at once while its git rests', () => {
  const box = sandbox();
  const repo = box.repo();
  const commit = box.commit(repo);
  const module = pathToFileURL(join(import.meta.dirname, '../../../src/base/git/git-in.ts')).href;
  const script = `import { gitIn } from ${JSON.stringify(module)};
    const [head] = await gitIn(process.cwd(), process.env).objects(['HEAD^{commit}']);
    console.log(head.oid);`;
  const args = ['--input-type=module', '--eval', script];
  const options = { cwd: repo, env: box.env, encoding: 'utf8', timeout: 30_000 } as const;
  expect(execFileSync(process.execPath, args, options)).toBe(`${commit}\n`);
  expect(existsSync(repo)).toBe(true);
});
