/** Commands whose output would fill the context: which they are, and that each is answered once. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROWS } from '../../src/commands/floods.ts';
import { command } from '../support/command.ts';
import { floodOf } from '../support/flood-of.ts';
import { beforeCommand } from '../support/payloads.ts';
import { sandbox } from '../support/sandbox.ts';

function project() {
  const box = sandbox();
  const folder = box.repo('shop');
  const large = 'x'.repeat(100_000);
  for (const it of ['dump.sql', 'dump.sql.gz', 'data.json']) writeFileSync(join(folder, it), large);
  writeFileSync(join(folder, 'package-lock.json'), large.repeat(10));
  writeFileSync(join(folder, 'small.ts'), 'export {};\n');
  for (let at = 0; at < 150; at += 1)
    mkdirSync(join(folder, `node_modules/pkg-${at}`), { recursive: true });
  return { box, folder };
}

test('the example of each row is one, with a quiet form that is none', () => {
  const { folder } = project();
  for (const { example } of ROWS) {
    const { instead = '' } = floodOf(example, folder, 65_536) ?? {};
    expect(instead, example).not.toBe('');
    expect(floodOf(instead.split('`')[0] ?? '', folder, 65_536), instead).toBeUndefined();
  }
});

test.each([
  'cat small.ts',
  'cat missing.sql',
  'cat dump.sql | head -n 5',
  'cat dump.sql > copy.sql',
  'cat $FILE small.ts',
  'cat < small.ts',
  'head -c 100 dump.sql',
  'tail -n 5 small.ts dump.sql | wc -l',
  'find . -name small.ts',
  'find src',
  'ls -la',
  'npm ls',
  'npm run cat dump.sql',
  'echo cat dump.sql',
  'git log',
])('%s is none', (line) => {
  const { folder } = project();
  expect(floodOf(line, folder, 65_536)).toBeUndefined();
});

test.each([`cat ${'x'.repeat(5_000)}`, 'cat small.ts/dump.sql', 'cat loop'])(
  'what cannot be looked at is none: %.20s',
  (line) => {
    const { folder } = project();
    symlinkSync('loop', join(folder, 'loop'));
    expect(floodOf(line, folder, 65_536)).toBeUndefined();
  },
);

test.each([
  ['cat dump.sql small.ts', 'dump.sql'],
  ['cat *.sql', 'dump.sql'],
  ['sudo cat dump.sql', 'dump.sql'],
  ['cat < dump.sql', 'dump.sql'],
  ['/bin/cat dump.sql; echo done', 'dump.sql'],
  ['sed -n p dump.sql', 'dump.sql'],
  ['tail -n +1 dump.sql', 'dump.sql'],
  ['tail -c 80000 dump.sql', 'dump.sql'],
  ['if true; then (cd node_modules && cat ../data.json); fi', '../data.json'],
])('%s is one, and its quiet form names the large file', (line, file) => {
  const { folder } = project();
  expect(floodOf(line, folder, 65_536)?.instead).toContain(`head -c 4000 ${file}\``);
});

test('a name with a space is quoted in the quiet form', () => {
  const { folder } = project();
  writeFileSync(join(folder, 'my dump.sql'), 'x'.repeat(100_000));
  expect(floodOf('cat "my dump.sql"', folder, 65_536)?.instead).toContain(
    "head -c 4000 'my dump.sql'`",
  );
});

test('a folder that is entered first counts', () => {
  const { folder } = project();
  mkdirSync(join(folder, 'src'));
  expect(floodOf('cd src && cat ../dump.sql', folder, 65_536)?.bytes).toBe(100_000);
  expect(floodOf('cd src && cat dump.sql', folder, 65_536)).toBeUndefined();
});

test('the hint comes once for a command of a session', async () => {
  const { box, folder } = project();
  const ask = async (line: string, session = 'one', env = {}) => {
    const payload = { ...beforeCommand(folder, line), session_id: session };
    const { stdout } = await box.hook('before-tool', payload, { cwd: folder, env });
    return stdout === '' ? '' : JSON.parse(stdout).hookSpecificOutput?.permissionDecisionReason;
  };
  const hint = await ask('cat dump.sql');
  expect(hint).toContain('about 98 kB, 28,000 tokens');
  expect(hint).toContain('`head -c 4000 dump.sql`');
  expect(await ask('cat dump.sql')).toBe('');
  expect(await ask('cat small.ts')).toBe('');
  expect(await ask('cat dump.sql', 'two')).toBe(hint);
  expect(await ask('cat dump.sql', 'three', { LANEHOLD_RECALL: 'off' })).toBe('');
  // It is a denial, which every agent with hooks takes, also one that lets no hook change a call.
  const toolCall = { name: 'run_command', args: { CommandLine: 'cat dump.sql', Cwd: folder } };
  const payload = { conversationId: 'three', toolCall, workspacePaths: [folder] };
  const antigravity = { cwd: folder, agent: 'antigravity' };
  const { stdout } = await box.hook('before-tool', payload, antigravity);
  expect(JSON.parse(stdout)).toEqual({ decision: 'deny', reason: hint });
  expect((await command(box, folder, ['config', 'set', 'recall.outputLimit', '0'])).exitCode).toBe(
    0,
  );
  expect(await ask('cat dump.sql', 'three')).toBe('');
});
