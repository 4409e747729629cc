/** What is forgotten is gone: not one byte of it is left in lanehold's folder. */
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { homeOf, privateFolder } from '../../../src/base/files/home.ts';
import { openStore } from '../../../src/store/open.ts';
import { command } from '../../support/command.ts';
import { afterEdit, beforeCommand, promptSubmit } from '../../support/payloads.ts';
import { sandbox } from '../../support/sandbox.ts';

const AGENT = { CLAUDECODE: '1' };

function project() {
  const box = sandbox();
  const make = (name: string) => {
    const folder = join(box.root, name);
    mkdirSync(folder, { recursive: true });
    return folder;
  };
  const folder = make('shop');
  const run = (argv: readonly string[], options?: Parameters<typeof command>[3], at = folder) =>
    command(box, at, argv, options);
  const prompt = (text: string, session = 'one', at = folder) =>
    box.hook('prompt-submit', { ...promptSubmit(at), prompt: text, session_id: session, cwd: at });
  const stop = (said: string, session = 'one', at = folder) =>
    box.hook('stop', {
      ...promptSubmit(at),
      ...{ hook_event_name: 'Stop', last_assistant_message: said, session_id: session, cwd: at },
    });
  /** Files of lanehold's folder in which the word is, in any letters. */
  const filesWith = (word: string) =>
    readdirSync(box.laneholdHome, { recursive: true, withFileTypes: true })
      .filter((it) => it.isFile() && !it.parentPath.includes('cache'))
      .map((it) => join(it.parentPath, it.name))
      .filter((file) => readFileSync(file).toString('latin1').toLowerCase().includes(word));
  const backUp = async () => {
    const home = homeOf(box.env);
    const store = await openStore(home);
    store.db.prepare('VACUUM INTO ?').run(join(privateFolder(home.backups), 'kept.db'));
    store.close();
  };
  const listed = async (...argv: string[]) => JSON.parse((await run([...argv, '--json'])).stdout);
  return { box, folder, make, run, prompt, stop, filesWith, backUp, listed };
}

test('words: rows, their index, notes and backups lose them, and the rest stays', async () => {
  const { box, folder, run, prompt, stop, filesWith, backUp, listed } = project();
  await prompt('Prepare the Zyxomarium merger paperwork. Never mention zyxomarium aloud.');
  await stop('Prepared. We decided to keep zyxomarium figures apart.');
  await prompt('Make the coupon parser accept percentages');
  await stop('Done with the coupon parser.');
  await run(['note', 'add', 'project/merger', 'Zyxomarium closes in June']);
  await run(['note', 'edit', 'project/merger', '--title', 'Zyxomarium closes in July']);
  await run(['note', 'add', 'global/plain', 'Small commits']);
  await run(['session', 'list']);
  await backUp();
  await prompt('One more zyxomarium thing', 'two');
  expect(filesWith('zyxomarium').length).toBeGreaterThan(3);

  const afterwards = afterEdit(folder, join(folder, 'src/zyxomarium.ts'));
  await box.hook('after-tool', { ...afterwards, session_id: 'one' });
  const { stdout: shown } = await run(['forget', 'ZYXOMARIUM', '--dry-run']);
  expect(shown).toMatch(/ edit +src\/zyxomarium\.ts/);
  expect(shown).toContain('zyxomarium aloud');
  expect(shown).toContain('closes in July');
  expect(shown).not.toContain('percentages');
  expect(filesWith('zyxomarium').length).toBeGreaterThan(3);
  const { exitCode, stderr } = await run(['forget', 'zyxomarium']);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('add --yes')]);

  const done = JSON.parse((await run(['forget', 'Zyxomarium', '--yes', '--json'])).stdout);
  expect(done).toMatchObject({ backups: 1, left: [] });
  expect(filesWith('zyxomar')).toEqual([]);
  // The index has stems, and parts of words after those that it shares with the word before.
  expect(filesWith('yxomar')).toEqual([]);
  expect((await listed('recall', 'timeline')).entries).toHaveLength(2);
  expect((await listed('note', 'list')).notes.map((it: { path: string }) => it.path)).toEqual([
    'global/plain',
  ]);
  expect((await run(['recall', 'search', 'coupon'])).stdout).toContain('percentages');
  expect((await run(['forget', 'zyxomarium', '--dry-run'])).stdout).toContain('Nothing');
});

