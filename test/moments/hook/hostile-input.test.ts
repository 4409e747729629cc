/**
 * Whatever arrives on stdin, the program answers or keeps silent; it never breaks. Payloads that are
 * only parsed go through its code in this process; one of each kind, and all that depends on stdin,
 * the size of the input or the working directory, through the built program.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { claudeCodeHooks } from '../../../src/agents/claude-code/hooks.ts';
import { EVENT_NAMES, type EventName } from '../../../src/agents/types.ts';
import { command } from '../../support/command.ts';
import { afterEdit, beforeCommand } from '../../support/payloads.ts';
import { runProgram } from '../../support/program.ts';
import { HOOK_PROGRAM, sandbox } from '../../support/sandbox.ts';
import { expectAnswer } from './answers.ts';

const { events: EVENTS } = claudeCodeHooks;

const PAYLOADS = join(import.meta.dirname, '../../fixtures/payloads/claude-code');

/** One project with a feature that is not verified, for all the tests here. */
const box = sandbox(afterAll);
let repo = '';
beforeAll(async () => {
  repo = box.repo();
  box.git('.', 'init', '--quiet', '--bare', 'remote.git');
  box.git(repo, 'remote', 'add', 'origin', join(box.root, 'remote.git'));
  box.write('repo/src/a.txt', 'a\n');
  box.commit(repo);
  await command(box, repo, ['feature', 'add', 'checkout', '--files', 'src/**', '--smoke', 'true']);
});

function eventOf(file: string): EventName {
  const client = file.split('.', 1)[0];
  const event = EVENT_NAMES.find((name) => EVENTS[name] === client);
  if (event === undefined) throw new Error(`no event is called ${client}`);
  return event;
}

describe('what the client was recorded to send', () => {
  test.concurrent.each(readdirSync(PAYLOADS))('%s', async (file) => {
    const recorded = readFileSync(join(PAYLOADS, file), 'utf8');
    const here = recorded.replaceAll('/home/dev/project', repo).replaceAll('/home/dev', box.home);
    for (const payload of [recorded, here]) {
      expect(expectAnswer(await box.hook(eventOf(file), payload))).toBe('none');
    }
  });

  test.concurrent.each(EVENT_NAMES)(
    'at %s is answered by the built program, too',
    async (event) => {
      const file = readdirSync(PAYLOADS).find((name) => eventOf(name) === event);
      if (file === undefined) return;
      const payload = readFileSync(join(PAYLOADS, file), 'utf8');
      expect(expectAnswer(await box.startHook(event, payload))).toBe('none');
    },
  );
});

const PUSH = JSON.stringify(beforeCommand('/nowhere', 'git push origin main'));
const EDIT = JSON.stringify(afterEdit('/nowhere', '/nowhere/src/a.txt'));
const CUTS = Array.from({ length: Math.ceil(PUSH.length / 17) }, (_, at) => at * 17);

test('a payload that is cut anywhere denies only what shows a release word', async () => {
  for (const cut of CUTS) {
    const input = Buffer.from(PUSH).subarray(0, cut);
    const decision = expectAnswer(await box.hook('before-tool', input));
    const isHeld = cut === 0 || /push/.test(input.toString());
    expect([cut, decision]).toEqual([cut, isHeld ? 'deny' : 'none']);
    if (cut % 4 === 0) expect(expectAnswer(await box.hook('after-tool', input))).toBe('none');
  }
});

const words = (text: string) => Buffer.from(JSON.stringify(text));
const deep = (open: string, close: string) => open.repeat(200_000) + close.repeat(200_000);

const MALFORMED: Readonly<Record<string, string | Buffer>> = {
  null: 'null',
  'a number': '1e999',
  'a text': '"hello"',
  'an array': '[]',
  'an empty object': '{}',
  'two objects': '{}{}',
  'a byte order mark': `\uFEFF${EDIT}`,
  'a single quote': "{'tool_name': 'Bash'}",
  'bytes that are no UTF-8': Buffer.from([0xff, 0xfe, 0x00, 0x80, 0xc3, 0x28]),
  'UTF-16': Buffer.from(EDIT, 'utf16le'),
  'a NUL': '\0',
  'NULs in texts': EDIT.replaceAll('nowhere', 'no\\u0000where'),
  'half of a surrogate pair': EDIT.replaceAll('nowhere', '\\ud800'),
  'deep arrays': deep('[', ']'),
  'deep objects': deep('{"a":', '}').replace('}', '1}'),
  'a proto': '{"__proto__": {"tool_name": "Bash"}, "constructor": 1}',
  'a tool without a name': '{"tool_input": {"command": "ls"}}',
  'a tool of an odd name': '{"tool_name": "constructor", "tool_input": {"command": "ls"}}',
  'no input': '{"tool_name": "Bash"}',
  'an input of the wrong kind': '{"tool_name": "Bash", "tool_input": ["ls"]}',
  'a command of the wrong kind': '{"tool_name": "Bash", "tool_input": {"command": ["ls"]}}',
  'a path of the wrong kind': '{"tool_name": "Edit", "tool_input": {"file_path": {"a": 1}}}',
  'an empty path': '{"tool_name": "Edit", "tool_input": {"file_path": ""}}',
  'a folder that is a number': '{"cwd": 7, "tool_name": "Bash", "tool_input": {"command": "ls"}}',
  'a folder that is nowhere': '{"cwd": "/nowhere/at/all", "source": "startup"}',
  'a session that is an object': '{"session_id": {}, "cwd": "/tmp", "source": "startup"}',
  'a diff of the wrong kind':
    '{"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_response": {"bashEditDiff": {"changedFiles": [1, null, "\\u0000", {}]}}}',
};

