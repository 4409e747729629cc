/** The forms in which agents keep hooks and rules: put in, brought up to date, taken out again. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FileEditor } from '../../src/agents/install.ts';
import { scriptCommandLine, shimCommandLine, shimInLine } from '../../src/agents/kit/hook-shim.ts';
import { inGroup, inList, jsonHooks } from '../../src/agents/kit/json-hooks.ts';
import { markedBlock, OWN_FILE_MARK, ownFile } from '../../src/agents/kit/own-file.ts';
import { UserFileError } from '../../src/base/files/user-files.ts';

const FILE = '/home/dev/.agent/hooks.json';
const startOf = (node: string) => ({ node, hook: "/opt/o'neil/hook.cjs", script: '/opt/hook.sh' });
const line = (node: string, agent = 'one') =>
  shimCommandLine(startOf(node), FILE, { given: ['before-tool', '--agent', agent] });

const SHAPES: Readonly<Record<string, (node: string, agent?: string) => FileEditor>> = {
  'entries in groups, each a line': (node, agent = 'one') =>
    jsonHooks({ agent, wanted: [inGroup('PreToolUse', { command: line(node, agent) })] }),
  'entries under the event, beside a version': (node, agent = 'one') =>
    jsonHooks({
      agent,
      wanted: [
        inList('beforeShell', { command: line(node, agent), matcher: 'x', timeout: 9 }),
        inList('stop', { command: line(node, agent) }),
      ],
      head: { version: 1 },
    }),
  'a list of named entries': (node, agent = 'one') =>
    jsonHooks({
      agent,
      wanted: ['PreToolUse', 'Stop'].map((trigger) => ({
        path: ['hooks'],
        element: {
          name: `lanehold-${trigger}`,
          trigger,
          action: { type: 'command', command: line(node, agent) },
          timeout: 9,
        },
      })),
      head: { version: 'v1' },
      eventKey: 'trigger',
    }),
  'groups and entries under a name of ours': (node, agent = 'one') =>
    jsonHooks({
      agent,
      wanted: [
        {
          path: ['lanehold', 'PreToolUse'],
          element: { matcher: 'run', hooks: [{ command: line(node, agent) }] },
        },
        { path: ['lanehold', 'Stop'], element: { command: line(node, agent) } },
      ],
    }),
};

describe.each(Object.entries(SHAPES))('%s', (_, shape) => {
  const put = (text: string | undefined, editor = shape('/n')) =>
    editor.plan(FILE, { current: text, bare: text }).text;

  test('go in and out of any JSON without a trace', () => {
    const texts = fc
      .tuple(
        fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 4 }),
        fc.constantFrom(0, 2, '\t'),
      )
      .filter(([value]) => !['hooks', 'lanehold', 'version'].some((key) => key in value))
      .map(([value, indent]) => JSON.stringify(value, null, indent));
    fc.assert(
      fc.property(texts, (before) => shape('/n').withoutOurs(FILE, put(before), before) === before),
      { numRuns: 50 },
    );
  });

  test('are found again with their events, and are known as they were written', () => {
    const text = put('{}');
    const found = shape('/n').find(FILE, text);
    expect(found[0]?.event).toMatch(/^(?:PreToolUse|beforeShell)$/);
    expect(found.at(-1)?.event).not.toBe('hooks');
    for (const { shim } of found) expect(shim).toMatchObject(startOf('/n'));
    expect(shape('/n').plan(FILE, { current: text, bare: '{}' }).state).toBe('current');
    expect(shape('/n').find(FILE, '{"hooks": {"a": [{"command": "echo lanehold"}]}}')).toEqual([]);
  });

  test('are brought up to date where they stand, between those of others', () => {
    const other = put(put('{}'), shape('/n', 'two'));
    const { state, text } = shape('/new').plan(FILE, { current: other, bare: '{}' });
    expect(state).toBe('upgrade');
    expect(text).toBe(put(put('{}', shape('/new')), shape('/n', 'two')));
  });

  test('of two agents in one file do not touch each other', () => {
    const both = put(put('{"a": 1}'), shape('/n', 'two'));
    expect(shape('/n').plan(FILE, { current: both, bare: '{}' }).state).toBe('current');
    const alone = shape('/n').withoutOurs(FILE, both, '{"a": 1}') ?? '';
    expect(shape('/n', 'two').plan(FILE, { current: alone, bare: '{}' }).state).toBe('current');
    expect(shape('/n', 'two').withoutOurs(FILE, alone, '{"a": 1}')).toBe('{"a": 1}');
  });

  test('leave the entries of others in their place', () => {
    const theirs = put('{}').replaceAll(/(['"])lanehold\1/g, '$1other$1');
    const both = put(theirs);
    expect(shape('/n').withoutOurs(FILE, both, theirs)).toBe(theirs);
    expect(both.length).toBeGreaterThan(theirs.length);
  });
});

test('what is no longer wanted is taken out, what is new is added', () => {
  const old = jsonHooks({
    agent: 'one',
    wanted: [inList('gone', { command: line('/n') }), inList('stays', { command: line('/n') })],
  });
  const now = jsonHooks({
    agent: 'one',
    wanted: [inList('stays', { command: line('/n') }), inList('added', { command: line('/n') })],
  });
  const before = old.plan(FILE, { current: undefined, bare: undefined }).text;
  const { hooks } = JSON.parse(now.plan(FILE, { current: before, bare: '{}' }).text);
  expect(Object.keys(hooks)).toEqual(['stays', 'added']);
});

describe('comments', () => {
  const editor = jsonHooks({
    agent: 'one',
    wanted: [inList('before', { command: line('/n') })],
    comments: true,
  });
  test.each([
    ['{\n  // why\n  "a": 1, // so\n}\n'],
    ['{ // nothing yet\n}\n'],
    ['{\n  "a": 1 // last\n}\n'],
    ['{\n  "hooks": {\n    "before": [\n      // none\n    ]\n  } /* end */\n}\n'],
    ['// first\n{}\n// last\n'],
  ])('stay where they are: %j', (before) => {
    const { text } = editor.plan(FILE, { current: before, bare: before });
    for (const [comment] of before.matchAll(/\/\/.*|\/\*.*\*\//g)) expect(text).toContain(comment);
    expect(editor.find(FILE, text)).toHaveLength(1);
    expect(editor.withoutOurs(FILE, text, before)).toBe(before);
  });

  test('that a user puts beside our entries stay, too', () => {
    const { text } = editor.plan(FILE, { current: '{\n  "a": 1\n}\n', bare: '{\n  "a": 1\n}\n' });
    const noted = text.replace('"hooks"', '// mine\n  "hooks"');
    expect(editor.withoutOurs(FILE, noted)).toMatch(/^\{\n {2}"a": 1\n {2}\/\/ mine\s+\}\n$/);
  });
});

