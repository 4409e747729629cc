/** Whatever any agent sends through the hook entry of any other: an answer, and no push that was not looked at. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { agentsWith, type HookAgent } from '../../src/agents/registry.ts';
import { EVENT_NAMES, type HookOutput } from '../../src/agents/types.ts';
import { isJsonObject, parsedJson } from '../../src/base/text/json.ts';
import { type Installer, installers } from '../../src/install/targets.ts';
import { answerCall, speakerOf } from '../../src/moments/hook/answer.ts';
import { recordedPayloads } from '../support/recorded-payloads.ts';
import { sandbox } from '../support/sandbox.ts';

const SENDERS = readdirSync(join(import.meta.dirname, '../fixtures/agents/payloads'));

const REASON = 'a reason';
/** What each agent takes for a denial: the answer is in the form of the one that seems to have sent the payload. */
const DENIALS = await Promise.all(
  agentsWith('hooks').map(async ({ hooks }) => {
    const { render } = hooks.adapter;
    return render('before-tool', { decision: 'deny', reason: REASON });
  }),
);

/** Exit code 2 is also what the hook program says where it cannot tell who asks. */
function isRefusal({ stdout, stderr, exitCode }: HookOutput): boolean {
  const isLike = (meant: HookOutput): boolean =>
    exitCode === meant.exitCode &&
    matches(read(meant.stdout), read(stdout)) &&
    matches(read(meant.stderr), read(stderr));
  return exitCode === 2 || DENIALS.some(isLike);
}

const read = (text: string): unknown => parsedJson(text) ?? text;

/** Any text may stand in the place of the reason, and more beside what is meant. */
function matches(meant: unknown, found: unknown): boolean {
  if (typeof meant === 'string' && meant.includes(REASON)) return Boolean(found);
  if (!isJsonObject(meant)) return meant === found;
  return isJsonObject(found) && Object.entries(meant).every(([key, it]) => matches(it, found[key]));
}

describe.each(agentsWith('hooks'))('through the entry of $name', ({ name: agent }) => {
  const box = sandbox(afterAll);

  test.each(SENDERS)('what %s sends, cut short', async (sender) => {
    const recorded = recordedPayloads(sender);
    for (const name of recorded.names) {
      const text = JSON.stringify(recorded.read(name));
      const at = text.indexOf('git push');
      // What the plugin of a client hears from it is sent to no hook.
      if (at === -1 || name.startsWith('event.')) continue;
      const cut = text.slice(0, at + 'git push'.length);
      const { stdout, stderr, exitCode } = await box.hook('before-tool', cut, { agent });
      const isDenied = isRefusal({ stdout, stderr, exitCode: exitCode ?? 1 });
      expect({ name, isDenied, said: `${stdout}${stderr}`.includes('lanehold') }).toEqual({
        name,
        isDenied: true,
        said: true,
      });
    }
  });
});

/** What a payload may come to have where something else was expected. */
const ODD = fc.oneof(
  fc.constantFrom<unknown>(null, true, 0, -1e99, '', [], {}, '\0', '\ud800', '../..', '__proto__'),
  fc.constant('x'.repeat(300_000)),
  fc.constant(JSON.parse(`${'[['.repeat(400)}${']]'.repeat(400)}`)),
  fc.dictionary(fc.constantFrom('a', 'command', 'constructor', 'length'), fc.integer()),
);
/** Bytes between two others: an end of text, no UTF-8, a byte order mark, a bracket. */
const BYTES = fc.constantFrom(
  [0],
  [0xff],
  [0xc3, 0x28],
  [0xef, 0xbb, 0xbf],
  [0x7d],
  [0x22],
  [0x5b],
);

type Mutation = (text: string) => Buffer;

const MUTATION: fc.Arbitrary<Mutation> = fc.oneof(
  fc.tuple(fc.nat(), ODD).map(
    ([at, value]) =>
      (text: string) =>
        swapped(text, at, value),
  ),
  fc.tuple(fc.nat(), BYTES).map(
    ([at, bytes]) =>
      (text: string) =>
        inserted(text, at, bytes),
  ),
  fc.nat().map((at) => (text: string) => Buffer.from(text).subarray(0, 1 + (at % text.length))),
  fc.nat().map((at) => (text: string) => repeatedMember(text, at)),
  fc.constant((text: string) => Buffer.from(`\uFEFF\uFEFF${text}`)),
);

