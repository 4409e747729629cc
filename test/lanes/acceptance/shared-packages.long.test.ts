/** Lanes whose trees share the files of packages, from `spawn` on. */
import { existsSync, lstatSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { laneProject } from '../../support/lane-project.ts';
import { laneRun } from '../../support/lane-run.ts';
import { runProgram } from '../../support/program.ts';
import { CLI_PROGRAM } from '../../support/sandbox.ts';

const PACKAGES = { packages: { 'node_modules/one': { version: '1.0.0' } } };

/** Root may write to each file; without that right it is as anybody else. */
const AS_USER =
  process.getuid?.() === 0 ? ['setpriv', '--bounding-set', '-dac_override', '--'] : ['env'];

test('trees of lanes share the files of packages, which a worker cannot write to', async () => {
  const writes = { sh: 'echo changed >> node_modules/one/index.js && touch written; true' };
  const project = laneProject({
    files: {
      '.gitignore': 'node_modules\n',
      'package.json': JSON.stringify({ name: 'app', version: '1.0.0' }),
      'package-lock.json': JSON.stringify(PACKAGES),
    },
    scenario: { lanes: { a: [[{ write: { a: 'a' } }]], b: [[writes, { write: { b: 'b' } }]] } },
  });
  const packages = join(project.repo, 'node_modules');
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(packages, path)), { recursive: true });
    writeFileSync(join(packages, path), text);
  };
  write('.package-lock.json', JSON.stringify(PACKAGES));
  write('one/index.js', "module.exports = 'one';\n");
  const run = laneRun(project);
  await run.init();
  for (const key of ['a', 'b']) await run.add(key);
  for (const key of ['a', 'b']) {
    const [program = '', ...args] = [...AS_USER, process.execPath, CLI_PROGRAM];
    const spawn = ['orchestrate', 'spawn', key];
    const ran = await runProgram(program, [...args, ...spawn], {
      cwd: project.repo,
      env: project.env,
    });
    expect(ran).toMatchObject({ exitCode: 0 });
    await run.reaches(key, 'verified');
  }
  const trees = [project.repo, run.lane('a').worktree ?? '', run.lane('b').worktree ?? ''];
  const [own, a, b] = trees.map((tree) => lstatSync(join(tree, 'node_modules/one/index.js')));
  expect(b?.ino).toBe(a?.ino);
  expect(b?.ino).not.toBe(own?.ino);
  expect((b?.mode ?? 0) & 0o222).toBe(0);
  expect(b?.size).toBe(own?.size);
  expect(existsSync(join(`${trees[2]}`, 'written'))).toBe(false);
});
