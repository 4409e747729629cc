/** What is older than it is kept goes; notes stay. */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { command } from '../../support/command.ts';
import { promptSubmit } from '../../support/payloads.ts';
import { sandbox } from '../../support/sandbox.ts';

const DAY = 86_400_000;

async function project() {
  const box = sandbox();
  const folder = join(box.root, 'shop');
  mkdirSync(folder);
  const send = (event: 'prompt-submit' | 'stop', more: object) =>
    box.hook(event, { ...promptSubmit(folder), ...more, session_id: 'one', cwd: folder });
  await send('prompt-submit', {
    prompt: 'Make the coupon parser accept percentages. Always lint.',
  });
  await send('stop', { hook_event_name: 'Stop', last_assistant_message: 'Done.' });
  await command(box, folder, ['note', 'add', 'project/a', 'Expiry is in seconds']);
  const run = async (days: number, ...argv: string[]) => {
    const now = new Date(Date.now() + days * DAY);
    const { stdout, stderr } = await command(box, folder, [...argv, '--json'], { now });
    return JSON.parse(stdout || stderr);
  };
  const prune = (days: number, ...argv: string[]) => run(days, 'prune', ...argv);
  return { box, folder, run, prune };
}

test('events after 90 days, summaries after a year, notes never', async () => {
  const { prune, run } = await project();
  const nothing = { events: 0, suggestions: 0, summaries: 0 };
  expect(await prune(89)).toMatchObject(nothing);
  expect(await prune(91, '--dry-run')).toMatchObject({ events: 2, suggestions: 1, summaries: 0 });
  expect((await run(91, 'recall', 'timeline')).entries).toHaveLength(2);
  expect(await prune(91)).toMatchObject({ events: 2, suggestions: 1, summaries: 0 });
  expect(await prune(91)).toMatchObject({ ...nothing, records: 0 });
  expect((await run(91, 'recall', 'timeline')).entries).toEqual([]);
  expect((await run(91, 'recall', 'search', 'coupon')).hits).toHaveLength(1);
  expect(await prune(366)).toMatchObject({ summaries: 1 });
  expect((await run(366, 'recall', 'search', 'coupon')).hits).toEqual([]);
  expect((await run(9_000, 'note', 'list')).notes).toHaveLength(1);
});

test('a dry run leaves what hooks could not write yet', async () => {
  const { box, prune } = await project();
  const file = box.write('home/.lanehold/late/event.jsonl', '{"id":"event","at":"2026-01-01"}\n');
  await prune(91, '--dry-run');
  expect(existsSync(file)).toBe(true);
  await prune(91);
  expect(existsSync(file)).toBe(false);
});

test('the user sets how long; another age is for once, and not for an agent', async () => {
  const { prune, run, box, folder } = await project();
  await run(0, 'config', 'set', 'recall.keepEvents', '30d');
  await run(0, 'config', 'set', 'recall.keepSuggestions', 'forever');
  expect((await run(0, 'config', 'list', 'recall.keepEvents')).settings).toEqual([
    { key: 'recall.keepEvents', value: '30d', source: 'you' },
  ]);
  expect(await prune(5_000, '--dry-run')).toMatchObject({
    events: 2,
    suggestions: 0,
    summaries: 1,
  });
  expect((await run(0, 'config', 'set', 'recall.keepEvents', 'long')).error.message).toContain(
    'keepEvents',
  );
  expect((await prune(0, '--older-than', 'long')).error.hint).toContain('30d');
  const options = { env: { CLAUDECODE: '1' }, now: new Date(Date.now() + 2 * DAY) };
  const refused = await command(box, folder, ['prune', '--older-than', '1d'], options);
  expect(refused.stderr).toContain('exactly this deletion');
  expect(await prune(2, '--older-than', '1d')).toMatchObject({
    events: 2,
    suggestions: 1,
    summaries: 1,
  });
});