/** What reading stdin or the size of a stack could turn into something else in a process. */
const STARTED = new Set([
  'bytes that are no UTF-8',
  'UTF-16',
  'a NUL',
  'deep arrays',
  'deep objects',
  'an input of the wrong kind',
]);

test.each(['', ' \n\t'])(
  'an input of %j is refused before a tool, and says what helps',
  async (input) => {
    const ran = await box.startHook('before-tool', input);
    expect(expectAnswer(ran)).toBe('deny');
    expect(ran.stdout).toContain('`lanehold doctor`');
    for (const event of ['after-tool', 'session-start', 'stop'] as const)
      expect(expectAnswer(await box.startHook(event, input))).toBe('none');
  },
);

test.concurrent.each(Object.entries(MALFORMED))(
  '%s is no reason to hold anything',
  async (name, input) => {
    for (const event of ['before-tool', 'after-tool', 'session-start', 'stop'] as const) {
      expect(expectAnswer(await box.hook(event, input))).toBe('none');
    }
    if (!STARTED.has(name)) return;
    for (const event of ['before-tool', 'after-tool'] as const) {
      expect(expectAnswer(await box.startHook(event, input))).toBe('none');
    }
  },
);

test.concurrent.each([
  ['a command of the wrong kind', '{"tool_name": "Bash", "tool_input": {"command": ["git push"]}}'],
  ['no JSON', '{"tool_name": "Bash", "tool_input": {"command": "git push'],
  ['a NUL after it', `${PUSH}\0`],
  ['bytes that are no UTF-8', Buffer.concat([Buffer.from(PUSH), Buffer.from([0xff])])],
  ['no tool', '{"tool_input": {"command": "git push"}}'],
  ['padding', `{"tool_input": {"a": "${'x'.repeat(3_000_000)}", "command": "npm publish`],
])('a release word in an input with %s is held', async (_, input) => {
  expect(expectAnswer(await box.startHook('before-tool', input))).toBe('deny');
});

test('a release word elsewhere in a payload that cannot be understood holds nothing', async () => {
  const payload = { cwd: '/home/me/release', tool_name: 'Bash', tool_input: { command: ['ls'] } };
  expect(expectAnswer(await box.startHook('before-tool', payload))).toBe('none');
});

test('any JSON at all is answered', async () => {
  const inputs = fc.sample(fc.tuple(fc.constantFrom(...EVENT_NAMES), anything()), {
    numRuns: 30,
    seed: 7,
  });
  for (const [event, payload] of inputs) {
    expectAnswer(await box.hook(event, JSON.stringify(payload)));
  }
});

/** The fields that are read, with values of any kind in them. */
function anything(): fc.Arbitrary<unknown> {
  const text = fc.constantFrom('', '.', '/', '/tmp', 'Bash', 'Edit', 'startup', 'ls', '\ud800');
  const value = fc.oneof(text, fc.jsonValue({ maxDepth: 2 }));
  const input = fc.record({ command: value, file_path: value }, { requiredKeys: [] });
  return fc.record(
    {
      session_id: value,
      cwd: value,
      tool_name: value,
      tool_input: fc.oneof(input, value),
      tool_response: value,
      source: value,
      stop_hook_active: value,
      reason: value,
    },
    { requiredKeys: [] },
  );
}

