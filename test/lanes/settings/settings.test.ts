import { describe, expect, test } from 'vitest';
import { parseRegistryFile, parseUserFile, userFile } from '../../../src/base/config/files.ts';
import { homeOf } from '../../../src/base/files/home.ts';
import { gitIn } from '../../../src/base/git/git-in.ts';
import { projectPlace } from '../../../src/base/git/project.ts';
import { worktreeRegistry } from '../../../src/features/registry.ts';
import { workspaceOn } from '../../../src/features/workspace.ts';
import { laneSettings } from '../../../src/lanes/settings/settings.ts';
import { openStore } from '../../../src/store/open.ts';
import { sandbox } from '../../support/sandbox.ts';

test('without settings there are defaults', () => {
  expect(laneSettings({}, {})).toEqual({
    agent: 'current',
    workers: new Map(),
    templates: new Map(),
    opposite: new Map([
      ['claude-code', 'codex'],
      ['codex', 'claude-code'],
    ]),
    parallel: undefined,
    attempts: 2,
    validate: undefined,
    setup: undefined,
    setupCache: [],
    ports: 0,
    pullRounds: 3,
    pullEveryMs: 30_000,
    timeoutMs: 7_200_000,
    stallMs: 900_000,
    onStall: 'report',
    accept: [],
    onLimit: 'wait',
    land: 'merge',
    baseline: 'at-once',
    checkpointMs: 60_000,
    proof: {},
    budget: {},
    runBudget: {},
    dayBudget: {},
    worktrees: undefined,
    slots: {},
  });
});

test("for each setting the user's value precedes the repository's", () => {
  const repository = {
    agent: 'codex',
    timeout: '30m',
    validate: 'npm test',
    workers: {
      fast: { adapter: 'codex', model: 'theirs' },
      local: { adapter: 'command', command: ['./agent', '{prompt-file}'] },
    },
    opposite: { codex: 'local' },
    budget: { turns: 10, time: '1h', usd: 5 },
  } as const;
  const user = {
    agent: 'fast',
    workers: { fast: { adapter: 'claude-code', model: 'mine' } },
    budget: { usd: 1 },
    dayBudget: { time: '2d', tokens: 1_000 },
    worktrees: '/data/trees',
    slots: { worker: 2 },
  } as const;
  expect(laneSettings({ ...repository } as never, { ...user } as never)).toMatchObject({
    agent: 'fast',
    timeoutMs: 1_800_000,
    validate: 'npm test',
    workers: new Map<string, unknown>([
      ['fast', { adapter: 'claude-code', model: 'mine', permissions: 'edit', args: [] }],
      [
        'local',
        {
          adapter: 'command',
          command: ['./agent', '{prompt-file}'],
          permissions: 'edit',
          args: [],
        },
      ],
    ]),
    opposite: new Map([
      ['claude-code', 'codex'],
      ['codex', 'local'],
    ]),
    budget: { turns: 10, seconds: 3_600, usd: 1 },
    dayBudget: { seconds: 172_800, tokens: 1_000 },
    worktrees: '/data/trees',
    slots: { worker: 2 },
  });
});

test("both files are read, and again from the attempt's copy", async () => {
  const box = sandbox();
  const repo = box.repo();
  box.write('repo/lanehold.json', '{"lanes": {"agent": "codex", "ports": 2}}');
  box.write('home/.lanehold/config.json', '{"lanes": {"agent": "opposite"}}');
  for (const _ of ['parsed', 'kept']) {
    const store = await openStore(homeOf(box.env));
    const workspace = workspaceOn(
      store,
      projectPlace(repo),
      gitIn(repo, box.env),
      () => new Date(),
    );
    const { lanes } = await worktreeRegistry(workspace);
    expect(laneSettings(lanes, userFile(homeOf(box.env)).lanes ?? {})).toMatchObject({
      agent: 'opposite',
      ports: 2,
    });
    store.close();
  }
});

const inRepository = (text: string): unknown =>
  laneSettings(parseRegistryFile(text).lanes ?? {}, {});

const wrong = (lanes: unknown, parse: (text: string) => unknown = inRepository) => {
  try {
    parse(JSON.stringify({ lanes }));
  } catch (error) {
    const { message, hint } = error as { message: string; hint?: string };
    return `${message.replace(/^\S+ /, '')}${hint === undefined ? '' : ` (${hint})`}`;
  }
  return undefined;
};

