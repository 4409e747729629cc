/** Remotes that do not take every ref. */
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { acme, credentialsOf } from '../support/board.ts';
import { withPostgres } from '../support/postgres.ts';
import type { Member } from '../support/team.ts';

const doctor = async (member: Member) => {
  const { findings } = JSON.parse((await member.lanehold('team', 'doctor', '--json')).stdout);
  return findings.find((it: { about: string }) => JSON.stringify(it).includes('the remote'));
};

withPostgres('refs of a team', (server) => {
  test('F32: a remote that refuses refs/lanehold gets branches; connect says so and sets it, doctor knows', async () => {
    const { box, connected, member, keys } = await acme(server);
    const remote = join(box.root, 'remote.git');
    const ada = await connected('ada', keys.ada);
    expect(JSON.stringify(await doctor(ada))).toContain('the remote takes lanes in refs/lanehold');
    expect(box.git(remote, 'for-each-ref', 'refs/lanehold', 'refs/heads/lanehold')).toBe('');

    const hook = box.write(
      'remote.git/hooks/update',
      '#!/bin/sh\ncase "$1" in refs/heads/*) ;; *) exit 1;; esac\n',
    );
    chmodSync(hook, 0o755);
    expect(JSON.stringify(await doctor(ada))).toContain(
      'the remote refuses refs/lanehold, and takes refs/heads/lanehold',
    );
    const laptop = await connected('laptop', keys.ada);
    expect(await laptop.done('config', 'get', 'team.refs')).toContain('refs/heads/lanehold');
    expect(JSON.stringify(await doctor(laptop))).toContain('takes lanes in refs/heads/lanehold');
    expect(box.git(remote, 'for-each-ref', 'refs/heads/lanehold')).toBe('');

    box.write('remote.git/hooks/update', '#!/bin/sh\nexit 1\n');
    const ci = member('ci', keys.ci);
    const given = { LANEHOLD_TEAM_URL: credentialsOf(ada).url };
    const said = await ci.laneholdWith(given, 'team', 'connect', '--name', 'ci');
    expect(said.exitCode).toBe(0);
    expect(said.stdout).toContain('the remote takes no lane from here: ');
  });
});
