/** What the script in LANEHOLD_HOME answers without Node, and that nothing of it is for the gate. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { LIMITED_PROGRAMS, READING_PROGRAMS } from '../../src/base/text/reading-programs.ts';
import { recognise } from '../../src/commands/recognise.ts';
import { contextOf } from '../commands/reading.ts';
import { command } from '../support/command.ts';
import { installedScript, SHELLS } from '../support/installed-script.ts';
import { quickAnswers } from '../support/quick-shell.ts';
import { sandbox } from '../support/sandbox.ts';
import { seededRandom } from '../support/seeded-random.ts';

const payload = (text: string, more: object = {}) =>
  JSON.stringify({
    ...{ session_id: 's', transcript_path: '/t.jsonl', cwd: '/repo', permission_mode: 'default' },
    ...{ effort: { level: 'medium' }, hook_event_name: 'PreToolUse', tool_name: 'Bash' },
    tool_input: { command: text, description: 'say "what" \\ it does' },
    ...{ tool_use_id: 'toolu_1', ...more },
  });

const READS = [
  'git status --short',
  'ls -la src && cat package.json | head -20',
  'cd /repo && git --no-pager log --oneline -5',
  'grep -rn "foo bar" src --include="*.ts" | wc -l',
  'find . -name \'*.ts\' -not -path "./node_modules/*" | sort | uniq -c',
  "sed -n '1,20p' a.ts; tail -5 b",
  "git -C sub diff --stat HEAD~1 -- 'a b' 2>/dev/null || true",
  "rg -n 'x.*y' src",
  "grep '^\\d+ \"' a",
  'git show HEAD:a.ts | sed -n 3p',
  'node --version',
];

const RUNS = [
  ...[
    'git push',
    'git log; git push',
    'ls && ./ship',
    'ls | xargs rm',
    'cat a > b',
    'ls &',
    'a=b ls',
  ],
  ...['git -c alias.log=x log', 'git log --output=a', 'git branch new', 'git stash', 'git tag v1'],
  ...[
    'sort -o a b',
    "sort ''-o a b",
    'sed -i 1p a',
    'sed -n 1p -i a',
    "sed -n '1w a' b",
    'uniq a b',
  ],
  ...[
    'find . -delete',
    'find . -exec rm {} +',
    'find . "-delete"',
    "find . ''-delete",
    'tree -o a',
  ],
  ...['rg --pre=./x y', 'date 0101', 'command rm a', 'npm --version x', 'node a.js', 'make'],
  ...['echo $(git push)', 'echo `git push`', 'echo "$(x)"', 'ls $HOME', 'ls\ngit push', '(ls)'],
  ...['{ ls; }', 'ls # x', "echo 'a", 'echo "a', 'ls ;; ls', '| ls', 'ls |', 'ls && ', '', ' '],
  ...['cat <<E\nx\nE', 'cat <(x)', '! ls', 'ls \\\n x', "ls '-la'x$y", 'echo "a\\"b"', 'l"s"'],
];

/** Payloads that a reader of text could take for the harmless command in them. */
const TRICKS = [
  '',
  '{',
  '[]',
  'ls',
  payload('ls').slice(0, -1),
  payload('ls').replace('"tool_input"', '"tool_input":{"command":"ls"},"tool_input"'),
  payload('ls').replace('"command":"ls"', '"command":"ls","command":"git x"'),
  payload('ls').replace('"description"', '"command":"git x","description"'),
  payload('ls').replace('"description"', '"comm\\u0061nd":"git x","description"'),
  payload('ls').replace('}', '},"tool_input":{"command":"git x"}'),
  payload('ls').replace('"tool_name":"Bash"', '"tool_name":"Bash","tool_name":"PowerShell"'),
  payload('ls').replace('"tool_name":"Bash"', '"tool_name":"PowerShell"'),
  payload('ls', { tool_name: 'PowerShell' }),
  payload('ls', { cursor_version: '1.0' }),
  payload('ls', { session_id: 's/../x' }),
  payload('ls', { session_id: '' }),
  payload('ls', { cwd: 'repo' }),
  payload('ls', { cwd: '/re"po' }),
  payload('ls').replace('{"session_id"', '{"timestamp":"x","session_id"'),
  payload('ls').replace('"effort":{"level":"medium"}', '"effort":{"level":"x","tool_name":"y"}'),
  payload('ls').replaceAll(':', ': '),
  payload('ls').replace('"ls"', '"\\u006cs"'),
  payload('ls').replace('"description":', '"description":["a"],"x":'),
  payload('ls').replace('"tool_use_id":"toolu_1"}', '"tool_use_id":"toolu_1"}}'),
  `${payload('ls')}${payload('ls')}`,
];

