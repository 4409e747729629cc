import { expect, test } from 'vitest';
import { statusline, statuslineOf, statuslineOptions } from '../../../src/fronts/cli/statusline.ts';
import { sandbox } from '../../install/sandbox.ts';

const PAYLOAD = '{"cwd":"/nowhere","model":{"id":"m"}}';
const OURS = 'lanehold: nothing to verify';

async function wrapped(wrap: string, input = PAYLOAD): Promise<string> {
  const box = sandbox();
  const env = { HOME: box.home, PATH: process.env.PATH };
  const here = { env, cwd: box.project, now: () => new Date(), input: () => input };
  return (await statuslineOf(here, { wrap })).text;
}

test.each([
  ['gets the input of the agent, and stands first', 'cat', `${PAYLOAD}\n${OURS}`],
  ['may have several lines', 'echo one; echo two', `one\ntwo\n${OURS}`],
  [
    'keeps its colours, which end with it',
    "printf '\\033[31mred'",
    `\u001b[31mred\n\u001b[0m${OURS}`,
  ],
  ['is left out if it fails', 'echo half; exit 3', OURS],
  ['is left out if there is no such program', '/no/such/program', OURS],
  ['may say nothing', 'true', OURS],
  ['need not read', 'exec 0<&-; echo mine', `mine\n${OURS}`],
])('what is wrapped %s', async (_, command, text) => {
  expect(await wrapped(command)).toBe(text);
});

test('the short way takes only what it knows', () => {
  expect(statuslineOptions([])).toEqual({});
  expect(statuslineOptions(['--stdin'])).toEqual({ stdin: true });
  expect(statuslineOptions(['--wrap', '--help'])).toEqual({ wrap: '--help' });
  for (const args of [['--json'], ['--help'], ['--wrap'], ['--wrap', 'x', '-q'], ['--stdin', 'x']])
    expect(statuslineOptions(args)).toBeUndefined();
});

test('it names what waits for the person before what is at work', () => {
  const quick = { root: '/', pending: [], pushes: [], disabled: false, gaps: [] };
  const lanes = [
    { key: 'api', state: 'asks' },
    { key: 'db', state: 'running' },
    { key: 'ui', state: 'verified' },
  ] as const;
  expect(statusline({ ...quick, lanes })).toBe('lanehold: waits for you: api asks; 1 lane at work');
});