describe('50 MB', () => {
  const huge = 'line of text\\n'.repeat(4_000_000);

  test('of an edit are taken in stride', async () => {
    const file = join(repo, 'src/a.txt');
    const payload = JSON.stringify(afterEdit(repo, file)).replace(
      '"old_string":"a"',
      () => `"old_string":"${huge}"`,
    );
    expect(payload.length).toBeGreaterThan(50_000_000);
    const ran = await box.startHook('after-tool', payload);
    expect(expectAnswer(ran)).toBe('none');
    expect(ran.stdout).toContain('checkout');
    expect(expectAnswer(await box.startHook('before-tool', payload))).toBe('none');
  });

  test.each([
    ['a comment', '# ', '\\n'],
    ['a quoted text', "echo '", "'; "],
    ['a here document', "cat <<'EOF' > notes\\n", 'EOF\\n'],
    ['nothing but separators', ';', ';'],
  ])('of %s do not hide the push that follows', async (_, before, after) => {
    const payload = JSON.stringify(beforeCommand(repo, 'HERE git push origin main'));
    const input = payload.replace('HERE ', () => `${before}${huge}${after}`);
    expect(expectAnswer(await box.startHook('before-tool', input))).not.toBe('none');
  });
});

test('more statements than are read do not hide the push that follows', async () => {
  const payload = beforeCommand(repo, `${': a;'.repeat(25_000)} git push origin main`);
  expect(expectAnswer(await box.startHook('before-tool', payload))).not.toBe('none');
});

describe('stdin that gives nothing', () => {
  test.concurrent.each([
    ['closed', '<&-'],
    ['empty', '</dev/null'],
    ['a folder', '</'],
    ['open for writing only', '0>/dev/null'],
    ['a pipe that nobody writes to', ''],
  ])('%s', async (_, redirection) => {
    for (const event of ['before-tool', 'after-tool', 'session-start']) {
      const line = `exec "$0" "$1" "$2" --agent claude-code ${redirection}`;
      const args = ['-c', line, process.execPath, HOOK_PROGRAM, event];
      const ran = await runProgram('/bin/sh', args, { cwd: box.root, env: box.env });
      expect(expectAnswer(ran)).toBe(event === 'before-tool' ? 'deny' : 'none');
    }
  });
});

test('an answer that nobody reads still holds by its exit code', async () => {
  const line = 'exec "$0" "$1" before-tool --agent claude-code >&-';
  const start = { cwd: repo, env: box.env, input: JSON.stringify(beforeCommand(repo, 'git push')) };
  const ran = await runProgram('/bin/sh', ['-c', line, process.execPath, HOOK_PROGRAM], start);
  expect(ran).toMatchObject({ exitCode: 2, stdout: '', stderr: '' });
});

describe('a working directory that is gone', () => {
  const inDeleted = (event: EventName, payload: object) => {
    const gone = join(box.root, 'gone');
    mkdirSync(gone);
    const line = 'cd "$2" && rmdir "$2" && exec "$0" "$1" "$3" --agent claude-code';
    const args = ['-c', line, process.execPath, HOOK_PROGRAM, gone, event];
    const start = { cwd: box.root, env: box.env, input: JSON.stringify(payload) };
    return runProgram('/bin/sh', args, start).finally(() =>
      rmSync(gone, { force: true, recursive: true }),
    );
  };

  test('is no reason to hold what runs elsewhere, or nothing', async () => {
    expect(expectAnswer(await inDeleted('before-tool', beforeCommand(repo, 'ls')))).toBe('none');
    for (const event of EVENT_NAMES) {
      const payload = { cwd: join(box.root, 'gone'), source: 'startup' };
      expect(expectAnswer(await inDeleted(event, payload))).toBe('none');
    }
  });

  test('is no way out', async () => {
    const push = 'git push origin main';
    expect(expectAnswer(await inDeleted('before-tool', beforeCommand(repo, push)))).toBe('deny');
    const elsewhere = beforeCommand(join(box.root, 'gone'), `cd ${repo} && ${push}`);
    expect(expectAnswer(await inDeleted('before-tool', elsewhere))).toBe('deny');
  });
});

test('LANEHOLD_DISABLE=1 turns everything off', async () => {
  const env = { LANEHOLD_DISABLE: '1' };
  for (const event of EVENT_NAMES) {
    const ran = await box.startHook(event, beforeCommand(repo, 'git push origin main'), { env });
    expect(ran).toEqual({ exitCode: 0, signal: null, stdout: '', stderr: '' });
  }
});

test.each([
  ['before-everything', 'claude-code'],
  ['before-tool', 'nobody'],
  ['constructor', '__proto__'],
])(
  '%s of %s is a mistake in the settings: one line, and a code that never blocks',
  async (event, agent) => {
    const ran = await box.startHook(event as EventName, PUSH, { agent });
    const stderr = 'usage: lanehold-hook <event> --agent <name>\n';
    expect(ran).toEqual({ exitCode: 1, signal: null, stdout: '', stderr });
  },
);

test('a payload that is only words is no command', async () => {
  expect(expectAnswer(await box.startHook('before-tool', words('hello')))).toBe('none');
});