test('a session, a time, a project, and what is in the repository', async () => {
  const { run, prompt, stop, listed, make, folder, box } = project();
  await prompt('Make the coupon parser accept percentages');
  await stop('Done.');
  await prompt('Document the refund endpoint for partners', 'two');
  await stop('Done.', 'two');
  const other = make('other');
  await prompt('Work of the other project goes on', 'three', other);
  await run(['note', 'add', 'project/shared', 'Coupons are integers', '--shared']);

  expect(
    JSON.parse((await run(['forget', '--session', 'two', '--yes', '--json'])).stdout),
  ).toMatchObject({ events: 2, items: 1 });
  const { sessions } = await listed('session', 'list');
  expect(sessions.map((it: { session: string }) => it.session)).toEqual(['one']);
  expect((await run(['forget', '--until', '1h', '--dry-run'])).stdout).toContain('Nothing');
  expect((await listed('forget', '--since', '1h', '--dry-run')).events).toBe(2);
  await run(['note', 'add', 'project/fresh', 'Refunds need two people']);
  expect((await listed('forget', 'refunds', '--since', '1h', '--dry-run')).items).toBe(1);
  expect((await listed('forget', 'refunds', '--until', '1h', '--dry-run')).items).toBe(0);
  for (const argv of [['forget'], ['forget', '--since', 'lately'], ['forget', '--everywhere']]) {
    expect((await run(argv)).exitCode).toBe(2);
  }
  const shared = join(folder, '.lanehold/notes/shared.md');
  box.write(join(box.laneholdHome, 'logs/old.log'), 'about a COUPON\n');
  const { stdout } = await run(['forget', 'coupon', '--yes']);
  expect(stdout).toMatch(/^still mentioned in .*logs\/old\.log,/m);
  expect(stdout).toContain(`stays, because it belongs to the repository: ${shared}`);
  expect(existsSync(shared)).toBe(true);
  await prompt('Again the coupon parser');
  await run(['forget', '--project', '--yes']);
  expect((await listed('session', 'list')).sessions).toEqual([]);
  const elsewhere = await command(box, other, ['recall', 'timeline', '--json']);
  expect(JSON.parse(elsewhere.stdout).entries).toHaveLength(1);
});

test('an agent may only after a person was asked about exactly this', async () => {
  const { run, prompt, box, folder, listed } = project();
  await prompt('Make the coupon parser accept percentages');
  const words = ['forget', 'coupon', '--yes'];
  const refused = await run(words, { env: AGENT });
  expect(refused.exitCode).toBe(1);
  expect(refused.stderr).toContain('no person was asked about exactly this deletion');
  expect((await listed('recall', 'timeline')).entries).toHaveLength(1);
  const ask = async (text: string) => {
    const { stdout } = await box.hook('before-tool', beforeCommand(folder, text));
    return stdout === '' ? undefined : JSON.parse(stdout).hookSpecificOutput.permissionDecision;
  };
  expect(await ask('lanehold forget coupon --dry-run')).toBeUndefined();
  expect(await ask('lanehold note add project/a forget')).toBeUndefined();
  expect(await ask('lanehold prune')).toBeUndefined();
  expect(await ask('lanehold prune --older-than 1h')).toBe('ask');
  expect(await ask('lanehold forget coupon --yes')).toBe('ask');
  expect((await run(words, { env: AGENT })).exitCode).toBe(0);
  // The question was itself a command of the session.
  const { entries } = await listed('recall', 'timeline');
  expect(entries.filter((it: { kind: string }) => it.kind === 'prompt')).toEqual([]);
});