describe.each(SHELLS.map((it) => [it.join(' '), it] as const))('%s', (_, shell) => {
  const quick = (payloads: readonly string[], event?: string) => {
    const answers = quickAnswers(shell, payloads, event);
    return payloads.filter((_, at) => answers[at]);
  };

  test('answers what only reads, and nothing else', () => {
    const reads = READS.map((it) => payload(it));
    expect(quick(reads)).toEqual(reads);
    expect(quick(RUNS.map((it) => payload(it)))).toEqual([]);
  });

  test('answers no payload that it cannot read to the end', () => {
    expect(quick(TRICKS)).toEqual([]);
    expect(quick([payload('ls', { tool_response: { stdout: '' } })], 'before-tool')).toEqual([]);
    const after = payload('ls').replace(/,"tool_use_id.*/, ',"tool_response":{"stdout":"a');
    expect(quick([after], 'after-tool')).toEqual([after]);
  });

  test('what it answers is no boundary, and nothing that cannot be read', () => {
    const commands = mutated(1_500);
    const answers = quickAnswers(
      shell,
      commands.map((it) => payload(it)),
    );
    const taken = commands.filter((_, at) => answers[at]);
    expect(taken.length).toBeGreaterThan(100);
    const found = taken.filter((it) => recognise(it, contextOf()).some(matters));
    expect(found).toEqual([]);
  });
});

const matters = (it: ReturnType<typeof recognise>[number]) =>
  it.verdict !== 'opaque' || it.suspicious;

test('no program in its tables is one that the gate has a rule for', () => {
  const names = [...READING_PROGRAMS, ...LIMITED_PROGRAMS.flatMap((it) => it.names)];
  const ruled = names.filter((it) => recognise(`${it} a b c`, contextOf()).some(matters));
  expect(ruled).toEqual([]);
});

const PIECES = [
  ...["'", '"', '\\', '$', '`', '(', ')', '{', '}', '<', '>', '|', '&', ';', '&&', '||', '\n', ' '],
  ...[
    '-',
    '=',
    '#',
    '!',
    '*',
    "''",
    '""',
    '\\n',
    '-o',
    '-exec',
    '--output=x',
    '-c',
    'é',
    ' git ',
    ' sed ',
  ],
  ...[
    ' git log ',
    ' git push ',
    ' npm publish ',
    ' gh pr create ',
    ' ./ship ',
    ' xargs sh ',
    ' ssh h x ',
  ],
];

function mutated(count: number): string[] {
  const next = seededRandom(7);
  const below = (limit: number) => Math.floor(next() * limit);
  const any = (from: readonly string[]) => from[below(from.length)] ?? '';
  return Array.from({ length: count }, () => {
    let text = any(READS);
    for (let left = below(3); left >= 0; left -= 1) {
      const at = below(text.length + 1);
      text = `${text.slice(0, at)}${any(PIECES)}${text.slice(at + below(2))}`;
    }
    return below(4) === 0 ? `${text} && ${any(RUNS)}` : text;
  });
}

function installed() {
  const box = sandbox();
  const repo = box.repo('shop');
  const { event, real } = installedScript(box, repo);
  const ls = (more: object = {}) => ({
    ...more,
    ...{ tool_name: 'Bash', tool_input: { command: 'cd src; ls -a | head -3' }, tool_use_id: 't' },
  });
  /** By the real hook program: what a session has done before. */
  const begin = () => {
    real('prompt-submit', { hook_event_name: 'UserPromptSubmit', prompt: 'look' });
    real('before-tool', ls());
  };
  return { box, repo, event, real, ls, begin };
}

describe('in a session', () => {
  test('a command that reads starts no Node, and is recorded like others', async () => {
    const { box, repo, event, ls, begin } = installed();
    expect(event('before-tool', ls())).toBe('handed\n');
    begin();
    expect(event('before-tool', ls())).toBe('');
    const after = {
      ...ls(),
      tool_use_id: undefined,
      tool_response: { stdout: 'x'.repeat(90_000) },
    };
    expect(event('after-tool', after)).toBe('');
    expect(event('before-tool', { ...ls(), tool_input: { command: 'ls; x' } })).toBe('handed\n');
    const { stdout } = await command(box, repo, ['session', 'show', 'one', '--json']);
    const { timeline } = JSON.parse(stdout);
    expect(timeline.map((it: object) => ({ ...it, at: undefined }))).toEqual([
      expect.objectContaining({ kind: 'prompt' }),
      expect.objectContaining({ kind: 'command', name: 'ls' }),
      expect.objectContaining({ kind: 'command', name: 'ls', outcome: 'passed' }),
    ]);
  });

  test('what may be about it is the hook program’s to answer', () => {
    const { box, repo, event, ls, begin } = installed();
    begin();
    expect(event('before-tool', ls())).toBe('');
    expect(event('before-tool', ls(), { LANEHOLD_ATTEMPT: 'x' })).toBe('node\n');
    expect(event('before-tool', ls(), { GEMINI_SESSION_ID: 'one' })).toBe('node\n');
    expect(event('before-tool', ls({ session_id: 'two' }))).toBe('handed\n');
    const commands = box.write(join(box.laneholdHome, 'recall-commands'), '[null,"ls"]\n');
    expect(event('before-tool', ls())).toBe('handed\n');
    rmSync(commands);
    box.git(repo, 'commit', '--quiet', '--allow-empty', '--message', 'one');
    box.git(repo, 'worktree', 'add', '--quiet', '../lane');
    expect(event('before-tool', ls({ cwd: join(box.root, 'lane') }))).toBe('handed\n');
    expect(event('before-tool', ls({ cwd: join(box.root, 'gone') }))).toBe('handed\n');
  });

  test('the end of a command starts no Node until one has failed', async () => {
    const { box, repo, event, real, begin } = installed();
    begin();
    const ended = (text: string, response: object = { stdout: 'ok' }) => ({
      ...{ tool_name: 'Bash', tool_input: { command: text }, tool_response: response },
    });
    real('before-tool', ended('npm test -- a'));
    expect(event('after-tool', ended('npm test -- a'))).toBe('');
    const { stdout } = await command(box, repo, ['session', 'show', 'one', '--json']);
    const { timeline } = JSON.parse(stdout);
    const size = JSON.stringify({ stdout: 'ok' }).length;
    const passed = { name: 'npm', category: 'test', outcome: 'passed', outputBytes: size };
    expect(timeline.at(-1)).toMatchObject(passed);

    begin();
    expect(event('after-tool', ended('npm test'))).toBe('');
    for (const it of ['cd a && npm test', 'A=1 npm test', './x.sh', 'git push', '"npm" test'])
      expect(event('after-tool', ended(it)), it).toBe('handed\n');
    const changed = { stdout: '', bashEditDiff: { changedFiles: [join(repo, 'a')] } };
    expect(event('after-tool', ended('npm test', changed))).toBe('handed\n');
    expect(event('after-tool', ended('npm test', { stdout: 'x'.repeat(9_000) }))).toBe('node\n');
    real('after-tool-failure', ended('npm test', { error: 'x' }));
    expect(event('after-tool', ended('npm test'))).toBe('handed\n');
  });

  test('without recall nothing is recorded', () => {
    const { box, event, ls, begin } = installed();
    begin();
    const spool = join(box.laneholdHome, 'spool', 'claude-code-one.jsonl');
    const before = readFileSync(spool, 'utf8');
    expect(event('before-tool', ls(), { LANEHOLD_RECALL: 'off' })).toBe('');
    expect(readFileSync(spool, 'utf8')).toBe(before);
  });
});

test.each(SHELLS.map((it) => [it.join(' '), it] as const))(
  '%s: a long payload reaches the hook program as it was sent',
  (_, shell) => {
    const box = sandbox();
    const { event } = installedScript(box, box.repo('shop'), shell);
    const echo =
      'process.stdout.write((process.env.LANEHOLD_INPUT ?? "") + require("fs").readFileSync(0))';
    const hook = box.write('echo.cjs', echo);
    for (const times of [10, 9_000]) {
      const input = { tool_name: 'Bash', tool_input: { command: `echo ${'é"\\ '.repeat(times)}` } };
      const sent = JSON.stringify({ session_id: 'one', cwd: join(box.root, 'shop'), ...input });
      for (const name of ['before-tool', 'after-tool', 'prompt-submit', 'stop'] as const)
        expect(event(name, input, {}, hook) === sent, `${name}, ${times}`).toBe(true);
    }
  },
);

test('a boundary of commands that are not looked at is refused', async () => {
  const box = sandbox();
  const repo = box.repo();
  const boundary = { name: 'logs', argv: ['git', 'log', '**'], kind: 'push' };
  writeFileSync(
    join(repo, 'lanehold.json'),
    JSON.stringify({ features: {}, gate: { boundaries: [boundary] } }),
  );
  const { stderr, exitCode } = await command(box, repo, ['feature', 'list']);
  expect({ exitCode, stderr }).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('only reads'),
  });
});
