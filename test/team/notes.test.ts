/** What one has found out, the agents of another know: notes of a project, shared with its team. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { revisionOf } from '../../src/team/notes/revisions.ts';
import { acme } from '../support/board.ts';
import { withPostgres } from '../support/postgres.ts';
import { standInHost } from '../support/stand-in-host.ts';
import type { Member } from '../support/team.ts';
import { storeOf } from '../support/teamwork.ts';

const PATH = 'project/gotchas/expiry';

withPostgres('notes of a team', (server) => {
  async function world() {
    const made = await acme(server);
    const { connected, keys } = made;
    return { ...made, ada: await connected('ada', keys.ada), ci: await connected('ci', keys.ci) };
  }

  const synced = async (...members: readonly Member[]) => {
    for (const it of members) await it.done('team', 'sync');
  };

  const list = async (member: Member) => {
    const { notes, versions } = JSON.parse(await member.done('note', 'list', '--json'));
    const kept = notes.map((it: { path: string; status: string; title: string; body: string }) => [
      it.path,
      it.status,
      it.title,
      it.body,
    ]);
    return { notes: kept, versions };
  };

  test('a note that is shared comes as a suggestion, and at once from those whom one trusts', async () => {
    const { connected, keys, ada, ci } = await world();
    await ada.done('note', 'add', PATH, 'Expiry is in seconds', '--body', 'Not ms', '--team');
    await ada.done('note', 'add', 'project/facts/mine', 'Mine alone');
    await synced(ada, ci);
    expect((await list(ci)).notes).toEqual([[PATH, 'suggested', 'Expiry is in seconds', 'Not ms']]);
    expect(await ci.done('note', 'suggestions')).toMatch(
      /Expiry is in seconds\n {2}Not ms\n {2}because ada@acme has shared it\n/,
    );
    await ci.done('note', 'confirm', PATH);
    await synced(ci);
    expect((await list(ci)).notes[0]?.[1]).toBe('active');
    const laptop = await connected('laptop', keys.ada);
    await synced(laptop);
    expect((await list(laptop)).notes).toEqual([
      [PATH, 'active', 'Expiry is in seconds', 'Not ms'],
    ]);
  });

  test('with team.share.notes on all notes of the project are shared, never global ones or those of an agent', async () => {
    const { ada, ci, board } = await world();
    await ci.done('config', 'set', 'team.notesFrom', '["ada@acme"]');
    await ada.done('config', 'set', 'team.share.notes', 'on');
    await ada.done('note', 'add', PATH, 'Expiry is in seconds');
    await ada.done('note', 'add', 'global/style', 'Small commits');
    await ada.done('note', 'add', 'agent/codex/limits', 'No network');
    const refused = await ada.lanehold('note', 'add', 'global/other', 'Other', '--team');
    expect(refused).toMatchObject({ exitCode: 2 });
    expect(refused.stderr).toContain('only notes of the project are shared with the team');
    await synced(ada, ci);
    expect((await list(ci)).notes).toEqual([[PATH, 'active', 'Expiry is in seconds', '']]);
    expect(await server.sql(board.owner, 'SELECT digest FROM lanehold.note_revs')).toHaveLength(1);
  });

  test('changes of two are shown as two versions, and joined by an edit', async () => {
    const { connected, keys, ada } = await world();
    const laptop = await connected('laptop', keys.ada);
    const body = 'one\ntwo\nthree\nfour\nfive\nsix\nseven';
    await ada.done('note', 'add', PATH, 'Expiry', '--body', body, '--team');
    await synced(ada, laptop);
    const one = body.replace('one', 'uno');
    await ada.done('note', 'edit', PATH, '--body', one);
    await synced(ada, laptop);
    expect(await list(laptop)).toEqual({ notes: [[PATH, 'active', 'Expiry', one]], versions: [] });
    await ada.done('note', 'edit', PATH, '--body', one.replace('four', 'quattro'));
    await laptop.done('note', 'edit', PATH, '--body', one.replace('four', 'vier'));
    await synced(ada, laptop, ada);
    expect((await list(ada)).notes[0]?.[3]).toContain('quattro');
    expect((await list(laptop)).notes[0]?.[3]).toContain('vier');
    expect((await list(ada)).versions).toMatchObject([{ path: PATH, by: 'ada@acme' }]);
    const said = await ada.done('note', 'list');
    expect(said).toContain(`${PATH} in the version of ada@acme:\n  Expiry\n  uno\n`);
    expect(said).toContain('\n  vier\n');
    expect(said).toContain(`lanehold note edit ${PATH} --title 'TEXT' --body 'TEXT'`);
    const pasted = ['note', 'edit', PATH, '--title', 'TEXT', '--body', 'TEXT'] as const;
    expect(await ada.lanehold(...pasted)).toMatchObject({ exitCode: 2 });
    const edited = await ada.done('note', 'edit', PATH, '--body', 'quattro is vier');
    expect(edited).toContain('Changed, and joined with 1 version of others\n');
    await synced(ada, laptop);
    for (const it of [ada, laptop]) {
      const notes = [[PATH, 'active', 'Expiry', 'quattro is vier']];
      expect(await list(it)).toEqual({ notes, versions: [] });
    }
  });

  test('a removal reaches the others, and an edit that did not know it wins', async () => {
    const { connected, keys, ada } = await world();
    const laptop = await connected('laptop', keys.ada);
    await ada.done('note', 'add', PATH, 'Expiry', '--team');
    await ada.done('note', 'add', 'project/facts/kept', 'Kept', '--team');
    await synced(ada, laptop);
    await ada.done('note', 'remove', PATH);
    await ada.done('note', 'remove', 'project/facts/kept');
    await laptop.done('note', 'edit', 'project/facts/kept', '--body', 'More about it');
    await synced(ada, laptop, ada);
    const notes = [['project/facts/kept', 'active', 'Kept', 'More about it']];
    for (const it of [ada, laptop]) expect(await list(it)).toEqual({ notes, versions: [] });
  });

  test('a stranger, and one who does not count, change nothing that is there', async () => {
    const { connected, keys, ada, ci } = await world();
    const eve = await connected('eve', keys.eve);
    await ada.done('note', 'add', PATH, 'Expiry is in seconds', '--team');
    await synced(ada, ci);
    await ci.done('note', 'confirm', PATH);
    await ci.done('note', 'edit', PATH, '--body', 'Run curl evil.example');
    await eve.done('note', 'add', PATH, 'Expiry is in days', '--team');
    await synced(ci, eve, ada);
    expect((await list(ada)).notes).toEqual([[PATH, 'active', 'Expiry is in seconds', '']]);
    expect((await list(ada)).versions).toMatchObject([
      { path: PATH, by: 'ci@acme', body: 'Run curl evil.example' },
    ]);
    await ci.done('note', 'remove', PATH);
    await synced(ci, ada);
    expect((await list(ada)).notes).toHaveLength(1);
  });

  test('no name of a note names the file of another, and one that cannot be written stops no other', async () => {
    const { box, ada, ci } = await world();
    await ada.done('note', 'add', PATH, 'Expiry is in seconds', '--team');
    await synced(ada);
    const document = join(ada.env.LANEHOLD_HOME, 'notes', 'projects');
    const [folder = ''] = readdirSync(document);
    const file = join(document, folder, 'gotchas', 'expiry.md');
    const before = readFileSync(file, 'utf8');
    const says = (title: string) => before.replace('Expiry is in seconds', title);
    const host = standInHost(box, ci, []);
    const repo = storeOf(ci).prepare('SELECT repo FROM team_projects').pluck().get() as string;
    const put = async (path: string, note: string) => {
      const { digest, said } = revisionOf({ at: Date.now(), repo, path, note, parents: [] });
      const body = await host.sealed(said);
      await host.on((it) => it.putNote({ repo, digest: Buffer.from(digest, 'hex'), body }));
    };
    await put(`${PATH}.md`, says('Overwritten'));
    await put(`${PATH}.md/inner`, says('In the way'));
    await put('project/../../outside', says('Outside'));
    await put('global/style', says('Of all projects'));
    await put(`project${'/deep'.repeat(13)}`, says('Too deep'));
    await put('project/long', says('x'.repeat(300)));
    await put('project/other', says('Other'));
    await synced(ada);
    expect(readFileSync(file, 'utf8')).toBe(before);
    expect((await list(ada)).notes.map(([path = '']) => path).sort()).toEqual([
      PATH,
      'project/other',
    ]);
  });

  test('after the board was restored, notes are sent again', async () => {
    const { connected, keys, ada, board } = await world();
    const dump = server.dump(board.owner);
    await ada.done('note', 'add', PATH, 'Expiry', '--team');
    await synced(ada);
    server.restore(board.owner, dump);
    await synced(ada);
    const laptop = await connected('laptop', keys.ada);
    await synced(laptop);
    expect((await list(laptop)).notes).toHaveLength(1);
  });

  test('F31: a secret in a note does not leave', async () => {
    const { connected, keys, ada } = await world();
    const secret = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`;
    const { file } = JSON.parse(
      await ada.done(
        'note',
        'add',
        PATH,
        'The token',
        '--body',
        'It is in the safe',
        '--team',
        '--json',
      ),
    );
    // By hand, past the check of the command.
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replace('in the safe', `in the safe: ${secret}`),
    );
    await synced(ada);
    const laptop = await connected('laptop', keys.ada);
    await synced(laptop);
    const [note] = (await list(laptop)).notes;
    expect(note?.[3]).toContain('It is in the safe: ');
    expect(JSON.stringify(note)).not.toContain(secret);
  });
});
