/** Prompts that the script in LANEHOLD_HOME answers without Node, and how they are recorded. */
import { readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { COMMON_WORDS } from '../../src/base/text/common-words.ts';
import { rulesIn, spokenBy } from '../../src/recall/prompts.ts';
import { queryOf } from '../../src/recall/query.ts';
import { command } from '../support/command.ts';
import { installedScript, SHELLS } from '../support/installed-script.ts';
import { quickAnswers } from '../support/quick-shell.ts';
import { sandbox } from '../support/sandbox.ts';
import { seededRandom } from '../support/seeded-random.ts';

const payload = (prompt: string, more: object = {}) => ({
  transcript_path: '/t.jsonl',
  permission_mode: 'default',
  hook_event_name: 'UserPromptSubmit',
  ...more,
  prompt,
});

const WORDS = [
  ...'go on with the parser, please. what does it do? use the other one in every test'.split(' '),
  ...[
    'yes',
    'ok',
    'continue',
    'Fix',
    'it',
    "it's",
    'the tests of',
    'mysql',
    'psql',
    'machine',
    'curl',
  ],
  ...[
    'password',
    'PASSWORD',
    'passwd',
    'hunter',
    'token',
    'Bearer',
    'bearer',
    'Authorization',
    'basic',
  ],
  ...[
    'login',
    'secret',
    'api key',
    'apiKey',
    'credentials',
    'sshpass',
    'user',
    'AccountKey',
    'auth',
  ],
  ...[
    'must',
    'never',
    'Always',
    "don't",
    'do not',
    'only',
    'keep',
    'avoid',
    'no new',
    'at most',
    'stay in',
  ],
  ...[
    'without changing',
    'leave it alone',
    'make sure',
    'ensure',
    'has to',
    'nicht',
    'immer',
    'nur',
  ],
  ...[
    'lanehold',
    'lanehold: x',
    '<private>',
    'x=y',
    'a: b',
    'ghp_abc',
    'sk-abc',
    '--token',
    '-p',
    '9',
  ],
  ...[
    '\n',
    '\t',
    ' ',
    '.',
    ',',
    '?',
    "'",
    '"',
    '\\',
    '\u00e9',
    '!',
    'AKIAABCDEFGHIJKLMNOP',
    'xoxb',
  ],
];

test.each(SHELLS.map((it) => [it.join(' '), it] as const))(
  '%s: what it records is what the hook program would',
  (_, shell) => {
    const next = seededRandom(5);
    const below = (limit: number) => Math.floor(next() * limit);
    const word = () =>
      below(8) === 0
        ? Array.from({ length: 1 + below(30) }, () => String.fromCharCode(65 + below(58))).join('')
        : (WORDS[below(3) === 0 ? below(WORDS.length) : below(26)] ?? '');
    const prompts = Array.from({ length: 4_000 }, () =>
      Array.from({ length: 1 + below(7) }, word).join(' '),
    );
    const payloads = prompts.map((it) =>
      JSON.stringify({ session_id: 's', cwd: '/repo', ...payload(it) }),
    );
    const answers = quickAnswers(shell, payloads, 'prompt-submit');
    const taken = prompts.filter((_, at) => answers[at]);
    expect(taken.length).toBeGreaterThan(300);
    for (const it of taken) expect(spokenBy(it), it).toEqual({ text: it, rules: [] });
    expect(taken.flatMap(rulesIn)).toEqual([]);
  },
);

test.each(SHELLS.map((it) => [it.join(' '), it] as const))(
  '%s: nothing is looked up for common words',
  (_, shell) => {
    const next = seededRandom(9);
    const common = COMMON_WORDS.trim().split(/\s+/);
    const others = [
      ...['OK', 'Id', 'js', 'CI', 'parser', 'useIt', 'HTTP', 'YOU', 'a.b', 'go', "it's"],
      ...common,
    ];
    const any = (from: readonly string[]) => from[Math.floor(next() * from.length)] ?? '';
    const joint = () => any([' ', ' ', ' ', ', ', '. ', '? ', '.', ',', "'"]);
    const word = () => {
      const it = any(next() < 0.9 ? common : others);
      return next() < 0.2 ? `${it.charAt(0).toUpperCase()}${it.slice(1)}` : it;
    };
    const prompts = Array.from({ length: 3_000 }, () =>
      Array.from({ length: 1 + Math.floor(next() * 6) }, () => `${word()}${joint()}`)
        .join('')
        .trim(),
    );
    const payloads = prompts.map((it) =>
      JSON.stringify({ session_id: 's', cwd: '/repo', ...payload(it) }),
    );
    const answers = quickAnswers(shell, payloads, 'prompt-of-common-words');
    const taken = prompts.filter((_, at) => answers[at]);
    expect(taken.length).toBeGreaterThan(500);
    expect(taken.filter((it) => queryOf(it).terms.length > 0)).toEqual([]);
  },
);

test('no payload that ends in another way is read', () => {
  const plain = JSON.stringify({ session_id: 's', cwd: '/repo', ...payload('go on') });
  const tricks = [
    plain.slice(0, -1),
    `${plain}}`,
    plain.replace('"prompt"', '"prompt":"x","prompt"'),
    plain.replace('}', ',"prompt":"do not"}'),
    plain.replace('}', ',"more":1}'),
    plain.replace('"go on"', '["go on"]'),
    plain.replace('"prompt":', '"prompt": '),
    plain.replace('go on', '\\u0067o on'),
    plain.replace('go on', `go on${' on'.repeat(400)}`),
    plain.replace('"prompt"', '"tool_name":"Bash","prompt"'),
    plain.replace('"session_id":"s",', ''),
  ];
  for (const shell of SHELLS)
    expect(quickAnswers(shell, [plain, ...tricks], 'prompt-submit')).toEqual([
      true,
      ...tricks.map(() => false),
    ]);
});

const LONG_AGO = new Date('2026-01-01');

function session(shell?: (typeof SHELLS)[number]) {
  const box = sandbox();
  const repo = box.repo('shop');
  const { event, real } = installedScript(box, repo, shell);
  const home = (name: string) => join(box.laneholdHome, name);
  const says = (prompt: string, env: object = {}, more: object = {}) =>
    event('prompt-submit', payload(prompt, more), env);
  /** The first prompt of a session is the hook program's. */
  const begin = () => real('prompt-submit', payload('look at it'));
  const timeline = async () => {
    const { stdout } = await command(box, repo, ['session', 'show', 'one', '--json']);
    return JSON.parse(stdout).timeline;
  };
  return { box, repo, event, real, home, says, begin, timeline };
}

describe.each(SHELLS.map((it) => [it.join(' '), it] as const))('%s', (_, shell) => {
  test('a plain prompt starts no Node, and is recorded with its time', async () => {
    const { real, home, says, begin, timeline } = session(shell);
    expect(says('go on')).toBe('handed\n');
    begin();
    expect(says('go on')).toBe('');
    real('stop', { hook_event_name: 'Stop', stop_hook_active: false });
    expect(says('the parser, please')).toBe('handed\n');
    expect(says('and the other one, please')).toBe('');
    // Long after what came before.
    const later = new Date(Date.now() + 3_600_000);
    utimesSync(home('sessions/claude-code-one.spoke'), later, later);
    expect(statSync(home('spool/claude-code-one.jsonl')).mode & 0o077).toBe(0);
    const prompts = (await timeline()).filter((it: { kind: string }) => it.kind === 'prompt');
    expect(prompts.map((it: { text: string }) => it.text)).toEqual([
      'look at it',
      'go on',
      'and the other one, please',
    ]);
    expect(new Date(prompts[2].at).getTime()).toBe(Math.floor(later.getTime()));
  });

  test('what may be said, or must not be recorded, is the hook program’s', () => {
    const { box, repo, home, says, begin } = session(shell);
    begin();
    expect(says('the parser, please')).toBe('');
    expect(says('never do it')).toBe('handed\n');
    expect(says('the parser, please', {}, { session_id: 'two' })).toBe('handed\n');
    expect(says('the parser, please', { LANEHOLD_ATTEMPT: 'x' })).toBe('node\n');
    expect(says('the parser, please', {}, { cwd: box.root })).toBe('handed\n');
    for (const it of ['recall-projects', 'runs/lanes', 'sessions/pending', 'config.json']) {
      const file = box.write(home(it), it === 'recall-projects' ? '*\n' : '{}');
      expect(says('the parser, please'), it).toBe('handed\n');
      rmSync(file);
      expect(says('the parser, please'), it).toBe('');
    }
    const registry = box.write(join(repo, 'lanehold.json'), '{"recall":{"capture":"off"}}');
    expect(says('the parser, please')).toBe('handed\n');
    utimesSync(registry, LONG_AGO, LONG_AGO);
    box.write(home('traces/claude-code/one.compacted'), '');
    expect(says('the parser, please')).toBe('handed\n');
  });

  test('without recall nothing is recorded', () => {
    const { home, says, begin } = session(shell);
    begin();
    const spool = () => readFileSync(home('spool/claude-code-one.jsonl'), 'utf8');
    const before = spool();
    expect(says('go on', { LANEHOLD_RECALL: 'off' })).toBe('');
    writeFileSync(home('config.json'), '{"recall":{"capture":"off"}}');
    begin();
    expect(says('go on')).toBe('');
    expect(spool()).toBe(before);
  });
});
