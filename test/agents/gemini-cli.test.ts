import { afterAll, describe, expect, test } from 'vitest';
import { geminiCli } from '../../src/agents/gemini-cli/agent.ts';
import { geminiCliHooks } from '../../src/agents/gemini-cli/hooks.ts';
import { geminiCliInstall as install } from '../../src/agents/gemini-cli/install.ts';
import { PayloadError } from '../../src/agents/kit/payload.ts';
import { EVENT_NAMES, type EventName, type Reply } from '../../src/agents/types.ts';
import { answerInProcess } from '../support/hook-in-process.ts';
import { recordedPayloads, withUnknownFields } from '../support/recorded-payloads.ts';
import { sandbox } from '../support/sandbox.ts';

const { adapter: gemini, capabilities: CAPABILITIES, events: EVENTS } = geminiCliHooks;

const recorded = recordedPayloads('gemini-cli');
const project = '/home/dev/project';

const shell = (command: string) => ({ call: { tool: 'shell', command, edited: [] } });
const edit = { call: { tool: 'edit', paths: [`${project}/src/app.txt`] } };
const other = (name: string) => ({ call: { tool: 'other', name } });

/** What a file is for us beyond its event; the others have nothing more. */
const MORE: Readonly<Record<string, object>> = {
  'SessionStart.startup': { source: 'new' },
  'SessionStart.resume': { source: 'resumed' },
  'SessionStart.clear': { source: 'cleared' },
  'BeforeTool.run_shell_command': { ...shell('git push origin HEAD'), cwd: project },
  'BeforeTool.run_shell_command.background': shell('sleep 2; echo bgdone'),
  'BeforeTool.write_file': edit,
  // As the model wrote it: relative.
  'BeforeTool.replace': edit,
  'BeforeTool.mcp_tiny_add': { call: { tool: 'mcp', server: 'tiny', name: 'add' } },
  'BeforeTool.invoke_agent': other('invoke_agent'),
  'BeforeTool.write_todos': other('write_todos'),
  'AfterTool.write_file': { ...edit, failed: false },
  'AfterTool.replace': { ...edit, failed: false },
  'AfterTool.replace.failed': { ...edit, failed: true },
  'AfterTool.write_todos': {
    kind: 'tasks',
    change: { of: 'all', tasks: [{ title: 'a', status: 'in_progress' }] },
  },
  'BeforeAgent.after-sessionstart-context': { prompt: 'Change the file, commit it and push it.' },
  AfterAgent: { continued: false },
  'AfterAgent.retry': { continued: true },
  'SessionEnd.exit': { reason: 'exit' },
};

/** No hook of ours is asked for these. */
const NOT_ASKED_FOR = /^(?:BeforeModel|AfterModel|BeforeToolSelection|Notification|PreCompress)\b/;
const asked = recorded.names.filter((it) => !NOT_ASKED_FOR.test(it));

function eventOf(name: string): EventName {
  const event = EVENT_NAMES.find(
    (it) => (EVENTS as Partial<Record<EventName, string>>)[it] === name.split('.')[0],
  );
  if (event === undefined) throw new Error(`${name} is of no event`);
  return event;
}

describe('parse', () => {
  test.each(asked)('understands the recorded %s', (name) => {
    const payload = recorded.read(name);
    const event = eventOf(name);
    const expected = { session: payload.session_id, cwd: project, kind: event, ...MORE[name] };
    expect(gemini.parse(event, payload, '/elsewhere')).toMatchObject(expected);
    expect(gemini.parse(event, withUnknownFields(payload), '/elsewhere')).toMatchObject(expected);
  });

  test('each of them says more than that it happened, or is expected to', () => {
    expect(Object.keys(MORE).filter((it) => !asked.includes(it))).toEqual([]);
  });

  const callOf = (fields: object) => ({
    ...recorded.read('BeforeTool.run_shell_command'),
    ...fields,
  });

  test('a command runs in its `dir_path`, an edit is where the client says that it was', () => {
    const input = { command: 'git push', dir_path: 'packages/app' };
    expect(gemini.parse('before-tool', callOf({ tool_input: input }), '/')).toMatchObject({
      cwd: `${project}/packages/app`,
    });
    const written = { ...recorded.read('AfterTool.replace'), tool_input: { file_path: 'app.txt' } };
    expect(gemini.parse('after-tool', written, '/')).toMatchObject(edit);
  });

  test('a compaction is one that the user asked for: the other event comes before each request', () => {
    const auto = recorded.read('PreCompress.auto');
    expect(gemini.parse('before-compact', auto, '/')).toBeUndefined();
    expect(gemini.parse('before-compact', recorded.read('PreCompress.manual'), '/')).toMatchObject({
      kind: 'before-compact',
    });
  });

  test('a list of tasks that the client refused is no list; a cancelled task is dropped', () => {
    const list = recorded.read('AfterTool.write_todos');
    const refused = { ...list, tool_response: { error: { message: 'two in progress' } } };
    expect(gemini.parse('after-tool', refused, '/')).toBeUndefined();
    const todos = [{ description: 'a', status: 'cancelled' }, { description: 'b' }, 7];
    expect(gemini.parse('after-tool', { ...list, tool_input: { todos } }, '/')).toMatchObject({
      change: {
        tasks: [
          { title: 'a', status: 'dropped' },
          { title: 'b', status: 'pending' },
        ],
      },
    });
  });

  test('a tool of a server without the words beside it', () => {
    const payload = callOf({ tool_name: 'mcp_github_push_files', tool_input: { a: 1 } });
    expect(gemini.parse('before-tool', payload, '/')).toMatchObject({
      call: { tool: 'mcp', server: 'github', name: 'push_files', input: { a: 1 } },
    });
  });

  test.each([
    ['no object', 7],
    ['no tool', callOf({ tool_name: undefined })],
    ['no input', callOf({ tool_input: 'ls' })],
    ['no command', callOf({ tool_input: {} })],
    ['a folder that is no text', callOf({ tool_input: { command: 'ls', dir_path: ['/tmp'] } })],
    ['a file that is no path', callOf({ tool_name: 'write_file', tool_input: { file_path: '' } })],
  ])('before a tool, %s is an error; otherwise it is no event', (_, payload) => {
    expect(() => gemini.parse('before-tool', payload, '/')).toThrow(PayloadError);
    expect(gemini.parse('after-tool', payload, '/')).toBeUndefined();
  });
});

