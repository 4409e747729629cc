/**
 * Eight ways in which the hooks of an agent die in silence, and which layer notices: git's own hook below
 * the agent, the hooks that still run, the next session with hooks, another agent, `lanehold status`.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { AgentDefinition } from '../../../src/agents/definition.ts';
import { agentsWith } from '../../../src/agents/registry.ts';
import type { EventName, HookEvent } from '../../../src/agents/types.ts';
import { homeOf } from '../../../src/base/files/home.ts';
import { answerCall } from '../../../src/moments/hook/answer.ts';
import { handle } from '../../../src/moments/lifecycle/handle.ts';
import { AT_ONCE } from '../../../src/moments/lifecycle/handler.ts';
import { type EventStore, openEventStore } from '../../../src/store/event-store.ts';
import { openStore } from '../../../src/store/open.ts';
import { command } from '../../support/command.ts';
import { beforeCommand, promptSubmit, sessionStart, stop } from '../../support/payloads.ts';
import { type Payload, sandbox } from '../../support/sandbox.ts';
import { shop } from '../../support/shop.ts';
import { TRANSCRIPT_WRITERS, type TranscriptWish } from '../../support/transcripts.ts';

const PUSH = 'git push origin main';
const AGENT = 'claude-code';

/** By which the processes below an agent know it, where it sets no variable. */
const programOf = (it: AgentDefinition | undefined): string | undefined =>
  it?.guards?.programs?.[0] ?? it?.worker?.program;

const INSTALLED = agentsWith('hooks').filter(({ install }) => install !== undefined);

/** A project in which an agent works, with its hooks installed. */
async function working({ agent = AGENT, install = true } = {}) {
  const box = sandbox();
  const { repo, git, change } = shop(box);
  const lanehold = (...argv: string[]) => command(box, repo, argv);
  if (install) await lanehold('install', '--agent', agent, '--no-git-hook');
  const definition = agentsWith('hooks').find(({ name }) => name === agent);
  const { marks } = definition ?? {};
  const settings = join(box.home, '.claude/settings.json');

  return {
    box,
    repo,
    settings,
    change,
    lanehold,
    /** What the model is told; '' if nothing. */
    async hook(event: EventName, payload: Payload & object, more: object = {}): Promise<string> {
      const ran = await box.hook(event, { ...payload, ...more }, { cwd: repo });
      return ran.stdout === '' ? '' : JSON.parse(ran.stdout).hookSpecificOutput.additionalContext;
    },
    /** What is done with an event, from whatever payload it was read. */
    async event(event: HookEvent): Promise<void> {
      const store = await openStore(homeOf(box.env));
      const at = { env: box.env, now: () => new Date(), store: async () => store };
      const caller = { ...AT_ONCE, ...at, agent };
      await handle(event, caller);
      store.close();
    },
    /** What git's hook prints below the agent. */
    async gitHook(
      session: string,
      env: Readonly<Record<string, string>> = {},
      parents = [['sh'], [programOf(definition) ?? 'init']],
      now = () => new Date(),
    ): Promise<string> {
      const oid = git('rev-parse', 'HEAD');
      const marked = Object.fromEntries((marks?.present ?? []).map((it) => [it, '1']));
      const named = marks?.session === undefined ? {} : { [marks.session]: session };
      let store: Promise<EventStore> | undefined;
      const all = { ...box.env, ...marked, ...named, ...env };
      const { stderr } = await answerCall({
        args: ['git-pre-push', '', 'origin', join(box.root, 'remote.git')],
        env: all,
        input: () =>
          Buffer.from(
            `refs/heads/main ${oid} refs/heads/main ${git('rev-parse', 'origin/main')}\n`,
          ),
        cwd: () => repo,
        now,
        store: () => {
          store ??= openEventStore(homeOf(all));
          return store;
        },
        onTerminal: () => false,
        parents: async () => parents,
        id: undefined,
        isAwaited: async () => true,
      });
      (await store)?.close();
      return stderr;
    },
    transcript: (wish: Omit<TranscriptWish, 'cwd'>): string =>
      TRANSCRIPT_WRITERS[agent]?.(box, { cwd: repo, ...wish }) ?? '',
    async gaps(env: Readonly<Record<string, string>> = {}) {
      const { stdout } = await command(box, repo, ['status', '--json'], { env });
      return JSON.parse(stdout).gaps;
    },
  };
}