test('a line for the shell has no comment sign, and is read back whatever the paths are', () => {
  const path = fc.string().map((it) => `/x/${it.replaceAll(/[\0/]/g, '')}`);
  fc.assert(
    fc.property(path, path, (node, settings) => {
      const given = ['stop', '--agent', 'one'];
      for (const line of [shimCommandLine, scriptCommandLine]) {
        const written = line(startOf(node), settings, { given });
        expect(written).not.toContain('//');
        expect(shimInLine(written)).toEqual({ ...startOf(node), settings, given });
      }
    }),
  );
});

describe('a file of our own', () => {
  const editor = ownFile(`---\nfor: all\n---\n<!-- ${OWN_FILE_MARK} -->\nnew\n`);
  const plan = (current: string | undefined) => editor.plan('/r.md', { current, bare: undefined });

  test('is made, left, and brought up to date', () => {
    const { state, text } = plan(undefined);
    expect(state).toBe('new');
    expect(plan(text)).toEqual({ state: 'current', text });
    expect(plan(text.replace('new', 'old'))).toEqual({ state: 'upgrade', text });
    expect(editor.withoutOurs('/r.md', text.replace('new', 'old'))).toBeUndefined();
  });

  test('never takes the place of a file that somebody else made', () => {
    expect(() => plan('my own rules\n')).toThrow(UserFileError);
    expect(editor.withoutOurs('/r.md', 'my own rules\n')).toBe('my own rules\n');
  });
});

describe('a block between comments', () => {
  const editor = markedBlock('one\ntwo\n');
  const plan = (text: string | undefined) => editor.plan('/a.md', { current: text, bare: text });

  test.each([undefined, '', '# Mine\n', '# Mine', 'a\r\n\r\nb\r\n'])(
    '%j is given back',
    (before) => {
      const { state, text } = plan(before);
      expect(state).toBe('new');
      expect(text).toMatch(/one\r?\ntwo\r?\n/);
      expect(plan(text)).toEqual({ state: 'current', text });
      expect(editor.withoutOurs('/a.md', text, before)).toBe(before ?? '');
    },
  );

  test('is replaced where it stands, and text around it stays', () => {
    const before = `${plan('# Mine\n').text}\nlater\n`;
    const { state, text } = markedBlock('three\n').plan('/a.md', {
      current: before,
      bare: '',
    });
    expect({ state, text }).toEqual({
      state: 'upgrade',
      text: before.replace('one\ntwo', 'three'),
    });
    expect(editor.withoutOurs('/a.md', text, '# Mine\n')).toBe('# Mine\n\nlater\n');
  });

  test('of which the end was lost is for a person', () => {
    const half = plan('').text.split('\n').slice(0, 2).join('\n');
    expect(() => plan(half)).toThrow(UserFileError);
  });
});
