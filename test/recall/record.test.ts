/** What a session does, recorded by its hooks, and what comes back after a compaction and in the next one. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { agentsWith } from '../../src/agents/registry.ts';
import type { EventName } from '../../src/agents/types.ts';
import { homeOf } from '../../src/base/files/home.ts';
import { openStore } from '../../src/store/open.ts';
import { command } from '../support/command.ts';
import { promptSubmit, sessionStart } from '../support/payloads.ts';
import { recordedPayloads } from '../support/recorded-payloads.ts';
import { sandbox } from '../support/sandbox.ts';

function project() {
  const box = sandbox();
  const folder = join(box.root, 'shop');
  mkdirSync(join(folder, 'src'), { recursive: true });
  mkdirSync(box.laneholdHome, { recursive: true });
  const send = async (event: EventName, more: object, session = 'one') => {
    const payload = { ...promptSubmit(folder), ...more, session_id: session, cwd: folder };
    const { stdout } = await box.hook(event, payload, { cwd: folder });
    return stdout === '' ? '' : (JSON.parse(stdout).hookSpecificOutput?.additionalContext ?? '');
  };
  const steps = {
    start: (source: string, session?: string) =>
      send('session-start', sessionStart(folder, source), session),
    prompt: (prompt: string, session?: string) => send('prompt-submit', { prompt }, session),
    edit: (path: string, session?: string) => {
      const tool = { tool_name: 'Write', tool_input: { file_path: join(folder, path) } };
      return send('after-tool', { hook_event_name: 'PostToolUse', ...tool }, session);
    },
    shell: (text: string, session?: string) => {
      const tool = { tool_name: 'Bash', tool_input: { command: text } };
      return send('before-tool', { hook_event_name: 'PreToolUse', ...tool }, session);
    },
    stop: (said: string, session?: string) =>
      send('stop', { hook_event_name: 'Stop', last_assistant_message: said }, session),
    compact: () => send('before-compact', { hook_event_name: 'PreCompact' }),
  };
  const json = async (...argv: string[]) => {
    const { stdout, stderr } = await command(box, folder, [...argv, '--json']);
    return stdout === '' ? stderr : JSON.parse(stdout);
  };
  const rows = async (): Promise<Record<string, unknown>[]> => {
    const store = await openStore(homeOf(box.env));
    const all = store.db.prepare<[], Record<string, unknown>>('SELECT * FROM observations').all();
    store.close();
    return all;
  };
  return { box, folder, ...steps, json, rows };
}

test('the open request and the standing constraints come back after a compaction', async () => {
  const { start, prompt, edit, shell, stop, compact } = project();
  await start('startup');
  await prompt('Add a refund flow. Do not touch src/legacy. Always run the linter.');
  await edit('src/refund.ts');
  await shell('cd src && TOKEN=abc npm test -- refund');
  await stop('Added the refund flow. Next: the tests of partial refunds.');
  await prompt('Partial refunds must round down to cents.');
  await prompt('you may touch src/legacy now');
  await prompt('ok, go on');
  await compact();

  const told = await start('compact');
  expect(told).toContain('The user asked last: "you may touch src/legacy now"');
  expect(told).toMatch(/round down to cents[\s\S]+Always run the linter/);
  expect(told).not.toContain('Do not touch');
  expect(told).toContain('src/refund.ts');
  expect(told).toContain('the tests of partial refunds');
  for (let at = 0; at < 20; at += 1)
    await prompt(`Rule ${at}: never use ${'x'.repeat(at * 9)}y${at}`);
  const long = await start('compact');
  expect(Buffer.byteLength(long)).toBeLessThanOrEqual(1_500);
  expect(long).toContain('Rule 19');
});

test('the next session starts with the last work, and a prompt finds it, but not its own', async () => {
  const { start, prompt, edit, stop, box } = project();
  await prompt('Make the coupon parser accept percentages');
  await edit('src/coupon.ts');
  await stop('Done: it turned out that coupons are cached. Still missing: expiry of coupons.');
  expect(await prompt('does the coupon parser accept percentages?')).toBe('');

  const told = await start('startup', 'two');
  expect(told).toMatch(
    /\[se-[0-9a-f]{8} \d{4}-\d\d-\d\d, claude-code\] asked "Make the coupon parser/,
  );
  expect(told).toContain('edited src/coupon.ts');
  expect(told.length / 3.6).toBeLessThan(600);
  const asked = 'why does the coupon parser accept percentages?';
  expect(await prompt(asked, 'two')).toBe('');
  expect(await prompt(asked, 'three')).toContain('se-');
  const other = join(box.root, 'other');
  mkdirSync(other);
  const { stdout } = await box.hook('session-start', {
    ...sessionStart(other, 'startup'),
    cwd: other,
  });
  expect(stdout).not.toContain('coupon');
});

test('every prompt and answer is found, with what was said beside it, until it is forgotten', async () => {
  const { prompt, stop, box, folder, json } = project();
  await prompt('Set up the order service');
  await stop('The routes of the order service are there.');
  await prompt('The staging broker listens on 5671 behind the Frankfurt gateway');
  await stop('Noted; the client connects with TLS.');
  await prompt('Why do imports of the supplier catalogue run out of memory?');
  await stop(
    'The driver fetched all rows at once. Rows are streamed now, fetchSize 5000 is enough.',
  );

  const { hits } = await json('recall', 'search', 'staging', 'broker', 'frankfurt');
  expect(hits[0].turn).toMatchObject({
    number: 2,
    answered: 'Noted; the client connects with TLS.',
  });
  const shown = await json('recall', 'show', `${hits[0].id}/2`);
  expect(shown.turns.map(({ asked }: { asked: string }) => asked)).toEqual([
    'Set up the order service',
    'The staging broker listens on 5671 behind the Frankfurt gateway',
    'Why do imports of the supplier catalogue run out of memory?',
  ]);

  // A question without an answer is no knowledge: it is found last, and told to nobody.
  await prompt('On which port does the staging broker listen?', 'asks');
  const port = await prompt('on which port does the staging broker listen?', 'asks again');
  expect(port).toContain('The staging broker listens on 5671');
  expect(port).not.toContain('On which port');
  await box.hook('stop', { ...promptSubmit(folder), hook_event_name: 'Stop', session_id: 'asks' });
  const { stdout } = await command(box, folder, ['recall', 'search', 'staging broker port listen']);
  expect(stdout).toMatch(/5671[\s\S]*On which port .* \| \(no answer\)/);

  const asked = 'why does the import of the supplier catalogue run out of memory?';
  const told = await prompt(asked, 'two');
  expect(told).toMatch(/asked "Why do imports[^"]+"; answered "[^"]*fetchSize 5000 is enough/);
  expect(await prompt(`again: ${asked}`, 'two')).toBe('');

  // The words of a turn go with any part of it.
  const store = await openStore(homeOf(box.env));
  const turns = () =>
    store.db.prepare('SELECT count(*) FROM item_words WHERE rowid < 0').pluck().get();
  const found = turns();
  await command(box, folder, ['forget', 'frankfurt', '--yes']);
  expect(turns()).toBe(Number(found) - 1);
  expect((await json('recall', 'search', 'frankfurt')).hits).toEqual([]);
  // Turns that an earlier version recorded are found once the record is read again.
  store.db.exec('DELETE FROM item_words WHERE rowid < 0');
  store.close();
  await json('recall', 'refresh');
  expect((await json('recall', 'search', 'fetchSize')).hits[0].turn.number).toBe(2);
});

test('what follows a sentence of an answer is not told where the sentence was told', async () => {
  const { start, prompt, stop } = project();
  await prompt('Store the expiry of tokens in seconds', 'one');
  await stop('I decided to keep Expiry an int because a Duration breaks the JSON.', 'one');
  await stop('Renamed.', 'one');
  expect(await start('startup', 'two')).toContain('keep Expiry an int');
  expect(await prompt('Is the expiry of tokens stored in seconds?', 'two')).toBe('');
});

test('a sentence of the user that became a note is told once, a note with more to say besides', async () => {
  const { start, prompt, stop, edit, json } = project();
  const said = 'Remember that the payment sandbox resets every Sunday.';
  await prompt(said);
  await edit('src/cart.ts');
  await stop('Noted.');
  const { suggestions } = await json('note', 'suggestions');
  await json('note', 'confirm', suggestions[0].id);
  const told = await start('startup', 'two');
  expect(told.split(said)).toHaveLength(2);
  // Neither is the agent's `Noted.` worth a line.
  expect(await prompt('When does the payment sandbox reset on Sunday?', 'two')).toBe('');
  await json('note', 'edit', suggestions[0].id, '--body', 'At 23:00 UTC, by the provider.');
  expect(await start('startup', 'three')).toContain('At 23:00 UTC');
});

test('of a long prompt and a long answer the end is found, too', async () => {
  const { prompt, stop, json } = project();
  const log = 'GET /cart took 12 ms and was answered.\n'.repeat(200);
  await prompt(`${log}Why does the marmalade valve open at nine?`, 'one');
  await stop(
    `${'I read the next part of the log.\n'.repeat(200)}The kettle timer opens it.`,
    'one',
  );
  const { hits } = await json('recall', 'search', 'marmalade', 'kettle');
  expect(hits[0].turn.asked).toMatch(/^GET .* … .*marmalade valve open at nine\?$/s);
  expect(hits[0].turn.answered).toMatch(/kettle timer opens it\.$/);
  expect(await prompt('when does the marmalade valve open?', 'two')).toContain('kettle timer');
});

test('of an answer that fills a screen everything is found', async () => {
  const { prompt, stop, json } = project();
  const lines = 'I read the next part of the log.\n'.repeat(50);
  await prompt('Why is the cart slow?', 'one');
  await stop(`${lines}The lavender cache has no room.\n${lines}`, 'one');
  const { hits } = await json('recall', 'search', 'lavender');
  expect(hits[0].turn.answered).toContain('lavender cache');
});

test('of two answers to one question the later one is told, also within a session', async () => {
  const { prompt, stop } = project();
  const answered = async (session: string, asked: string, answer: string) => {
    await prompt(asked, session);
    await stop(answer, session);
  };
  await answered('one', 'What is the fetchSize of the exporter?', 'It is 5000 for now.');
  await answered('two', 'What is the fetchSize of the exporter now?', 'It is 8000.');
  await answered('two', 'Which encoding does the importer of prices take?', 'It takes UTF-8.');
  await answered('two', 'Which encoding does the importer of prices take?', 'It takes CP850.');

  const told = await prompt('Tell me the fetchSize of the exporter', 'three');
  expect(told).toContain('It is 8000');
  expect(told).not.toContain('5000');
  const encoding = await prompt('the encoding that the importer of prices takes', 'three');
  expect(encoding).toContain('CP850');
  expect(encoding).not.toContain('UTF-8');
});

test('a question of two words brings what has them as they are, small talk of two words nothing', async () => {
  const { prompt, stop, json } = project();
  await json('note', 'add', 'project/metrics', 'The metrics port is 9100');
  await prompt('Run the tests', 'one');
  await stop('The tests ran, all pass.', 'one');
  await prompt('Where is the deploy script?', 'one');
  await stop('It is bin/ship.', 'one');

  expect(await prompt('Which metrics port is it?', 'two')).toContain('9100');
  expect(await prompt('where was the deploy script?', 'two')).toContain('bin/ship');
  expect(await prompt('run the tests again', 'two')).toBe('');
  expect(await prompt('Is the metrics page slow?', 'three')).toBe('');
  expect(await prompt('Did all tests run?', 'three')).toBe('');
});

test('the timeline is one linked list across sessions and agents', async () => {
  const { box, folder, prompt, json } = project();
  const asked = (agent: string, session_id: string) =>
    box.hook(
      'prompt-submit',
      { ...promptSubmit(folder), session_id, prompt: `${agent} goes on` },
      { agent },
    );
  await prompt('Set up the order service', 'one');
  await asked('codex', 'two');
  await prompt('Add prices', 'one');
  await asked('gemini-cli', 'three');
  const { entries } = await json('recall', 'timeline');
  expect(entries.map(({ agent }: { agent: string }) => agent)).toEqual([
    ...['claude-code', 'codex', 'claude-code', 'gemini-cli'],
  ]);
  const ids = entries.map(({ id }: { id: number }) => id);
  expect(entries.map(({ previous }: { previous: number }) => previous)).toEqual([
    null,
    ...ids.slice(0, -1),
  ]);
  const last = (await json('recall', 'timeline', '--limit', '1')).entries;
  expect(last).toMatchObject([{ agent: 'gemini-cli', previous: ids[2] }]);
});

test('what many sessions asked alike stands once before others, and a word is found by its beginning', async () => {
  const { prompt, stop, json } = project();
  for (let at = 0; at < 6; at++) {
    await prompt('Add logging to the restore test.', `everyday ${at}`);
    await stop('The restore test logs start, end and duration of each call.', `everyday ${at}`);
  }
  await prompt('Backups: did the last one for Austria pass the restore test?', 'asked');
  await stop('Yes, in 71 minutes. The log is kept in s3://ops-restore for a year.', 'asked');

  const found = async (...words: string[]) =>
    (await json('recall', 'search', ...words)).hits.findIndex(
      ({ turn }: { turn: { asked: string } }) => turn?.asked.startsWith('Backups'),
    );
  expect(await found('log', 'of', 'the', 'restore', 'test')).toBe(1);
  expect(await found('austrian')).toBe(0);
});

test('hooks of tools and prompts record nothing that is private or secret', async () => {
  const { box, prompt, edit, shell, rows, folder, json } = project();
  const secret = 'ghp_0123456789abcdefghijABCDEFGHIJ456789';
  await prompt(`Use ${secret} here <private>my salary is low</private> and write the report`);
  await shell(`curl -H 'X: ${secret}' https://example.org`);
  await edit('src/a.ts');
  const written = JSON.stringify(await rows());
  expect(written).toContain('write the report');
  expect(written).toContain('"name":"curl"');
  expect(written).not.toMatch(/ghp_|salary|example\.org/);

  writeFileSync(join(folder, 'lanehold.json'), '{"recall": {"ignore": ["src/**"]}}');
  await edit('src/b.ts');
  writeFileSync(join(folder, 'lanehold.json'), '{"recall": {"capture": "off"}}');
  await prompt('Nobody keeps this sentence');
  writeFileSync(join(folder, 'lanehold.json'), '{}');
  const home = { recall: { ignore: [box.root] } };
  writeFileSync(join(box.laneholdHome, 'config.json'), JSON.stringify(home));
  await prompt('Nobody keeps this sentence');
  writeFileSync(join(box.laneholdHome, 'config.json'), '{"recall": {"capture": "auto"}}');
  writeFileSync(join(folder, 'lanehold.json'), '{"recall": {"capture": "off"}}');
  await prompt('Nobody keeps this sentence');
  expect(JSON.stringify(await rows())).toBe(written);
  expect((await json('config', 'list', 'recall.capture')).settings).toEqual([
    { key: 'recall.capture', value: 'off', source: 'lanehold.json' },
  ]);
});

test('with recall.capture auto what was inferred counts at once, and is listed until a person has judged it', async () => {
  const { prompt, stop, start, json } = project();
  await json('config', 'set', 'recall.capture', 'auto');
  await prompt('From now on, always run the formatter before a commit.');
  await stop('Gladly.');
  expect(await start('startup', 'two')).toContain('run the formatter');
  const [it] = (await json('note', 'suggestions')).suggestions;
  expect(it).toMatchObject({ title: expect.stringContaining('formatter'), counts: true });
  await json('note', 'reject', it.id);
  expect((await json('note', 'suggestions')).suggestions).toEqual([]);
  expect(await start('startup', 'three')).not.toContain('run the formatter');
});

test('sessions are listed, shown in order and saved as a note; each line is taken over once', async () => {
  const { start, prompt, edit, shell, stop, json } = project();
  await start('startup');
  await prompt('Make the coupon parser accept percentages');
  await shell('npx vitest run');
  await edit('src/coupon.ts');
  await stop('Done. We decided to keep integers instead of floats.');
  await prompt('And document the parser in the README', 'two');
  const { sessions } = await json('session', 'list');
  expect(sessions.map((it: { session: string }) => it.session)).toEqual(['two', 'one']);
  const { id } = sessions[1];
  const shown = await json('session', 'show', 'one');
  expect(shown.timeline.map((it: { kind: string }) => it.kind)).toEqual([
    'start',
    'prompt',
    'command',
    'edit',
    'stop',
  ]);
  expect(shown.timeline[2]).toMatchObject({ name: 'npx', category: 'test' });
  expect(shown.summary).toMatchObject({ basis: 'agent', files: ['src/coupon.ts'] });
  expect(shown.summary.decisions[0]).toContain('integers');
  expect(await json('session', 'show', id)).toEqual(shown);
  expect((await json('recall', 'timeline')).entries).toHaveLength(6);
  expect((await json('recall', 'timeline', '--session', 'two')).entries).toHaveLength(1);
  const saved = await json('session', 'save', 'one', '--path', 'project/coupons');
  expect(saved.path).toBe('project/coupons');
  expect((await json('note', 'show', 'project/coupons')).note?.title ?? saved.title).toContain(
    'coupon',
  );
  expect(JSON.stringify(await json('session', 'show', 'nobody'))).toContain('session list');
});

test('what a command wrote is found at the end of the turn', async () => {
  const box = sandbox();
  const repo = box.repo();
  const features = { shop: { files: ['src/**'] } };
  writeFileSync(join(repo, 'lanehold.json'), JSON.stringify({ features }));
  box.commit(repo);
  const send = (event: EventName, more: object) =>
    box.hook(event, { ...promptSubmit(repo), ...more, session_id: 'one', cwd: repo });
  await send('prompt-submit', { prompt: 'Generate the client of the shop' });
  const tool = { tool_name: 'Bash', tool_input: { command: 'make client' } };
  await send('before-tool', { hook_event_name: 'PreToolUse', ...tool });
  mkdirSync(join(repo, 'src'));
  writeFileSync(join(repo, 'src/client.ts'), 'export {};\n');
  await send('stop', { hook_event_name: 'Stop' });
  const { stdout } = await command(box, repo, ['session', 'show', '--json']);
  expect(JSON.parse(stdout).summary.files).toEqual(['src/client.ts']);
});

/** Its payloads are those of the other tests here. */
const PLAYED = 'claude-code';

test.each(
  agentsWith('hooks').flatMap(({ name, hooks }) =>
    hooks.outputs === undefined || name === PLAYED ? [] : [[name, hooks] as const],
  ),
)('how much a tool of %s has answered is noted, and not what', async (name, hooks) => {
  const { box, folder, rows } = project();
  const recorded = recordedPayloads(name);
  const answers = recorded.names
    .filter((it) => /after|post/i.test(it))
    .map((it) =>
      JSON.parse(JSON.stringify(recorded.read(it)).replaceAll('/home/dev/project', folder)),
    )
    .flatMap((payload) => {
      const key = hooks.outputs?.find((it) => payload[it] !== undefined);
      return key === undefined
        ? []
        : [{ payload, bytes: Buffer.byteLength(JSON.stringify(payload[key])) }];
    });
  expect(answers).not.toEqual([]);
  for (const { payload } of answers) {
    const ran = await box.hook('after-tool', payload, { agent: name, cwd: folder });
    expect(ran.exitCode).toBe(0);
  }
  const noted = (await rows()).map((it) => it.output_bytes).filter((it) => it !== null);
  expect(noted).not.toEqual([]);
  expect(answers.map(({ bytes }) => bytes)).toEqual(expect.arrayContaining(noted));
});