describe('render', () => {
  const reason = 'lanehold holds this push: cart';

  test('a denial is JSON on stdout and nothing else, because other text would be read in its place', () => {
    const output = gemini.render('before-tool', { decision: 'deny', reason });
    expect(output).toEqual({ stdout: expect.any(String), stderr: '', exitCode: 0 });
    expect(JSON.parse(output.stdout)).toEqual({ decision: 'deny', reason });
  });

  test('a question would wait for ever without a person: it is a denial that says who has to do it', () => {
    const { stdout } = gemini.render('before-tool', { decision: 'ask', reason });
    expect(JSON.parse(stdout)).toEqual({
      decision: 'deny',
      reason: expect.stringMatching(/cart\n.*a person/),
    });
  });

  test('a rewritten command comes with all its other arguments, because they are replaced as a whole', () => {
    const payload = {
      ...recorded.read('BeforeTool.run_shell_command'),
      tool_input: { command: 'git push', dir_path: 'src', description: 'push' },
    };
    const event = gemini.parse('before-tool', payload, '/');
    if (event?.kind !== 'before-tool' || event.call.tool !== 'shell') throw new Error('no shell');
    const input = event.call.rewritten?.('true && git push') ?? {};
    const { stdout } = gemini.render('before-tool', { decision: 'rewrite', input, context: 'why' });
    expect(JSON.parse(stdout)).toEqual({
      systemMessage: 'why',
      hookSpecificOutput: {
        hookEventName: 'BeforeTool',
        tool_input: { command: 'true && git push', dir_path: 'src', description: 'push' },
      },
    });
  });

  const replies: readonly Reply[] = [
    { decision: 'none' },
    { decision: 'none', context: 'news' },
    { decision: 'deny', reason },
    { decision: 'ask', reason },
  ];

  test.each(EVENT_NAMES)('%s: nothing, or one JSON document, and always exit code 0', (event) => {
    for (const reply of replies) {
      const { stdout, stderr, exitCode } = gemini.render(event, reply);
      expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
      if (stdout === '') continue;
      // A refusal at the end of a turn would make the agent go on for ever.
      if (event !== 'before-tool') expect(JSON.parse(stdout)).not.toHaveProperty('decision');
    }
    expect(gemini.render(event, { decision: 'none' }).stdout).toBe('');
  });

  test.each(CAPABILITIES.takesContext)('%s takes text', (event) => {
    const { stdout } = gemini.render(event, { decision: 'none', context: 'news' });
    expect(JSON.parse(stdout)).toEqual({
      hookSpecificOutput: {
        hookEventName: (EVENTS as Partial<Record<EventName, string>>)[event],
        additionalContext: 'news',
      },
    });
  });
});