type Working = Awaited<ReturnType<typeof working>>;

const inSession = (id: string, transcript?: string) => ({
  session_id: id,
  ...(transcript && { transcript_path: transcript }),
});

/** A session of an agent whose hooks do their work. */
async function livingSession(it: Working, session: string): Promise<void> {
  await it.hook('session-start', sessionStart(it.repo), inSession(session));
  await it.hook('before-tool', beforeCommand(it.repo, PUSH), inSession(session));
  const transcript = it.transcript({ session, ran: [{ command: PUSH }] });
  await it.hook('stop', stop(it.repo), inSession(session, transcript));
}

/** The settings with another value for one hook, or another key. */
function changeSettings(
  { settings }: Working,
  change: (it: Record<string, unknown>) => void,
): void {
  const parsed = JSON.parse(readFileSync(settings, 'utf8'));
  change(parsed);
  writeFileSync(settings, JSON.stringify(parsed));
}

const agents = INSTALLED.map((it) => ({
  ...{ name: it.name, title: it.title },
  // An editor is no sign of its agent: a person's own terminal runs below it, too.
  isKnown: it.marks.present.length > 0 || programOf(it) !== undefined,
}));

describe.each(agents)('$name', ({ name, title, isKnown }) => {
  test.runIf(isKnown)(
    '1. trust lost: a push that its hook was not asked about is noticed by git’s own',
    async () => {
      const it = await working({ agent: name });
      it.change('README.md');
      expect(await it.gitHook('s2')).toContain(
        `lanehold: ${title} did not start its hook before this push, only git’s own ran.`,
      );
      expect(await it.gitHook('s2')).toBe('');
      const tomorrow = () => new Date(Date.now() + 25 * 60 * 60_000);
      expect(await it.gitHook('s2', {}, undefined, tomorrow)).toContain('did not start its hook');
      expect(await it.gaps()).toMatchObject([
        { agent: name, kind: 'unseen', moment: 'before-tool', since: expect.any(String) },
      ]);
      expect((await it.lanehold('status')).stdout).toMatch(
        /warning: .*found by git’s own hook; run/,
      );
      expect((await it.lanehold('statusline')).stdout).toContain(`unguarded: ${name}`);
    },
  );

  test('2. settings overwritten: whoever looks sees that the entries are gone', async () => {
    const it = await working({ agent: name });
    const { installations } = JSON.parse(
      readFileSync(join(it.box.laneholdHome, 'manifest.json'), 'utf8'),
    );
    for (const { file } of installations) writeFileSync(file, '{}\n');
    expect(await it.gaps()).toMatchObject([{ agent: name, kind: 'gone', moment: null }]);
    expect((await it.lanehold('statusline')).stdout).toContain(`unguarded: ${name}`);
  });
});

test.each([
  ['claude-code', { hooks: { Stop: [{ hooks: [{ type: 'command', timeout: '10' }] }] } }],
  ['codex', { unknown: 1 }],
  ['antigravity', { other: 1 }],
  ['cursor', { version: 2 }],
])('a later bad entry, with which %s drops the whole file, is told', async (name, entry) => {
  const it = await working({ agent: name });
  expect(await it.gaps()).toEqual([]);
  const { installations } = JSON.parse(
    readFileSync(join(it.box.laneholdHome, 'manifest.json'), 'utf8'),
  );
  const { file } = installations.find(({ what }: { what: string }) => what === 'hooks');
  const { hooks, ...settings } = JSON.parse(readFileSync(file, 'utf8'));
  const both = 'hooks' in entry ? { ...hooks, ...entry.hooks } : hooks;
  writeFileSync(file, JSON.stringify({ ...settings, ...entry, ...(both && { hooks: both }) }));
  expect(await it.gaps()).toMatchObject([{ agent: name, kind: 'dropped' }]);
  expect((await it.lanehold('status')).stdout).toContain('with the hooks in it');
  expect((await it.lanehold('statusline')).stdout).toContain(`unguarded: ${name}`);
});