/** Any one value, at any depth, is another. */
function swapped(text: string, at: number, value: unknown): Buffer {
  let left = at % (text.match(/[:{[]/g)?.length ?? 1);
  const other = JSON.stringify(JSON.parse(text), (_, it) => {
    left -= 1;
    return left === -1 ? value : it;
  });
  return Buffer.from(other);
}

function inserted(text: string, at: number, bytes: readonly number[]): Buffer {
  const all = Buffer.from(text);
  const place = at % (all.length + 1);
  return Buffer.concat([all.subarray(0, place), Buffer.from(bytes), all.subarray(place)]);
}

/** The last of several members of one name counts. */
function repeatedMember(text: string, at: number): Buffer {
  const members = Object.entries(JSON.parse(text));
  const [key, value] = members[at % members.length] ?? [];
  return Buffer.from(`{${JSON.stringify(key)}:${JSON.stringify(value)},${text.slice(1)}`);
}

const INSTALLERS = await installers();

describe.each(
  agentsWith('hooks').flatMap((agent) => {
    const installer = INSTALLERS.find(({ name }) => name === agent.name);
    return installer ? [[agent.name, agent, installer] as const] : [];
  }),
)('through the entry of %s, whatever is changed', (name, agent, installer) => {
  const box = sandbox(afterAll);
  const answer = (event: string, input: Buffer) =>
    answerCall({
      args: [event, '--agent', name],
      env: { ...box.env, ...sampleOf(installer).env },
      input: () => input,
      cwd: () => box.root,
      now: () => new Date(),
      store: () => Promise.reject(new Error('the database is away')),
      onTerminal: () => false,
      parents: async () => [],
      id: undefined,
      isAwaited: async () => true,
    });
  const text = (command: string) =>
    JSON.stringify(sampleOf(installer).payload).replace('git status', command);

  test('a harmless command runs, and nothing breaks', async () => {
    await fc.assert(
      fc.asyncProperty(MUTATION, async (change) => {
        const given = await answer('before-tool', change(text('ls')));
        return !isRefusal(given) && isWellFormed(given);
      }),
      { numRuns: 30 },
    );
  });

  test('a release in what cannot be read is refused', async () => {
    await fc.assert(
      fc.asyncProperty(MUTATION, async (change) => {
        const input = change(text('git push origin main'));
        if (!input.includes('git push') || (await isRead(agent, input))) return true;
        // In what is no JSON a command is known by its key.
        if (
          parsedJson(`${input}`) === undefined &&
          !/command\w*\\?":\\?"git push/i.test(`${input}`)
        )
          return true;
        const given = await answer('before-tool', input);
        return isRefusal(given) && isWellFormed(given);
      }),
      { numRuns: 30 },
    );
  });

  test.each([
    ['a list', (it: string) => [it]],
    ['an object', (it: string) => ({ text: it })],
    ['lists in lists', (it: string) => JSON.parse(`${'['.repeat(900)}"${it}"${']'.repeat(900)}`)],
    ['bytes', (it: string) => ({ 0: it, length: 1 })],
  ])('a command that is %s is refused', async (_, wrapped) => {
    const command = 'git push origin main';
    const input = text(command).replace(`"${command}"`, () => JSON.stringify(wrapped(command)));
    expect(isRefusal(await answer('before-tool', Buffer.from(input)))).toBe(true);
  });

  test('at any other moment nothing is refused', async () => {
    const others = EVENT_NAMES.filter((it) => it !== 'before-tool');
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...others), MUTATION, async (event, change) => {
        const given = await answer(event, change(text('git push origin main')));
        return !isRefusal(given) && isWellFormed(given);
      }),
      { numRuns: 20 },
    );
  });

  /** True if it is an event to the agent that seems to have sent it. */
  async function isRead(named: HookAgent, input: Buffer): Promise<boolean> {
    try {
      const payload: unknown = JSON.parse(input.toString('utf8').replace(/^\uFEFF+/, ''));
      const speaker = speakerOf(named, payload, { ...sampleOf(installer).env });
      speaker.hooks.adapter.parse('before-tool', payload, box.root);
      return true;
    } catch {
      return false;
    }
  }
});

function sampleOf(installer: Installer) {
  const sample = installer.samples('/work').find(({ as }) => as === 'before-tool');
  if (sample === undefined) throw new Error('it has no sample');
  return sample;
}

/** Nothing, JSON, or a plain reason where an exit code refuses. */
function isWellFormed({ stdout, stderr, exitCode }: HookOutput): boolean {
  if (isRefusal({ stdout, stderr, exitCode })) return `${stdout}${stderr}`.includes('lanehold');
  return exitCode === 0 && stderr === '' && (stdout === '' || JSON.parse(stdout) !== undefined);
}
