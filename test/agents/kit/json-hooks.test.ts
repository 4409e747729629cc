import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { claudeCodeInstall } from '../../../src/agents/claude-code/install.ts';
import type { FileEditor } from '../../../src/agents/install.ts';
import { inGroup, jsonHooks } from '../../../src/agents/kit/json-hooks.ts';
import { UserFileError } from '../../../src/base/files/user-files.ts';

const file = '/home/dev/.claude/settings.json';
const start = { node: '/opt/node', hook: '/opt/lanehold-hook.cjs', script: '/opt/hook.sh' };
const place = { env: { HOME: '/home/dev' }, cwd: '/' };
const claude = claudeCodeInstall.files('user', place, start)[0]?.editor as FileEditor;
/** As the file says it. */
const entryOf = (event: string) => JSON.parse(install(undefined).text).hooks[event][0].hooks[0];
const short = jsonHooks({
  agent: 'x',
  wanted: [
    inGroup('Stop', { command: "/bin/sh -c ':' lanehold n h s f --agent x" }),
    inGroup('PreToolUse', { command: "/bin/sh -c '' lanehold n h s f --agent x" }, 'Bash'),
  ],
});
const install = (text: string | undefined, editor = claude) =>
  editor.plan(file, { current: text, bare: text });

describe('plan', () => {
  test.each([undefined, '', ' \n'])('makes a file of nothing: %j', (text) => {
    const plan = install(text, short);
    expect(plan.state).toBe('new');
    expect(plan.text).toMatch(/^\{\n {2}"hooks": \{\n {4}"Stop": \[\n/);
    expect(plan.text.endsWith('\n}\n')).toBe(true);
  });

  test('writes every event in the shape that the client reads', () => {
    const { hooks } = JSON.parse(install(undefined).text);
    expect(Object.keys(hooks)).toEqual([
      'SessionStart',
      'UserPromptSubmit',
      'PreToolUse',
      'PostToolUse',
      'PostToolUseFailure',
      'Stop',
      'PreCompact',
      'SessionEnd',
      'TaskCreated',
      'TaskCompleted',
    ]);
    expect(hooks.PreToolUse).toEqual([
      {
        matcher: '^(Bash|Monitor|PowerShell|Edit|Write|NotebookEdit|mcp__.*)$',
        hooks: [
          {
            type: 'command',
            // Another agent that runs the hook must not find a bare shell here.
            command: expect.stringMatching(
              / && exec \/bin\/sh '\/opt\/hook\.sh' '\/opt\/node' '\/opt\/lanehold-hook\.cjs' .* 'lanehold';/,
            ),
            timeout: 60,
            onFailure: 'block',
          },
        ],
      },
    ]);
    expect(hooks.PostToolUse[0].matcher).toBe(
      'Edit|Write|NotebookEdit|TaskCreate|TaskUpdate|TodoWrite',
    );
    const closed = Object.keys(hooks).filter((event) => 'onFailure' in hooks[event][0].hooks[0]);
    expect(closed).toEqual(['PreToolUse']);
    expect(hooks.Stop[0]).not.toHaveProperty('matcher');
  });

  test('keeps what is there, as it is laid out', () => {
    const before = `{
    "model" : "opus",   "env": {"A": "1"},
    "hooks": {
        "Stop": [ { "hooks": [ { "type": "command", "command": "say done" } ] } ],
        "Notification": []
    },
    "permissions": { "allow": ["Bash(ls)"] }
}`;
    expect(install(before, short).text).toBe(`{
    "model" : "opus",   "env": {"A": "1"},
    "hooks": {
        "Stop": [ { "hooks": [ { "type": "command", "command": "say done" } ] }, { "hooks": [{ "command": "/bin/sh -c ':' lanehold n h s f --agent x" }] } ],
        "Notification": [],
        "PreToolUse": [
            {
                "matcher": "Bash",
                "hooks": [
                    {
                        "command": "/bin/sh -c '' lanehold n h s f --agent x"
                    }
                ]
            }
        ]
    },
    "permissions": { "allow": ["Bash(ls)"] }
}`);
  });

  test.each([
    ['tabs', '{\n\t"a": 1\n}\n', '\n\t"hooks": {\n\t\t"Stop": [\n\t\t\t{'],
    ['CRLF', '{\r\n  "a": 1\r\n}\r\n', '\r\n  "hooks": {\r\n    "Stop": ['],
    ['a byte order mark', '\uFEFF{\n  "a": 1\n}', '\n  "hooks": {\n    "Stop": ['],
    ['one line', '{"a":1}', '{"a":1,"hooks":{"Stop":['],
    ['one airy line', '{"a": 1}', '{"a": 1, "hooks": { "Stop": ['],
    ['empty braces', '{}', '{\n  "hooks": {\n    "Stop": ['],
  ])('follows %s', (_, before, part) => {
    const { text } = install(before, short);
    expect(text).toContain(part);
    expect(text.includes('\r\n')).toBe(before.includes('\r\n'));
    expect(text.startsWith('\uFEFF')).toBe(before.startsWith('\uFEFF'));
    expect(text.endsWith('\n')).toBe(before.endsWith('\n'));
    expect(short.withoutOurs(file, text, before)).toBe(before);
  });

  test('is content with what is current, however it is laid out and wherever it stands', () => {
    const { text } = install('{"a": 1}');
    expect(install(text)).toEqual({ state: 'current', text });
    const settings = JSON.parse(text);
    settings.hooks.PreToolUse.push({ hooks: [{ type: 'command', command: 'later' }] });
    settings.hooks.Stop[0].hooks.unshift({ command: 'beside ours', type: 'command' });
    const rearranged = JSON.stringify(settings, null, '\t');
    expect(install(rearranged)).toEqual({ state: 'current', text: rearranged });
  });

  test.each([
    ['one is missing', (hooks: Record<string, unknown[]>) => delete hooks.Stop],
    ['one is there twice', (hooks: Record<string, unknown[]>) => hooks.Stop?.push(hooks.Stop[0])],
    [
      'one is under another event',
      (hooks: Record<string, unknown[]>) => {
        hooks.SubagentStop = hooks.Stop ?? [];
        delete hooks.Stop;
      },
    ],
    [
      'one has lost its `onFailure`',
      (hooks: Record<string, unknown[]>) =>
        JSON.parse(JSON.stringify(hooks.PreToolUse), (key, value) =>
          key === 'onFailure' ? undefined : value,
        ).forEach((group: unknown, index: number) => {
          if (hooks.PreToolUse) hooks.PreToolUse[index] = group;
        }),
    ],
  ])('brings up to date if %s', (_, change) => {
    const settings = JSON.parse(install('{"a": 1}').text);
    change(settings.hooks);
    const current = JSON.stringify(settings, null, 2);
    const plan = claude.plan(file, { current, bare: claude.withoutOurs(file, current) });
    expect(plan.state).toBe('upgrade');
    expect(JSON.parse(plan.text)).toEqual(JSON.parse(install('{"a": 1}').text));
  });

  test('adds to the last of two values of a key, which is the one that counts', () => {
    const before = '{"hooks": {"Stop": [1]}, "hooks": {"Stop": [2]}}';
    const { text } = install(before, short);
    expect(JSON.parse(text).hooks.Stop).toHaveLength(2);
    expect(short.withoutOurs(file, text, before)).toBe(before);
  });
});

describe('what the client could not read is refused', () => {
  test.each([
    ['{"a": 1,}', 'line 1, column 9'],
    ['{\n  // why\n  "a": 1\n}', 'a comment at line 2, column 3'],
    ['{\n  "a": 1', 'close brace expected at line 2, column 9'],
    ['{"a": 01}', 'line 1'],
    ['{"a": "\u0001"}', 'line 1, column 7'],
    ['hello', 'line 1, column 1'],
    ['{} {}', 'line 1, column 4'],
    ["{'a': 1}", 'line 1, column 2'],
  ])('%j: %s', (text, where) => {
    expect(() => install(text)).toThrow(UserFileError);
    expect(() => install(text)).toThrow(`${file} is not plain JSON: `);
    expect(() => install(text)).toThrow(where);
  });

  test.each([
    ['[]', 'the settings at line 1, column 1 should be an object'],
    ['null', 'the settings at line 1, column 1 should be an object'],
    ['{\n"hooks": []}', '`hooks` at line 2, column 10 should be an object'],
    ['{"hooks": {"PreToolUse": {}}}', '`hooks.PreToolUse` at line 1, column 26 should be a list'],
  ])('%j: %s', (text, fact) => {
    expect(() => install(text)).toThrow(`${file}: ${fact}`);
  });
});

describe('withoutOurs', () => {
  test('leaves alone what is not ours', () => {
    const foreign = [
      { type: 'command', command: 'lanehold status' },
      { type: 'command', command: '/bin/sh', args: ['-c', 'x', 'sh', 'lanehold', '--agent'] },
      { type: 'command', command: 'npx', args: ['lanehold', 'status'] },
    ];
    const text = JSON.stringify({ hooks: { Stop: [{ hooks: foreign }] } });
    expect(claude.withoutOurs(file, text)).toBe(text);
  });

  test('takes our entry out of a group that holds others, too', () => {
    const entry = entryOf('SessionStart');
    const others = [{ command: 'a' }, { command: 'b' }];
    for (const hooks of [
      [entry, ...others],
      [...others, entry],
      [others[0], entry, others[1]],
    ]) {
      const text = JSON.stringify({ hooks: { Stop: [{ matcher: '', hooks }] } }, null, 2);
      const bare = { hooks: { Stop: [{ matcher: '', hooks: others }] } };
      expect(claude.withoutOurs(file, text)).toBe(JSON.stringify(bare, null, 2));
    }
  });

  test('keeps the later changes of the user', () => {
    const before = '{\n  "model": "opus"\n}\n';
    const later = install(before).text.replace('"opus"', '"haiku",\n  "theme": "dark"');
    expect(claude.withoutOurs(file, later, before)).toBe(
      '{\n  "model": "haiku",\n  "theme": "dark"\n}\n',
    );
  });

  test('removes lists that only we needed, not those that were empty before', () => {
    const before = '{"hooks": {"Stop": []}}';
    const { text } = install(before);
    expect(JSON.parse(claude.withoutOurs(file, text, before) ?? '')).toEqual({
      hooks: { Stop: [] },
    });
    expect(JSON.parse(claude.withoutOurs(file, text) ?? '')).toEqual({});
  });
});

describe('whatever the settings are', () => {
  const groups = fc.array(
    fc.record(
      {
        matcher: fc.constantFrom('Bash', '', '*'),
        hooks: fc.array(fc.record({ type: fc.constant('command'), command: fc.string() })),
      },
      { requiredKeys: ['hooks'] },
    ),
    { maxLength: 3 },
  );
  const hooks = fc.dictionary(fc.constantFrom('PreToolUse', 'Stop', 'Notification'), groups);
  const settings = fc
    .tuple(fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 4 }), fc.option(hooks), fc.nat(4))
    .map(([others, ownHooks, at]) => {
      const entries = Object.entries(others).filter(([key]) => key !== 'hooks');
      if (ownHooks) entries.splice(at, 0, ['hooks', ownHooks as fc.JsonValue]);
      return Object.fromEntries(entries);
    });
  const text = fc
    .tuple(settings, fc.constantFrom('', 1, 2, 4, '\t'), fc.boolean(), fc.boolean(), fc.boolean())
    .map(([value, indent, crlf, mark, newline]) => {
      const lines = JSON.stringify(value, null, indent) + (newline ? '\n' : '');
      return (mark ? '\uFEFF' : '') + (crlf ? lines.replaceAll('\n', '\r\n') : lines);
    });
  const parse = (json: string) => JSON.parse(json.replace('\uFEFF', ''));
  const alone: Record<string, unknown[]> = parse(install(undefined).text).hooks;

  test('installing and uninstalling gives back every byte', () => {
    fc.assert(
      fc.property(
        text,
        (before) => claude.withoutOurs(file, install(before).text, before) === before,
      ),
    );
  });

  test('installing twice is installing once', () => {
    fc.assert(fc.property(text, (before) => install(install(before).text).state === 'current'));
  });

  test('installing adds our groups behind the others and changes nothing else', () => {
    fc.assert(
      fc.property(text, (before) => {
        const expected = parse(before);
        expected.hooks ??= {};
        for (const [event, groups] of Object.entries(alone)) {
          expected.hooks[event] ??= [];
          expected.hooks[event].push(groups[0]);
        }
        return JSON.stringify(parse(install(before).text)) === JSON.stringify(expected);
      }),
    );
  });
});