/** What is read, whatever the payloads of the agent look like. */
describe.each(agentsWith('transcripts').map(({ name }) => ({ name })))('$name', ({ name }) => {
  test('has transcripts that are written by the tests as the agent writes them', () => {
    expect(Object.keys(TRANSCRIPT_WRITERS)).toContain(name);
  });

  test.each([
    ['6. a matcher too narrow: a push in its transcript', {}],
    [
      '8. a sub-agent without hooks: a push in the transcript of the sub-agent',
      { bySubAgent: true },
    ],
  ] as const)('%s is found at the end of the turn', async (_, more) => {
    const it = await working({ agent: name });
    const origin = { session: 's1', cwd: it.repo };
    await it.event({ ...origin, kind: 'session-start', source: 'new' });
    const ran = [{ command: 'git status' }, { command: PUSH }];
    const transcript = it.transcript({ session: 's1', ran, ...more });
    await it.event({ ...origin, kind: 'stop', continued: false, transcript });
    expect(await it.gaps()).toMatchObject([{ agent: name, kind: 'unseen', count: 1 }]);
  });

  test('a session in which no hook ran is found by its transcript', async () => {
    const it = await working({ agent: name });
    it.transcript({ session: 's2', ran: [{ command: 'git status' }] });
    expect(await it.gaps()).toMatchObject([{ agent: name, kind: 'silent', count: 1 }]);
  });

  test('nothing is found where its hook was asked, or the command was refused', async () => {
    const it = await working({ agent: name });
    const origin = { session: 's1', cwd: it.repo };
    await it.event({ ...origin, kind: 'session-start', source: 'new' });
    const call = { tool: 'shell', command: PUSH, edited: [] } as const;
    await it.event({ ...origin, kind: 'before-tool', call });
    const ran = [{ command: PUSH }, { command: 'npm publish', refused: true as const }];
    const transcript = it.transcript({ session: 's1', ran });
    await it.event({ ...origin, kind: 'stop', continued: false, transcript });
    expect(await it.gaps()).toEqual([]);
  });
});

