/** What a whole session costs its model: all texts that hooks, denials and commands of lanehold tell it. */
import { mkdirSync, symlinkSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { claudeCode, settingsHooks } from '../../../scripts/demo/agent.ts';
import { run } from '../../../scripts/demo/run.ts';
import { definedOnly } from '../../../src/base/environment.ts';
import { CLI_PROGRAM, sandbox } from '../../support/sandbox.ts';
import { shop } from '../../support/shop.ts';

const MAX_TOKENS = 500;
/** English prose and paths have four and more. */
const CHARS_PER_TOKEN = 3.5;

const FILES = ['add', 'remove', 'total', 'tax', 'coupon'].map((it) => `src/cart/${it}.ts`);
const COMMANDS = [
  ...['git status', 'git diff --stat', 'git log --oneline -5', 'ls -la src', 'cat README.md'],
  ...['grep -rn total src', 'find src -type f', 'wc -l src/cart/*', 'head -5 src/cart/tax.ts'],
  ...['sed -n 1,3p src/cart/add.ts', 'git show --stat HEAD', 'git branch -a', 'node --version'],
  ...['pwd', 'env | sort | head -3', 'git stash list', 'test -d src', 'sort README.md'],
  ...['false', 'git diff HEAD -- src/cart', 'du -sh src', 'date', 'git rev-parse HEAD'],
  ...['git add --all', "git commit --quiet --message 'Totals with tax'"],
];

test('start, 20 edits, 25 commands, a held push, verify and push: less than 500 tokens', async () => {
  const box = sandbox();
  const features = {
    cart: { files: ['src/cart/**'], smoke: ['test -f src/cart/total.ts', 'true'] },
    checkout: { files: ['src/checkout/**'], smoke: ['true'], dependsOn: ['cart'] },
  };
  const project = shop(box, { features });
  for (const path of FILES) project.write(path, 'export const step = 0;\n');
  project.commit();
  project.git('push', '--quiet');
  const program = join(box.root, 'bin/lanehold');
  mkdirSync(dirname(program));
  symlinkSync(CLI_PROGRAM, program);
  const path = [dirname(program), dirname(process.execPath), box.env.PATH].join(delimiter);
  // As for a user: hooks are answered by the resident process.
  const env = definedOnly({ ...box.env, PATH: path, LANEHOLD_RESIDENT: undefined });
  const ground = {
    ...{ home: box.home, project: project.repo, env },
    run: (file: string, args: readonly string[], options = {}) =>
      run(file, args, { cwd: project.repo, env, ...options }),
  };
  onTestFinished(async () => {
    await ground.run(program, ['resident', 'stop']);
  });
  const installed = await ground.run(program, ['install', '--agent', 'claude-code', '--yes']);
  expect(installed).toMatchObject({ code: 0 });

  const agent = claudeCode(ground, settingsHooks(box.home));
  await agent.begin();
  for (let at = 0; at < 20; at += 1) {
    const step = Math.floor(at / FILES.length);
    await agent.edit(FILES[at % FILES.length] ?? '', `step = ${step}`, `step = ${step + 1}`);
  }
  for (const command of COMMANDS) {
    expect(await agent.shell(command), command).toMatchObject({ held: false });
  }
  expect(await agent.shell('git push')).toMatchObject({ held: true });
  const denial = agent.told.at(-1) ?? '';
  const [, verify] = /^Verify: (.*) && git push$/m.exec(denial) ?? [];
  const printed: string[] = [];
  for (const command of [verify ?? '', 'git push']) {
    const done = await agent.shell(command);
    expect(done, command).toMatchObject({ held: false, code: 0 });
    if (!done.held) printed.push(done.output);
  }
  await agent.stop();
  const texts = [...agent.told, ...printed];
  const tokens = Math.ceil(texts.join('\n').length / CHARS_PER_TOKEN);
  expect(tokens, texts.join('\n')).toBeLessThan(MAX_TOKENS);
});