describe('the hook program', () => {
  const box = sandbox(afterAll);
  const hook = (input: string, args = ['before-tool', '--agent', 'gemini-cli']) =>
    answerInProcess({ args, cwd: box.root, env: box.env, input });
  const push = JSON.stringify(recorded.read('BeforeTool.run_shell_command'));

  test.each([
    ['cut short', push.slice(0, push.indexOf('HEAD'))],
    ['no JSON', 'git push'],
  ])('denies a payload that is %s and has a release word', async (_, input) => {
    const { stdout, exitCode } = await hook(input);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ decision: 'deny' });
  });

  test.each([
    ['without such a word', push.replace('git push', 'git log').slice(0, -20)],
    ['of an edit', '{"tool_name":"write_file","tool_input":{"content":"git push'],
    ['of another agent, that is harmless', '{"toolName":"bash","toolArgs":{"command":"ls"}}'],
  ])('says nothing to a payload %s', async (_, input) => {
    expect(await hook(input)).toMatchObject({ stdout: '', stderr: '', exitCode: 0 });
  });

  test('is answered in its own form where an entry for another agent was copied', async () => {
    const args = ['before-tool', '--agent', 'claude-code'];
    const cut = JSON.stringify({ ...JSON.parse(push), tool_input: { command: 7 } });
    const { stdout } = await hook(`${cut.slice(0, -1)},"x":"git push"}`, args);
    expect(JSON.parse(stdout)).toMatchObject({ decision: 'deny' });
    expect(geminiCli.hooks?.sends?.(JSON.parse(push), {})).toBe(true);
    const start = recorded.read('SessionStart.startup');
    const own = { GEMINI_SESSION_ID: String(start.session_id) };
    expect(geminiCli.hooks?.sends?.(start, own)).toBe(true);
    expect(geminiCli.hooks?.sends?.(start, {})).toBe(false);
  });
});

describe('installation', () => {
  const place = { env: { HOME: '/home/dev' }, cwd: '/' };
  const start = { node: '/n/node', hook: '/p/hook.cjs', script: '/home/dev/.lanehold/hook.sh' };
  const texts = { current: undefined, bare: undefined };

  test('is an extension of its own, whose hooks run in every folder', () => {
    const planned = install
      .files('user', place, start)
      .filter(({ file }) => file.endsWith('.json'))
      .map(({ file, editor }) => [file, JSON.parse(editor.plan(file, texts).text)] as const);
    const [[hooksFile, hooks], [manifestFile, manifest]] = planned as [
      (typeof planned)[0],
      (typeof planned)[0],
    ];
    expect(hooksFile).toBe('/home/dev/.gemini/extensions/lanehold/hooks/hooks.json');
    expect(manifestFile).toBe('/home/dev/.gemini/extensions/lanehold/gemini-extension.json');
    expect(manifest).toMatchObject({ name: 'lanehold', version: expect.any(String) });
    expect(Object.keys(hooks.hooks)).toEqual(Object.values(EVENTS));
    for (const [group] of Object.values<[{ hooks: { timeout: number; command: string }[] }]>(
      hooks.hooks,
    )) {
      const [entry] = group.hooks;
      // Milliseconds: with seconds every hook would end at once, and nothing be held.
      expect(entry?.timeout).toBeGreaterThanOrEqual(10_000);
      // A program that is not there would block all tools and prompts.
      expect(entry?.command).toMatch(/^\/bin\/sh -c /);
      expect(entry?.command).toContain('exit 0');
      // The client puts values in the place of these.
      expect(entry?.command).not.toMatch(/\$\{/);
    }
  });

  test.each([
    ['run_shell_command', true],
    ['write_file', true],
    ['replace', true],
    ['mcp_github_push_files', true],
    ['read_file', false],
    ['run_shell_command_log', false],
  ])('before the tool %s a hook is asked: %s', (tool, isAsked) => {
    const [file] = install.files('user', place, start);
    const { hooks } = JSON.parse(file?.editor.plan(file.file, texts).text ?? '');
    expect(new RegExp(hooks.BeforeTool[0].matcher).test(tool)).toBe(isAsked);
  });

  test('of compactions only those that the user asks for start a hook', () => {
    const [file] = install.files('user', place, start);
    const { hooks } = JSON.parse(file?.editor.plan(file.file, texts).text ?? '');
    expect(hooks.PreCompress).toMatchObject([{ matcher: 'manual' }]);
  });

  test('follows the variable that takes the place of the home folder', () => {
    const [file] = install.files('user', { ...place, env: { GEMINI_CLI_HOME: '/other' } }, start);
    expect(file?.file).toBe('/other/.gemini/extensions/lanehold/hooks/hooks.json');
  });

  test.each([
    ['{ "hooksConfig": { "enabled": false } } // off', 'hooksConfig.enabled'],
    ['{"hooksConfig":{"disabled":["lanehold before-tool"]}}', 'hooksConfig.disabled'],
    ['{"security":{"allowedExtensions":["^https://example.com/"]}}', 'security.allowedExtensions'],
    ['{"lanehold":{"overrides":["!/home/dev/*"]}}', 'lanehold.overrides'],
    ['{"hooksConfig":{"enabled":true,"disabled":["theirs"]}}', undefined],
    ['{"lanehold":{"overrides":["/home/dev/*"]}}', undefined],
    ['no JSON', undefined],
  ])('%s switches off: %s', (text, key) => {
    expect(install.offSwitches?.('/s.json', text)).toEqual(key === undefined ? [] : [key]);
  });
});