describe('Claude Code', () => {
  test('2. settings overwritten: the session of another agent is told, once', async () => {
    const it = await working();
    writeFileSync(it.settings, '{}\n');
    // Any agent’s hooks would do; these are started by a plugin.
    const first = await it.hook('session-start', sessionStart(it.repo), inSession('s1'));
    expect(first).toMatch(/the hooks of Claude Code are gone from .*settings.json/);
    expect(first).toContain('To mend it: ');
    expect(first).toContain(' install --agent claude-code');
    expect(await it.hook('session-start', sessionStart(it.repo), inSession('s2'))).not.toContain(
      'gone',
    );
  });

  test('3. a switch turns them off: status says which', async () => {
    const it = await working();
    await livingSession(it, 's1');
    changeSettings(it, (settings) => {
      settings.disableAllHooks = true;
    });
    it.transcript({ session: 's2', ran: [{ command: 'npm test' }] });
    expect(await it.gaps()).toMatchObject([
      { kind: 'off', fact: expect.stringContaining('`disableAllHooks` in ') },
      { kind: 'silent', count: 1 },
    ]);
  });

  test('3. or the script that they start is another', async () => {
    const it = await working();
    writeFileSync(join(it.box.laneholdHome, 'lanehold-hook.sh'), '#!/bin/sh\nexit 0\n');
    expect((await it.lanehold('status')).stdout).toMatch(
      /^warning: \S+lanehold-hook\.sh, which the hooks of Claude Code start, is not lanehold’s any more: .*; run `.* install --agent claude-code`$/m,
    );
  });

  test('4. another configuration folder has no hooks: git’s own hook notices the push', async () => {
    const it = await working();
    await livingSession(it, 's1');
    it.change('README.md');
    const elsewhere = { CLAUDE_CONFIG_DIR: join(it.box.root, 'elsewhere') };
    expect(await it.gitHook('s2', elsewhere)).toContain('did not start its hook before this push');
    expect(await it.gaps(elsewhere)).toMatchObject([{ kind: 'unseen', count: 1 }]);
    const { stdout } = await it.lanehold('doctor');
    expect(stdout).toContain(
      'broken: Claude Code did not start its hook before a command, just now',
    );
    expect(stdout).toMatch(/ok: Claude Code: .*its last hook ran just now/);
  });

  test('5. Node moved: the session is silent, which the next one with hooks is told', async () => {
    const it = await working();
    await livingSession(it, 's1');
    it.transcript({ session: 's2', ran: [{ command: 'npm test', exitCode: 1 }] });
    const told = await it.hook('session-start', sessionStart(it.repo), inSession('s3'));
    expect(told).toContain('lanehold: no hook of Claude Code ran in 1 session, the first just now');
    expect(await it.hook('session-start', sessionStart(it.repo), inSession('s4'))).not.toContain(
      'no hook',
    );
    expect(await it.gaps()).toEqual([]);
  });

  test('6. a matcher too narrow: the end of the turn finds the push in the transcript', async () => {
    const it = await working();
    await it.hook('session-start', sessionStart(it.repo), inSession('s1'));
    const transcript = it.transcript({ session: 's1', ran: [{ command: `cd . && ${PUSH}` }] });
    expect(await it.hook('stop', stop(it.repo), inSession('s1', transcript))).toBe('');
    const told = await it.hook('prompt-submit', promptSubmit(it.repo), inSession('s1'));
    expect(told).toContain('Claude Code did not start its hook before a command, just now');
    expect(told).toContain('`cd . && git push origin main`, found by its transcript');
    expect(await it.hook('prompt-submit', promptSubmit(it.repo), inSession('s1'))).toBe('');
    expect(await it.gaps()).toMatchObject([{ kind: 'unseen', count: 1, moment: 'before-tool' }]);
    // What was read is not read again.
    await it.hook('stop', stop(it.repo), inSession('s1', transcript));
    expect(await it.gaps()).toMatchObject([{ kind: 'unseen', count: 1 }]);
  });

  test.each([
    ['prompt-submit', {}],
    ['session-end', { hook_event_name: 'SessionEnd', reason: 'exit' }],
  ] as const)(
    '6. a push that the client writes down after the turn is found at %s',
    async (event, more) => {
      const it = await working();
      await it.hook('session-start', sessionStart(it.repo), inSession('s1'));
      const late = join(it.repo, '..', 'late.jsonl');
      await it.hook('stop', stop(it.repo), inSession('s1', late));
      const transcript = it.transcript({ session: 's1', ran: [{ command: PUSH }] });
      await it.hook(event, { ...promptSubmit(it.repo), ...more }, inSession('s1', transcript));
      // That there was no transcript yet is no failure.
      expect(existsSync(join(it.box.laneholdHome, 'logs/hook.log'))).toBe(false);
      expect(await it.gaps()).toMatchObject([{ kind: 'unseen', count: 1 }]);
    },
  );

  test('7. a plugin removed: its hooks have run, and are expected although nothing is recorded', async () => {
    const it = await working({ install: false });
    await livingSession(it, 's1');
    expect(await it.gaps()).toEqual([]);
    it.transcript({ session: 's2', ran: [{ command: 'npm test' }] });
    expect(await it.gaps()).toMatchObject([{ agent: AGENT, kind: 'silent', count: 1 }]);
    it.change('README.md');
    expect(await it.gitHook('s2')).toContain('did not start its hook before this push');
  });

  test('8. a sub-agent without hooks: its own transcript is read at the end of the turn', async () => {
    const it = await working();
    await it.hook('session-start', sessionStart(it.repo), inSession('s1'));
    const ran = [{ command: 'npm publish' }];
    const transcript = it.transcript({ session: 's1', ran, bySubAgent: true });
    await it.hook('stop', stop(it.repo), inSession('s1', transcript));
    const told = await it.hook('prompt-submit', promptSubmit(it.repo), inSession('s1'));
    expect(told).toContain('`npm publish`, found by its transcript');
  });
});