describe('a repository cannot set', () => {
  test.each([
    [{ paralel: 2 }, 'unknown key `paralel` in `lanes` (did you mean `parallel`?)'],
    [{ budget: { usb: 2 } }, 'unknown key `usb` in `lanes.budget` (did you mean `usd`?)'],
    [
      { workers: { a: { adapter: 'codex', modle: 'x' } } },
      'unknown key `modle` in `lanes.workers.a` (did you mean `model`?)',
    ],
    [
      { workers: { a: { adapter: 'claude' } } },
      '`lanes.workers.a.adapter` is "claude", not one of `claude-code`, `codex`, `gemini-cli`, `cursor`, `opencode`, `copilot-cli`, `command`',
    ],
    [
      { workers: { current: { adapter: 'codex' } } },
      '`current` is no name of a worker (names begin with a-z or 0-9 and go on with these and `.`, `_`, `-`; `current` and `opposite` are taken)',
    ],
    [
      { workers: { a: { adapter: 'command' } } },
      '`lanes.workers.a` has the adapter `command` and no `command` (add it: an array, the program first)',
    ],
    [
      { workers: { a: { adapter: 'codex', command: ['x'] } } },
      '`lanes.workers.a` has a `command`, which only the adapter `command` runs (set `adapter` to `command`, or name another program with `program`)',
    ],
    [
      { workers: { a: { adapter: 'command', command: [] } } },
      '`lanes.workers.a.command` has no program (write the program first: `["my-agent", "--headless"]`)',
    ],
    [
      { workers: { a: { adapter: 'command', command: ['x', '--f={prompt-file}'] } } },
      '`lanes.workers.a.command[1]` has a placeholder inside of a word (give it an element of its own: `["--prompt", "{prompt-file}"]`)',
    ],
    [
      { workers: { a: { adapter: 'codex', model: '--yolo' } } },
      '`lanes.workers.a.model` begins with `-` (options of the agent go into `args`)',
    ],
    [{ agent: 'Codex!' }, expect.stringContaining('`lanes.agent` is no name of a worker')],
    [{ attempts: 11 }, '`lanes.attempts` is not between 0 and 10 (`0` starts nothing again)'],
    [{ parallel: 1.5 }, '`lanes.parallel` is a number, not a whole number'],
    [
      { timeout: '25h' },
      '`lanes.timeout` is not from 1 ms to 24 hours (write `90s`, `15m` or `2h`)',
    ],
    [
      { stall: 'soon' },
      '`lanes.stall` is no duration (write `90s`, `15m`, `2h` or a number of seconds)',
    ],
    [
      { budget: { time: 'long' } },
      '`lanes.budget.time` is no span of time (write `90s`, `15m`, `2h`, `3d` or a number of seconds)',
    ],
    [
      { budget: { usd: 0 } },
      '`lanes.budget.usd` is not more than 0 (leave the key out for no limit)',
    ],
    [{ validate: ' ' }, '`lanes.validate` says nothing (write a value, or leave the key out)'],
    [{ setup: 'a\u0000b' }, '`lanes.setup` contains a NUL character (remove `\\u0000`)'],
    [{ onStall: 'kill' }, '`lanes.onStall` is "kill", not one of `report`, `stop`'],
    [{ worktrees: '/tmp/x' }, expect.stringContaining('unknown key `worktrees` in `lanes`')],
    [{ slots: { worker: 99 } }, expect.stringContaining('unknown key `slots` in `lanes`')],
  ])('%j', (lanes, problem) => {
    expect(wrong(lanes)).toEqual(problem);
  });
});

test('the user sets the folder of worktrees and the number of slots', () => {
  const parse = (text: string) => parseUserFile(text, 'config.json').lanes ?? {};
  expect(wrong({ worktrees: '/data', slots: { worker: 3 } }, parse)).toBeUndefined();
  expect(wrong({ worktrees: 'trees' }, parse)).toBe(
    '`lanes.worktrees` is no absolute path (write it out in full, from `/`)',
  );
  expect(wrong({ slots: { workers: 3 } }, parse)).toBe(
    'unknown key `workers` in `lanes.slots` (did you mean `worker`?)',
  );
});
