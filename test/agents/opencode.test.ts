/** The plugin inside of the client, what it sends, and what becomes of the answers. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { runsNoRelease } from '../../src/agents/kit/hook-shim.ts';
import { PayloadError } from '../../src/agents/kit/payload.ts';
import { opencodeHooks } from '../../src/agents/opencode/hooks.ts';
import { Lanehold } from '../../src/agents/opencode/plugin.ts';
import { EVENT_NAMES, type EventName, type Reply } from '../../src/agents/types.ts';
import type { JsonObject } from '../../src/base/text/json.ts';
import { recordedPayloads, withUnknownFields } from '../support/recorded-payloads.ts';
import { sandbox } from '../support/sandbox.ts';

const { adapter: opencode, capabilities: CAPABILITIES } = opencodeHooks;

const recorded = recordedPayloads('opencode');
const project = '/home/dev/project';
const box = sandbox(afterAll);
/** The client works here; what it says of other folders stays as it was recorded. */
const directory = box.repo('project');

const log = join(box.root, 'log');
const answer = join(box.root, 'answer');
const code = join(box.root, 'code');
/** In place of the hook program: writes down in one piece what it is sent, and answers what a test wants. */
const STAND_IN = `printf '%s %s\\n' "$1" "$(cat)" >>${log}
[ -f ${answer} ] && cat ${answer}; [ -f ${code} ] && exit $(cat ${code}); exit 0`;