describe('nothing is said', () => {
  test('of a session whose hooks do their work, at any layer', async () => {
    const it = await working();
    await livingSession(it, 's1');
    it.change('README.md');
    expect(await it.gitHook('s1')).toBe('');
    expect(await it.hook('session-start', sessionStart(it.repo), inSession('s2'))).toBe('');
    expect(await it.gaps()).toEqual([]);
    expect((await it.lanehold('statusline')).stdout).toBe('lanehold: nothing to verify\n');
  });

  test.each([
    ['harmless', { command: 'git status' }],
    ['harmless, with a release word', { command: 'grep -rn push src' }],
    ['refused', { command: PUSH, refused: true as const }],
    ['older than the first hook of its session', { command: PUSH, at: new Date(0) }],
  ])('of a command that is %s', async (_, ran) => {
    const it = await working();
    await it.hook('session-start', sessionStart(it.repo), inSession('s1'));
    const transcript = it.transcript({ session: 's1', ran: [ran] });
    await it.hook('stop', stop(it.repo), inSession('s1', transcript));
    expect(await it.gaps()).toEqual([]);
  });

  test('of a script that has changed since it ran', async () => {
    const it = await working();
    await it.hook('session-start', sessionStart(it.repo), inSession('s1'));
    const command = 'sh deploy.sh';
    const at = new Date(Date.now() - 500);
    const transcript = it.transcript({ session: 's1', ran: [{ command, at }] });
    it.box.write(join(it.repo, 'deploy.sh'), 'git push\n');
    await it.hook('stop', stop(it.repo), inSession('s1', transcript));
    expect(await it.gaps()).toEqual([]);
  });

  test('of sessions before the installation, of other projects, and without any command', async () => {
    const it = await working();
    it.transcript({ session: 'old', ran: [{ command: PUSH, at: new Date(0) }] });
    it.transcript({ session: 'idle', ran: [] });
    TRANSCRIPT_WRITERS[AGENT]?.(it.box, {
      ...{ session: 'other', cwd: `${it.repo}-other`, ran: [{ command: PUSH }] },
    });
    expect(await it.gaps()).toEqual([]);
  });

  test('of a push by a person, and of an agent whose hooks were never installed', async () => {
    const it = await working({ install: false });
    it.change('README.md');
    expect(await it.gitHook('s1')).toBe('');
    await it.lanehold('install');
    expect(await it.gitHook('', { CLAUDECODE: '' }, [['zsh'], ['code']])).toBe('');
    expect(await it.gaps()).toEqual([]);
  });

  test('once the hooks are taken out, or installed again', async () => {
    const it = await working();
    it.change('README.md');
    await it.gitHook('s1');
    expect(await it.gaps()).toHaveLength(1);
    rmSync(it.settings);
    await it.lanehold('install');
    expect(await it.gaps()).toEqual([]);
    await livingSession(it, 's2');
    await it.lanehold('uninstall');
    expect(await it.gitHook('s3')).toBe('');
    expect(await it.gaps()).toEqual([]);
  });
});
