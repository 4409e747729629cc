/** From what sessions said to proposals, and from proposals to notes and rules. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { command } from '../support/command.ts';
import { afterEdit, beforeEdit, promptSubmit, sessionStart } from '../support/payloads.ts';
import { CLI_PROGRAM, sandbox } from '../support/sandbox.ts';

function project() {
  const box = sandbox();
  const folder = box.repo('shop');
  mkdirSync(join(folder, 'migrations'), { recursive: true });
  writeFileSync(join(folder, 'migrations/001.sql'), 'CREATE TABLE a (b);\n');
  const run = (...argv: string[]) => command(box, folder, argv);
  const json = async (...argv: string[]) => JSON.parse((await run(...argv, '--json')).stdout);
  const asked = (session: string, prompt: string) =>
    box.hook('prompt-submit', { ...promptSubmit(folder), session_id: session, prompt });
  const note = async (path: string, title: string, ...more: string[]): Promise<string> =>
    (await json('note', 'add', `project/${path}`, title, ...more)).id;
  return { box, folder, run, json, asked, note };
}

const operations = (proposals: readonly { operation: unknown }[]) =>
  proposals.map(({ operation }) => operation);

test('what the user said in two sessions is proposed as a note and a rule, once', async () => {
  const { asked, json, run } = project();
  await asked('one', 'Add a column for prices. Never edit migrations/001.sql by hand.');
  expect((await json('dream')).proposed).toEqual([]);
  await asked('two', 'Add a table of orders. Never edit migrations/001.sql by hand!');

  const dry = await json('dream', '--dry-run');
  expect((await json('dream', 'list')).proposals).toEqual([]);
  const { proposed } = await json('dream');
  expect(proposed).toEqual(dry.proposed.map((it: object) => ({ ...it, at: expect.any(String) })));
  expect(operations(proposed)).toMatchObject([
    { op: 'create', kind: 'instruction', files: [] },
    { op: 'guard', files: 'migrations/001.sql', deny: false },
  ]);
  expect(proposed[1].evidence.map(({ session }: { session: string }) => session)).toEqual([
    'one',
    'two',
  ]);
  expect((await json('dream')).proposed).toEqual([]);

  const [created, guard] = proposed;
  expect((await run('dream', 'reject', guard.id)).stdout).toContain(`Rejected ${guard.id} guard`);
  expect((await run('dream', 'apply', '--all')).stdout).toContain(`Applied ${created.id} create`);
  const { notes } = await json('note', 'list');
  expect(notes).toMatchObject([{ kind: 'instruction', source: 'dream', status: 'active' }]);
  expect((await json('guard', 'list')).guards).toEqual([]);
  await asked('three', 'Once more: never edit migrations/001.sql by hand.');
  expect((await json('dream')).proposed).toEqual([]);
  expect((await run('dream', 'apply', guard.id)).stderr).toContain('was rejected already');
});

test.each([
  [
    // Begins like words of other languages.
    'English',
    [
      'You may never edit migrations/001.sql by hand.',
      '**Never** edit migrations/001.sql by hand ...',
    ],
    'You may edit migrations/001.sql by hand.',
  ],
  [
    'German',
    ['Ändere niemals migrations/001.sql von Hand.', 'Ändere niemals migrations/001.sql von Hand!'],
    'Du darfst migrations/001.sql jetzt von Hand ändern.',
  ],
  [
    'French',
    [
      'Ne modifie jamais migrations/001.sql à la main.',
      'Ne modifie pas migrations/001.sql à la main !',
    ],
    'Tu peux modifier migrations/001.sql à la main.',
  ],
  [
    'Spanish',
    ['No edites migrations/001.sql a mano.', 'Nunca edites migrations/001.sql a mano.'],
    'Ya puedes editar migrations/001.sql a mano.',
  ],
  [
    'Chinese',
    ['不要手动修改 migrations/001.sql。', '切勿手动修改 migrations/001.sql。'],
    '现在可以手动修改 migrations/001.sql 了。',
  ],
  [
    'Japanese',
    [
      'migrations/001.sql を手で編集しないでください。',
      'migrations/001.sql を手で編集しないこと。',
    ],
    'migrations/001.sql を手で編集してもいいです。',
  ],
])('what the user repeats in %s is heard, until it is withdrawn', async (_, said, withdrawal) => {
  const { asked, json } = project();
  for (const [at, it] of said.entries()) await asked(`session-${at}`, `Go on. ${it}`);
  const dry = await json('dream', '--dry-run');
  expect(operations(dry.proposed)).toMatchObject([
    { op: 'create', kind: 'instruction' },
    { op: 'guard', files: 'migrations/001.sql' },
  ]);
  await asked('later', `Go on. ${withdrawal}`);
  expect((await json('dream')).proposed).toEqual([]);
});

test.each([
  'Je ne sais pas pourquoi le test échoue toujours.',
  'Les tests passent toujours en local.',
  'El servidor siempre devuelve 500.',
  'Los tests no pasan.',
  '测试总是失败。',
  '用户不能登录。',
  'この関数は常に null を返します。',
  'Der Server antwortet mit 500.',
  'There are no changes in migrations/001.sql.',
])('a fact is no instruction: %s', async (said) => {
  const { asked, json } = project();
  for (const it of ['one', 'two']) await asked(it, `Go on. ${said}`);
  expect((await json('dream')).proposed).toEqual([]);
});

test('notes that say the same are merged, and of two that disagree the later one stays', async () => {
  const { json, note, run } = project();
  const first = await note('facts/a', 'Tokens expire after 900 seconds in the shop');
  const again = await note('facts/b', 'In the shop tokens expire after 900 seconds.');
  const { proposed } = await json('dream');
  expect(proposed).toHaveLength(1);
  expect(operations(proposed)[0]).toMatchObject({ op: 'merge' });
  const { into, notes } = proposed[0].operation;
  expect([into, ...notes].sort()).toEqual([first, again].sort());
  await run('dream', 'apply', proposed[0].id);
  expect((await json('note', 'list')).notes.map(({ id }: { id: string }) => id)).toEqual([into]);

  await note('facts/c', 'Tokens expire after 3600 seconds in the shop');
  const later = (await json('dream')).proposed;
  expect(operations(later)).toMatchObject([{ op: 'supersede' }]);
  expect(later[0].diff.join('\n')).toContain('3600');
  expect(later[0].why).toContain('disagrees with');
  await run('config', 'set', 'recall.dream', 'auto');
  await note('facts/d', 'Tokens expire after 60 seconds in the shop');
  const left = await json('dream');
  expect(operations(left.proposed)).toContainEqual(expect.objectContaining({ op: 'supersede' }));
  expect(left.applied).toEqual([]);
});

// What hangs runs into the limit of a test: over a blob, the old comparison took minutes.
test('a note with a long blob is compared by its words, like any other', async () => {
  const { json, note } = project();
  const body = ['--body', `the zebra crosses ${'y'.repeat(300_000)} at ${'a-'.repeat(100_000)}`];
  const first = await note('gotchas/one', 'Zebra long body', ...body);
  const second = await note('gotchas/two', 'Zebra long body', ...body);
  await note('gotchas/three', 'Nobody feeds the lion at night', ...body);
  const { operation } = (await json('dream', '--dry-run')).proposed[0];
  expect([operation.into, ...operation.notes].sort()).toEqual([first, second].sort());
});

test('sentences about several files, or several things, are not taken for one', async () => {
  const { asked, json, note, run } = project();
  const files = ['api', 'web', 'jobs', 'mail', 'docs'];
  for (const it of files)
    await asked(it, `Go on. Never edit the generated client by hand in packages/${it}/client.ts.`);
  await asked('german', 'Go on. Always use the German locale for dates in templates of invoices.');
  await asked('french', 'Go on. Always use the French locale for dates in templates of invoices.');
  for (const it of ['b', 'c', 'D'])
    await asked(it, `Go on. Never call the parser of module ${it} twice, because it keeps state.`);
  await note('facts/a', 'Rows of src/a.ts are read in batches of the importer');
  await note('facts/b', 'Rows of src/b.ts are read in batches of the importer');
  await note('facts/c', 'Run migrations/001.sql before the importer of prices');
  await note('facts/d', 'Run migrations/002.sql before the importer of prices');
  expect((await json('dream')).proposed).toEqual([]);

  await asked('again', 'Never edit the generated client by hand in packages/web/client.ts!');
  const { stdout } = await run('dream');
  expect(stdout).toContain('2 sessions said so');
  expect(stdout).toMatch(/session web: Never edit[^\n]+\n {2}session again: Never edit/);
});

test('what was withdrawn or contradicted since is not proposed', async () => {
  const { asked, json } = project();
  const says = [
    ['Go on. Never delete anything in migrations/ without asking.', 3],
    ['Go on. Always use tabs for the indentation of Makefiles here.', 2],
    ['Go on. Always keep at most 80 columns in the manual.', 2],
    ['Go on. You may delete things in migrations/ again.', 1],
    ['Go on. Never use tabs for the indentation of Makefiles here.', 1],
    ['Go on. Always keep at most 100 columns in the manual.', 1],
  ] as const;
  for (const [at, [prompt, times]] of says.entries())
    for (let turn = 0; turn < times; turn += 1) await asked(`s${at}-${turn}`, prompt);
  expect((await json('dream')).proposed).toEqual([]);
  await asked('after', 'Go on. Always keep at most 100 columns in the manual.');
  expect((await json('dream')).proposed).toMatchObject([{ evidence: [{}, {}] }]);
});

test('learned rules are listed with their use, and one that nobody meets for long is proposed to go', async () => {
  const { box, folder, asked, json, run } = project();
  for (const session of ['one', 'two'])
    await asked(session, 'Go on with prices. Never edit migrations/001.sql by hand.');
  await json('dream');
  await run('dream', 'apply', '--all');
  await run('guard', 'add', 'src/**', 'Keep the names');
  const used = async () => (await json('guard', 'list')).guards;
  expect(await used()).toMatchObject([{ sessions: 0, last: null }, { sessions: 0 }]);

  const file = join(folder, 'migrations/001.sql');
  const session = { session_id: 'three' };
  await box.hook('before-tool', { ...beforeEdit(folder, file), ...session });
  const last = { session: 'three', effect: 'left' };
  expect(await used()).toMatchObject([{ sessions: 1, last }, { sessions: 0 }]);
  await box.hook('after-tool', { ...afterEdit(folder, file), ...session });
  expect(await used()).toMatchObject([{ sessions: 1, last: { effect: 'edited' } }, {}]);
  expect((await run('guard', 'list')).stdout).toContain('met by 1 session, last');

  const later = { now: new Date(Date.now() + 91 * 86_400_000) };
  const soon = { now: new Date(Date.now() + 80 * 86_400_000) };
  expect((await command(box, folder, ['dream'], soon)).stdout).not.toContain('unguard');
  const { stdout } = await command(box, folder, ['dream'], later);
  expect(stdout).toContain(
    'no session on record has met the rule about migrations/001.sql in 90 days',
  );
  // A rule that a person has set is theirs.
  expect(stdout.match(/unguard/g)).toHaveLength(1);
  expect((await run('dream', 'apply', '--all')).exitCode).toBe(0);
  expect(await used()).toMatchObject([{ files: 'src/**' }]);
});

test('two short notes on one matter with another number disagree', async () => {
  const { json, note } = project();
  await note('facts/port', 'The metrics port is 9100');
  await note('facts/ports', 'The metrics port is 9200');
  await note('facts/other', 'The broker port is 5671');
  const { proposed } = await json('dream');
  expect(operations(proposed)).toMatchObject([{ op: 'supersede' }]);
  expect(proposed[0].diff.join('\n')).toContain('The metrics port is 9');
});

test('notes on other matters are left alone', async () => {
  const { json, note } = project();
  await note('facts/a', 'Tokens expire after 900 seconds in the shop');
  await note('facts/b', 'Sessions of admins expire after a day');
  await note('facts/c', 'Prices are stored in cents');
  expect((await json('dream')).proposed).toEqual([]);
});

test('a note whose files are all gone is proposed to be put aside', async () => {
  const { box, folder, json, note, run } = project();
  writeFileSync(join(folder, 'old.ts'), 'export {};\n');
  const id = await note('facts/old', 'The old module is slow', '--files', 'old.ts');
  expect((await json('dream')).proposed).toEqual([]);
  const { rmSync } = await import('node:fs');
  rmSync(join(folder, 'old.ts'));
  const { proposed } = await json('dream');
  expect(operations(proposed)).toEqual([{ op: 'archive', note: id }]);
  await command(box, folder, ['dream', 'apply', proposed[0].id]);
  expect((await json('note', 'show', id)).status).toBe('archived');
  expect((await run('dream')).stdout).toContain('Nothing new to propose');
});

test('with recall.dream auto notes are changed at once, and rules wait', async () => {
  const { asked, json, run } = project();
  expect((await run('config', 'set', 'recall.dream', 'auto')).exitCode).toBe(0);
  for (const session of ['one', 'two'])
    await asked(session, 'Go on with prices. Never edit migrations/001.sql by hand.');
  const { proposed, applied } = await json('dream');
  expect(applied).toEqual([proposed[0].id]);
  expect((await json('note', 'list')).notes).toHaveLength(1);
  expect(operations((await json('dream', 'list')).proposals)).toMatchObject([{ op: 'guard' }]);
});

test('a proposal whose application ended half-way is finished by the next one', async () => {
  const { asked, json, run } = project();
  for (const session of ['one', 'two'])
    await asked(session, 'Write the invoice code. Always round prices up to whole cents.');
  const [{ id, operation }] = (await json('dream')).proposed;
  const path = `project/instructions/always-round-prices-up-to-whole-cents`;
  // The note is written first; then the process ends.
  await run('note', 'add', path, operation.title, '--kind', 'instruction');
  expect((await run('dream', 'apply', id)).exitCode).toBe(0);
  expect((await json('note', 'list')).notes).toHaveLength(1);
  expect((await json('dream', 'list')).proposals).toEqual([]);
});

test('an id that is none is refused with the way out', async () => {
  const { run } = project();
  const refused = await run('dream', 'apply', 'dp-none');
  expect(refused).toMatchObject({ exitCode: 2 });
  expect(refused.stderr).toContain('see `lanehold dream list`');
  expect((await run('dream', 'apply')).exitCode).toBe(2);
});

test('what is forgotten is gone from proposals, too', async () => {
  const { asked, json, run } = project();
  for (const session of ['one', 'two'])
    await asked(session, 'Write the code. Always call the customer Zebedee in letters.');
  expect((await json('dream')).proposed).toHaveLength(1);
  expect((await run('forget', 'Zebedee', '--yes')).exitCode).toBe(0);
  expect((await json('dream', 'list')).proposals).toEqual([]);
});

test('what waits is named by status, and once a day where a session starts', async () => {
  const { asked, box, folder, json, run } = project();
  const started = async () => (await box.hook('session-start', sessionStart(folder))).stdout;
  for (const session of ['one', 'two'])
    await asked(session, 'Never edit migrations/001.sql by hand.');
  expect((await run('status')).stdout).not.toContain('proposal');
  await run('dream');
  expect((await run('status')).stdout).toContain('2 proposals waiting: run `lanehold dream list`');
  expect((await json('status')).proposals).toBe(2);
  expect(await started()).toContain('2 proposals for the user to decide');
  expect(await started()).not.toContain('proposals for the user');
});

describe('a program', () => {
  /** What it is given lands in `prompt`; it answers what `answer` holds. */
  function withProgram() {
    const given = project();
    const { box } = given;
    const answer = (value: unknown) =>
      box.write('answer', typeof value === 'string' ? value : JSON.stringify(value));
    const prompt = join(box.root, 'prompt');
    const program = `cat > ${prompt}; cat ${join(box.root, 'answer')}`;
    return {
      ...given,
      answer,
      program,
      prompt,
      dream: () => given.run('dream', '--program', program, '--json'),
    };
  }

  const QUOTE = 'refunds are rounded down to cents';
  const change = (operation: object, session = 'one', quote = QUOTE) => ({
    ...{ operation, why: 'it came up', evidence: [{ session, quote }] },
  });
  const fact = (title: string) => ({ op: 'create', kind: 'fact', title });

  test('proposes what the sessions bear out, and nothing else', async () => {
    const { asked, note, answer, dream, prompt, json, run, box } = withProgram();
    await asked(
      'one',
      'Remember: Refunds are rounded  down to cents. The key is AKIAIOSFODNN7EXAMPLX.',
    );
    const id = await note('facts/a', 'Prices are in cents');
    answer({
      changes: [
        change(fact('Refunds round down to cents')),
        change({ op: 'archive', note: id }),
        change({ op: 'guard', files: 'src/refund.ts', rule: 'Round down' }),
        change({ op: 'feature', name: 'refunds', files: ['src/**'], smoke: ['true'] }),
        change(fact('Made up'), 'one', 'refunds are rounded up to euros'),
        change(fact('Of another session'), 'two'),
        change({ op: 'archive', note: 'lh-000000' }),
        change(fact('The key is AKIAIOSFODNN7EXAMPLX')),
        change({ op: 'delete', note: id }),
        { ...change(fact('No proof')), evidence: [] },
      ],
    });
    const { proposed, program } = JSON.parse((await dream()).stdout);
    expect(operations(proposed)).toMatchObject([
      { op: 'create', title: 'Refunds round down to cents' },
      { op: 'archive', note: id },
      { op: 'guard', deny: false },
      { op: 'feature', name: 'refunds' },
    ]);
    expect(proposed[0]).toMatchObject({ source: 'program', evidence: [{ session: 'one' }] });
    expect(program).toMatchObject({ sessions: 1, left: 0 });
    expect(program.refused.map(({ why }: { why: string }) => why)).toEqual([
      'session one does not say "refunds are rounded up to euros"',
      `session two does not say "${QUOTE}"`,
      'there is no note lh-000000',
      'it holds a secret',
      expect.stringContaining('Invalid'),
      'it has no evidence',
    ]);
    const given = readFileSync(prompt, 'utf8');
    expect(given).toContain(`${id} (fact) Prices are in cents`);
    expect(given).not.toContain('AKIA');

    expect(JSON.parse((await dream()).stdout)).toMatchObject({
      proposed: [],
      program: { sessions: 0 },
    });
    await run('dream', 'apply', proposed[0].id);
    const { notes } = await json('note', 'list');
    expect(notes.map(({ title }: { title: string }) => title)).toContain(
      'Refunds round down to cents',
    );
    await run('dream', 'apply', proposed[3].id);
    // A process that ends between the two steps leaves it waiting.
    const db = new Sqlite(join(box.laneholdHome, 'lanehold.db'));
    db.exec("UPDATE proposals SET status = 'waiting'");
    db.close();
    expect(await run('dream', 'apply', proposed[3].id)).toMatchObject({ exitCode: 0, stderr: '' });
    expect((await json('feature', 'list')).features).toMatchObject([
      { name: 'refunds', files: ['src/**'], smoke: [{ command: 'true' }] },
    ]);
  });

  test('reads the oldest first, also where hundreds are unread', async () => {
    const { asked, answer, dream, prompt, run, box } = withProgram();
    await asked('newest', 'Remember: the newest one.');
    await run('session', 'list');
    const db = new Sqlite(join(box.laneholdHome, 'lanehold.db'));
    const copy = db.prepare(
      `INSERT INTO observations (project_id, agent, session, kind, text, files, at)
       SELECT project_id, agent, :name, kind, text || :name, files, at - 1000000 + :at FROM observations
        WHERE session = 'newest' AND kind = 'prompt'`,
    );
    for (let at = 0; at < 310; at += 1) copy.run({ name: `old-${at}.`, at });
    db.close();
    answer({ changes: [] });
    const { program } = JSON.parse((await dream()).stdout);
    expect(program.sessions + program.left).toBe(311);
    expect(readFileSync(prompt, 'utf8')).toMatch(/session old-0\.\n(.*\n)*session old-1\.\n/);
  });

  test('that fails is of no use, and is asked again', async () => {
    const { asked, answer, dream, run, box } = withProgram();
    await asked('one', `Remember: ${QUOTE}.`);
    answer('I would rather talk about it.');
    const prose = await dream();
    expect(prose.exitCode).toBe(1);
    expect(JSON.parse(prose.stdout).program.problem).toContain('no JSON of the asked form');
    const crashed = await run('dream', '--program', 'echo "no credit left" >&2; exit 9');
    expect(crashed.stdout).toContain('it ended with exit code 9: no credit left');
    expect(readdirSync(box.laneholdHome).filter((it) => it.startsWith('dream-'))).toEqual([]);
    answer(
      `Here it is:\n\`\`\`json\n${JSON.stringify({ changes: [change(fact('Round down'))] })}\n\`\`\``,
    );
    expect(JSON.parse((await dream()).stdout).proposed).toHaveLength(1);
    await asked('two', `Remember: ${QUOTE}.`);
    const much = await run('dream', '--program', 'yes');
    expect(much.stdout).toContain('wrote more than');
  });

  test('that was killed costs its tokens, and loses nothing', async () => {
    const { asked, answer, program, json, run, box, folder } = withProgram();
    await asked('one', `Remember: ${QUOTE}.`);
    answer({ changes: [change(fact('Round down'))] });
    const started = join(box.root, 'started');
    const child = spawn(
      process.execPath,
      [CLI_PROGRAM, 'dream', '--program', `touch ${started}; read x <&-; sleep 600`],
      {
        ...{ cwd: folder, env: box.env, stdio: 'ignore' },
      },
    );
    await expect.poll(() => existsSync(started)).toBe(true);
    child.kill('SIGINT');
    await once(child, 'exit');
    expect((await json('dream', 'list')).proposals).toEqual([]);
    await run('config', 'set', 'recall.dreamTokens', '10');
    const { stderr } = await run('dream', '--program', program);
    expect(stderr).toMatch(
      /would be given \d+ tokens; \d{3,} of 10 were used in the last 24 hours/,
    );
    await run('config', 'set', 'recall.dreamTokens', '20000');
    await run('config', 'set', 'recall.dreamer', program);
    expect((await json('dream', '--rules')).program).toBeUndefined();
    expect((await json('dream')).proposed).toHaveLength(1);
  });

  test('is started by a person alone', async () => {
    const { box, folder, program } = withProgram();
    const asAgent = await command(box, folder, ['dream', '--program', program], {
      env: { CLAUDECODE: '1' },
    });
    expect(asAgent.stderr).toContain('does not start a program to dream with');
  });
});