beforeEach(() => {
  for (const it of [log, answer, code]) rmSync(it, { force: true });
  vi.stubGlobal('START', { program: '/bin/sh', args: ['-c', STAND_IN, 'lanehold'] });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

type Hook = (input: unknown, output: unknown) => Promise<void>;
type Hooks = Readonly<Record<string, Hook>>;
const load = async (): Promise<Hooks> => (await Lanehold({ directory })) as unknown as Hooks;

/** What the program was sent: the event and the payload of each start. */
const asked = (): readonly (readonly [EventName, JsonObject])[] =>
  (existsSync(log) ? readFileSync(log, 'utf8') : '')
    .split('\n')
    .filter((it) => it !== '')
    .map((line) => {
      const end = line.indexOf(' ');
      return [line.slice(0, end) as EventName, JSON.parse(line.slice(end))];
    });

/** Plays a recorded call of a hook; what it was called with is returned as it is then. */
async function play(hooks: Hooks, name: string, changes: object = {}) {
  const { event, input, output } = structuredClone(recorded.read(name));
  const given = event === undefined ? { ...(input as object), ...changes } : { event, ...changes };
  await hooks[hookOf(name)]?.(given, output);
  return { input: given, output } as { input: JsonObject; output: JsonObject };
}

const hookOf = (name: string): string =>
  Object.keys(HOOKS).find((it) => name === it || name.startsWith(`${it}.`)) ?? '';
const HOOKS: Readonly<Record<string, true>> = {
  config: true,
  'chat.message': true,
  event: true,
  'experimental.chat.system.transform': true,
  'experimental.session.compacting': true,
  'shell.env': true,
  'tool.execute.after': true,
  'tool.execute.before': true,
};

/** What the hook program hears of each recorded call; of the others it hears nothing. */
const HEARD: Readonly<Record<string, object>> = {
  'tool.execute.before.bash': { call: { tool: 'shell', command: 'git push origin HEAD' } },
  'tool.execute.before.edit': { call: { tool: 'edit', paths: [`${directory}/src/app.txt`] } },
  'tool.execute.before.write': { call: { tool: 'edit', paths: [`${directory}/src/new.txt`] } },
  'tool.execute.before.apply_patch': {
    call: { tool: 'edit', paths: [`${directory}/src/app.txt`, `${directory}/src/added.txt`] },
  },
  'tool.execute.before.tiny_add': {
    call: { tool: 'mcp', server: 'tiny', name: 'add', input: { a: 2, b: 3 } },
  },
  'tool.execute.after.edit': { kind: 'after-tool', call: { tool: 'edit' } },
  'tool.execute.after.write': { kind: 'after-tool', call: { tool: 'edit' } },
  'tool.execute.after.apply_patch': { kind: 'after-tool', call: { tool: 'edit' } },
  'tool.execute.after.todowrite': {
    kind: 'tasks',
    change: { of: 'all', tasks: [{ title: 'a', status: 'in_progress' }] },
  },
  'chat.message': { kind: 'session-start', source: 'resumed' },
  'chat.message.subagent': { kind: 'session-start', source: 'resumed' },
  'experimental.session.compacting': { kind: 'before-compact' },
  'event.session.compacted': { kind: 'session-start', source: 'compacted' },
  'event.session.idle': { kind: 'stop', continued: false },
};

describe('what the plugin sends', () => {
  test.each(recorded.names)('of the recorded %s', async (name) => {
    const hooks = await load();
    const { input, output } = await play(hooks, name);
    await hooks.dispose?.({}, {});
    const [first] = asked().filter(([, payload]) => payload.hook !== 'dispose');
    expect(first !== undefined).toBe(name in HEARD);
    if (first === undefined) return;
    const [event, payload] = first;
    const session = expect.stringMatching(/^ses_/);
    for (const sent of [payload, withUnknownFields(payload)]) {
      expect(opencode.parse(event, sent, '/elsewhere')).toMatchObject({
        session,
        cwd: directory,
        ...HEARD[name],
      });
    }
    // Without an answer nothing is changed.
    const { input: before, output: unchanged } = recorded.read(name);
    expect(output).toEqual(unchanged);
    if (before !== undefined) expect(input).toEqual(before);
  });

  test('the session of a sub-agent is told nothing, does not stop, and its commands are asked about', async () => {
    const hooks = await load();
    await play(hooks, 'event.session.created');
    await play(hooks, 'event.session.created.subagent');
    const { sessionID } = (await play(hooks, 'chat.message.subagent')).input;
    const idle = { type: 'session.idle', properties: { sessionID } };
    await hooks.event?.({ event: idle }, undefined);
    await play(hooks, 'tool.execute.before.bash', { sessionID });
    expect(asked().map(([event, { session }]) => [event, session])).toEqual([
      ['before-tool', sessionID],
    ]);
  });

  test('a session is told all at its first prompt, and what is new at the next ones', async () => {
    const hooks = await load();
    await play(hooks, 'event.session.created');
    await play(hooks, 'chat.message');
    await play(hooks, 'chat.message');
    const words = '"Change the file, commit it and push it."';
    expect(asked().map(([event, { start, prompt }]) => [event, start ?? prompt])).toEqual([
      ['session-start', 'new'],
      ['prompt-submit', words],
      ['prompt-submit', words],
    ]);
  });

  test('sessions end with the client', async () => {
    const hooks = await load();
    await play(hooks, 'chat.message');
    await play(hooks, 'event.session.idle');
    await hooks.dispose?.({}, {});
    expect(asked().map(([event]) => event)).toEqual([
      'session-start',
      'prompt-submit',
      'stop',
      'session-end',
    ]);
  });

  test('the server of a tool is known from the configuration', async () => {
    const hooks = await load();
    await hooks.config?.({ mcp: { my: {}, 'my hub': {} } }, undefined);
    await play(hooks, 'tool.execute.before.tiny_add', { tool: 'my_hub_push_files' });
    const [[event, payload] = ['stop' as const, {}]] = asked();
    expect(opencode.parse(event, payload, '/')).toMatchObject({
      call: { tool: 'mcp', server: 'my_hub', name: 'push_files' },
    });
  });

  test('a command is recorded with the session that ran it', async () => {
    const hooks = await load();
    const { input, output } = { input: { sessionID: 'ses_1' }, output: { env: {} } };
    await hooks['shell.env']?.(input, output);
    expect(output.env).toEqual({ OPENCODE_SESSION_ID: 'ses_1' });
  });

  test('of two copies of the plugin one asks', async () => {
    const copies = [await load(), await load()];
    const { event } = recorded.read('event.session.idle');
    const { input, output } = structuredClone(recorded.read('tool.execute.before.bash'));
    for (const hooks of copies) {
      await hooks.event?.({ event }, undefined);
      await hooks['tool.execute.before']?.(input, output);
      await hooks.dispose?.({}, {});
    }
    expect(
      asked()
        .map(([name]) => name)
        .toSorted(),
    ).toEqual(['before-tool', 'stop']);
  });

  test('switched off, it does nothing', async () => {
    vi.stubEnv('LANEHOLD_DISABLE', '1');
    expect(await load()).toEqual({});
    vi.unstubAllEnvs();
  });
});

describe('what becomes of an answer', () => {
  const answers = (reply: Reply, event: EventName = 'before-tool') => {
    const { stdout, exitCode } = opencode.render(event, reply);
    box.write('answer', stdout);
    box.write('code', String(exitCode));
  };

  test.each(['deny', 'ask'] as const)('%s is thrown, with the reason alone', async (decision) => {
    answers({ decision, reason: 'lanehold holds this push: cart' });
    const thrown = play(await load(), 'tool.execute.before.bash');
    await expect(thrown).rejects.toThrow(/^lanehold holds this push: cart/);
    await expect(thrown.catch(({ message }) => message.includes('a person has to'))).resolves.toBe(
      decision === 'ask',
    );
  });

  test('another command is put into the arguments that are there, and the model is told', async () => {
    const hooks = await load();
    const { input, output } = structuredClone(recorded.read('tool.execute.before.bash')) as {
      input: JsonObject;
      output: { args: object };
    };
    const { args } = output;
    answers({
      decision: 'rewrite',
      input: { ...args, command: 'other' },
      context: 'lanehold: other',
    });
    await hooks['tool.execute.before']?.(input, output);
    expect(output.args).toBe(args);
    expect(args).toEqual({ command: 'other', description: 'Publish the branch' });
    const after = { output: 'done', title: '', metadata: {} };
    await hooks['tool.execute.after']?.({ ...input, args }, after);
    expect(after.output).toBe('done\n\nlanehold: other');
  });

  test('what is to be said after an edit stands behind its result', async () => {
    answers({ decision: 'none', context: 'lanehold: cart' }, 'after-tool');
    const { output } = await play(await load(), 'tool.execute.after.edit');
    expect(output.output).toBe('Edit applied successfully.\n\nlanehold: cart');
  });

  test('a session is told at its start and at the prompt, in one part behind the prompt', async () => {
    answers({ decision: 'none', context: 'lanehold: cart is held' }, 'session-start');
    const { output } = await play(await load(), 'chat.message');
    const { message, parts } = output as { message: { id: string }; parts: JsonObject[] };
    expect(parts[1]).toEqual({
      id: expect.stringMatching(/^prt_\w{26}$/),
      messageID: message.id,
      sessionID: expect.stringMatching(/^ses_/),
      type: 'text',
      text: 'lanehold: cart is held\n\nlanehold: cart is held',
      synthetic: true,
    });
    expect(parts).toHaveLength(2);
  });

  test('after a compaction each request says again what was lost', async () => {
    const hooks = await load();
    answers({ decision: 'none', context: 'lanehold: your tasks' }, 'session-start');
    const { sessionID } = (recorded.read('event.session.compacted').event as JsonObject)
      .properties as JsonObject;
    await play(hooks, 'event.session.compacted');
    for (const [session, expected] of [
      [sessionID, ['lanehold: your tasks']],
      [sessionID, ['lanehold: your tasks']],
      ['ses_other', []],
    ]) {
      const output = { system: [] };
      await hooks['experimental.chat.system.transform']?.({ sessionID: session }, output);
      expect(output.system).toEqual(expected);
    }
  });
});

describe('where the hook program does not answer', () => {
  const command = async (line: string) => {
    const hooks = await load();
    const before = hooks['tool.execute.before'];
    const input = { tool: 'bash', sessionID: 'ses_1', callID: 'call_1' };
    return before?.(input, { args: { command: line, description: 'push it' } });
  };
  const HOLDS = 'lanehold holds this command: its hook program could not look at it';

  test.each([
    ['is not there', '/nowhere/sh', []],
    ['fails', '/bin/sh', ['-c', 'exit 1']],
    ['prints what nobody can read', '/bin/sh', ['-c', 'echo hello']],
    ['is killed', '/bin/sh', ['-c', 'kill -9 $$']],
  ])('if it %s, a release word is refused and the rest runs', async (_, program, args) => {
    vi.stubGlobal('START', { program, args, runsNoRelease: runsNoRelease() });
    await expect(command('git push')).rejects.toThrow(HOLDS);
    await expect(command('git status')).resolves.toBeUndefined();
    const edit = play(await load(), 'tool.execute.before.write', {});
    await expect(edit).resolves.toBeDefined();
    await expect(play(await load(), 'chat.message')).resolves.toBeDefined();
  });

  test('if it takes too long, too', async () => {
    const args = ['-c', 'exec tail -f /dev/null'];
    vi.stubGlobal('START', { program: '/bin/sh', args, runsNoRelease: runsNoRelease() });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const ended = [command('git push'), command('git status')];
    const settled = Promise.allSettled(ended);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await settled).toMatchObject([
      { status: 'rejected', reason: { message: expect.stringContaining('within 60 s') } },
      { status: 'fulfilled' },
    ]);
  });

  test('exit code 2 refuses, with what stands on stderr', async () => {
    vi.stubGlobal('START', { program: '/bin/sh', args: ['-c', 'echo held >&2; exit 2'] });
    await expect(command('git status')).rejects.toThrow(/^held$/);
  });

  test('the folder of the session is gone', async () => {
    const hooks = (await Lanehold({ directory: '/nowhere' })) as unknown as Hooks;
    await expect(play(hooks, 'tool.execute.before.bash')).rejects.toThrow(HOLDS);
  });
});

describe('parse', () => {
  const payload = { hook: 'tool.execute.before', directory: project, session: 's' };
  const toolCall = (tool: string, args: unknown) =>
    opencode.parse('before-tool', { ...payload, tool, args }, '/');

  test('a command may name a folder and a time of its own', () => {
    const args = { command: 'ls', workdir: 'src', timeout: 5_000, description: 'x' };
    const heard = toolCall('bash', args);
    expect(heard).toMatchObject({
      cwd: `${project}/src`,
      call: { tool: 'shell', command: 'ls', timeLimitMs: 5_000, edited: [] },
    });
    const { call } = heard as { call: { rewritten(command: string): object } };
    expect(call.rewritten('pwd')).toEqual({ ...args, command: 'pwd' });
  });

  test('tools that read, and unknown ones without a server, are named', () => {
    for (const name of ['read', 'plan_enter', 'mine'])
      expect(toolCall(name, {})).toMatchObject({ call: { tool: 'other', name } });
  });

  test.each([
    ['"Say \\"hi\\", then go."', 'Say "hi", then go.'],
    ['"one" and "two"', '"one" and "two"'],
    ['go', 'go'],
  ])('the prompt %s is %s', (prompt, words) => {
    const sent = { ...payload, hook: 'chat.message', prompt };
    expect(opencode.parse('prompt-submit', sent, '/')).toMatchObject({ prompt: words });
  });

  test('tasks: what is none is left out', () => {
    const todos = [7, { content: 'a', status: 'cancelled' }, { content: 'b' }, { status: 'x' }];
    const sent = { ...payload, tool: 'todowrite', args: { todos } };
    expect(opencode.parse('after-tool', sent, '/')).toMatchObject({
      change: {
        of: 'all',
        tasks: [
          { title: 'a', status: 'dropped' },
          { title: 'b', status: 'pending' },
        ],
      },
    });
  });

  test.each([
    ['no object', []],
    ['no tool', payload],
    ['no command', { ...payload, tool: 'bash', args: {} }],
    ['a command that is no text', { ...payload, tool: 'bash', args: { command: 7 } }],
    ['no file', { ...payload, tool: 'edit', args: {} }],
  ])('before a tool, %s is an error; otherwise it is no event', (_, sent) => {
    expect(() => opencode.parse('before-tool', sent, '/')).toThrow(PayloadError);
    expect(opencode.parse('after-tool', sent, '/')).toBeUndefined();
  });
});

describe('render', () => {
  test.each(EVENT_NAMES)(
    '%s: text goes only where it can be shown, a denial only before a tool',
    (event) => {
      const shown = opencode.render(event, { decision: 'none', context: 'news' });
      const takes = CAPABILITIES.takesContext.includes(event);
      expect(shown).toEqual({ stdout: takes ? '{"context":"news"}' : '', stderr: '', exitCode: 0 });
      expect(opencode.render(event, { decision: 'none' }).stdout).toBe('');
      const { exitCode } = opencode.render(event, { decision: 'deny', reason: 'no' });
      expect(exitCode).toBe(event === 'before-tool' ? 2 : 0);
    },
  );
});

test('a payload that is cut short is denied if a release word stands in its command', async () => {
  const text = JSON.stringify({
    hook: 'tool.execute.before',
    directory,
    session: 's',
    tool: 'bash',
    args: { command: 'git push origin' },
  });
  const by = { agent: 'opencode' };
  const cut = text.slice(0, text.indexOf('origin'));
  const denied = await box.hook('before-tool', cut, by);
  expect(denied).toMatchObject({ exitCode: 2, stdout: expect.stringContaining('"deny":"') });
  expect(await box.hook('before-tool', cut.replace('push', 'log'), by)).toMatchObject({
    stdout: '',
  });
  const edit = cut.replace('"bash"', '"write"').replace('"command"', '"content"');
  expect(await box.hook('before-tool', edit, by)).toMatchObject({ stdout: '', exitCode: 0 });
});
