/** Lanes that other machines work on, at the home of their run: a stand-in for `team host` claims and finishes. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Payload } from '../../src/team/payload.ts';
import { acme, connecting } from '../support/board.ts';
import { withPostgres } from '../support/postgres.ts';
import { standInHost } from '../support/stand-in-host.ts';
import type { Member } from '../support/team.ts';
import { LANE, laneOf, states, storeOf, teamwork } from '../support/teamwork.ts';
import { until } from '../support/until.ts';

/** The lanes whose merges a commit has. */
const trailersIn = ({ git }: Member, commit: string): string[] =>
  git('log', '--format=%(trailers:key=Lanehold-Lane,valueonly)', commit)
    .split('\n')
    .filter(Boolean);

const PASSED: Payload<'result'>['validation'] = {
  ...{ result: 'pass', exitCode: 0, durationMs: 10, logSha256: '', tail: '' },
  ...{ newFailures: [], oldFailures: null },
};

withPostgres('the home of a run', (server) => {
  test('an offered lane is claimed, finished, integrated and landed', async () => {
    const { ada, host, box } = await teamwork(server, 'api');
    await ada.done('orchestrate', 'spawn', '--ready');
    expect(await laneOf(ada, 'api')).toMatchObject({
      state: 'ready',
      hindered: expect.stringContaining('it is offered to the team: no machine that may have it'),
      team: { state: 'offered' },
    });
    const [claim] = await host.claims();
    expect(claim?.offer).toMatchObject({ key: 'api', spec: { desc: 'Write it' }, from: null });
    expect(await laneOf(ada, 'api')).toMatchObject({ state: 'running', team: { host: 'mini' } });
    expect(await ada.done('orchestrate', 'status')).toMatch(/api .*running .*tester on mini/);
    const retried = await ada.lanehold('orchestrate', 'retry', 'api');
    expect(retried.stderr).toContain('lane api is running on mini');

    if (claim === undefined) throw new Error('nothing was claimed');
    expect(await host.finish(claim, await host.resultOf(claim))).toBe('accepted');
    expect(await laneOf(ada, 'api')).toMatchObject({
      state: 'verified',
      attempt: { n: 1, endReason: 'verified', agent: 'tester' },
      used: { turns: 2, tokens: 100 },
    });
    await ada.done('orchestrate', 'integrate');
    await ada.done('orchestrate', 'land');
    expect(ada.git('show', 'main:api.txt')).toBe('1');
    // What has landed without a push can still be pushed.
    const push = ['orchestrate', 'land', '--push', '--run', 'move'];
    expect(await ada.done(...push)).toBe('Nothing new to land\nPushed main to origin\n');
    expect(await ada.done(...push)).toBe('Nothing new to land\norigin has main already\n');
    const { run } = claim;
    expect(ada.git('ls-remote', 'origin', `refs/lanehold/${run}/integration`)).not.toBe('');
    expect(ada.git('log', '--format=%(trailers:key=Lanehold-Lane,valueonly)', 'main')).toContain(
      claim.lane,
    );
    expect(box.git(ada.repo, 'status', '--porcelain')).toBe('');
    const left = () => ada.git('ls-remote', 'origin', `refs/lanehold/${run}/*`);
    await ada.done('orchestrate', 'gc');
    expect(left()).not.toBe('');
    const ended = storeOf(ada);
    ended.exec('DROP TRIGGER lane_event_kept_1; UPDATE lane_events SET at = at - 31 * 86400000');
    ended.close();
    await ada.done('orchestrate', 'gc');
    expect(left()).toBe('');
  });

  test('F7, F8: what was said without an answer, and what was heard twice, has no second effect', async () => {
    const { ada, host } = await teamwork(server, 'api');
    await ada.done('orchestrate', 'spawn', '--ready');
    const local = storeOf(ada);
    const repeat = () => {
      // As if the process had been killed before it noted the answer.
      local.exec("UPDATE team_lanes SET state = 'to-offer'; UPDATE team_runs SET said = ''");
    };
    repeat();
    await ada.done('orchestrate', 'status');
    const { claim, result } = await host.works();
    expect(claim).toMatchObject({ rev: 1, epoch: 1 });
    expect(await host.claims()).toEqual([]);
    const before = await laneOf(ada, 'api');
    expect(before).toMatchObject({ state: 'verified', attempts: [{ n: 1 }] });
    expect(await host.finish(claim, result)).toBe('accepted');
    expect(await laneOf(ada, 'api')).toMatchObject({ state: 'verified', attempts: [{ n: 1 }] });
    local.close();
  });

  test('F11: a restored board is told again; what is in the tip is not done twice', async () => {
    const { ada, host, board: made } = await teamwork(server, 'api', 'docs');
    await ada.done('orchestrate', 'spawn', 'api', 'docs');
    const dump = server.dump(made.owner);
    const first = await host.works();
    await host.works();
    await ada.done('orchestrate', 'integrate');
    server.restore(made.owner, dump);
    // The board offers both again, until their home speaks.
    await ada.done('orchestrate', 'lane', 'add', 'ui', ...LANE, '--spawn');
    const again = await host.claims(9);
    expect(again.map(({ offer }) => offer.key)).toEqual(['ui']);
    expect(await laneOf(ada, 'api')).toMatchObject({ state: 'integrated', attempts: [{ n: 1 }] });
    const late = await host.finish(first.claim, first.result);
    expect(['accepted', 'fenced', 'cancelled']).toContain(late);
    await ada.done('orchestrate', 'status');
    await ada.done('orchestrate', 'integrate');
    const merges = trailersIn(ada, `refs/lanehold/${first.claim.run}/integration`);
    expect(new Set(merges).size).toBe(merges.length);
    expect(merges).toHaveLength(2);
  });

  test('F11: a board that was restored to before the run gets all of it again', async () => {
    const { ada, host, board: made } = await teamwork(server, 'api');
    const dump = server.dump(made.owner);
    await ada.done('orchestrate', 'spawn', '--ready');
    server.restore(made.owner, dump);
    await ada.done('orchestrate', 'status');
    await host.works();
    expect(await laneOf(ada, 'api')).toMatchObject({ state: 'verified' });
  });

  test('F15: a result whose commit is gone is refused, and the lane is offered again', async () => {
    const { ada, host } = await teamwork(server, 'api');
    await ada.done('orchestrate', 'spawn', '--ready');
    expect((await host.works({ ref: null })).answer).toBe('accepted');
    expect(await laneOf(ada, 'api')).toMatchObject({ state: 'ready', team: { rev: 2 } });
    const again = await host.works();
    expect(again.claim).toMatchObject({ rev: 2, epoch: 2 });
    expect(await laneOf(ada, 'api')).toMatchObject({ state: 'verified' });
  });

  test.each([
    ['another epoch', { epoch: 7 }],
    ['another run', { run: '01a21c04-16da-76be-b98e-bb5823d878eb' }],
    ['another lane', { lane: '01a21c04-16da-76be-b98e-bb5823d878eb' }],
    ['another task', { specHash: 'f'.repeat(64) }],
    ['another validation', { cmdHash: 'f'.repeat(64) }],
    ['another base', { base: 'f'.repeat(40) }],
    ['another tree', { tree: 'f'.repeat(40) }],
    ['a validation that failed', { validation: null }],
    ['a ref of another lane', { ref: 'refs/heads/main' }],
    ['a time that no clock shows', { startedAt: Number.MAX_SAFE_INTEGER }],
    ['a use of less than nothing', { usage: { turns: -1, tokens: 0.5, seconds: 0, usd: -9 } }],
    ['a pass with an exit code', { validation: { ...PASSED, exitCode: 3 } }],
  ])('F19: a result that was signed for %s does not count', async (_, says) => {
    const { ada, host } = await teamwork(server, 'api');
    await ada.done('orchestrate', 'spawn', '--ready');
    await host.works({ says });
    expect(await laneOf(ada, 'api')).toMatchObject({ state: 'ready', headSha: null });
    const [claim] = await host.claims();
    if (claim === undefined) throw new Error('it is not offered again');
    await host.finish(claim, await host.resultOf(claim, { says }));
    expect(await laneOf(ada, 'api')).toMatchObject({
      state: 'blocked',
      blocked: expect.stringContaining('a result of mini was refused'),
    });
  });

  test('F19: a result of a stranger, or with another commit than is on the remote, does not count', async () => {
    const { ada, host, box, connected, keys } = await teamwork(server, 'api', 'docs');
    const eve = standInHost(box, await connected('eve', keys.eve), []);
    await ada.done('orchestrate', 'spawn', '--ready');
    const [claim] = await host.claims();
    if (claim === undefined) throw new Error('nothing was claimed');
    await host.finish(claim, await host.resultOf(claim), eve.sealed);
    expect(await laneOf(ada, claim.offer.key)).toMatchObject({ state: 'ready', headSha: null });
    const [next] = await host.claims();
    if (next === undefined) throw new Error('nothing was claimed');
    const result = await host.resultOf(next);
    const other = host.member.git('commit-tree', '-m', 'other', `${result.tree}`);
    host.member.git(
      'push',
      '--quiet',
      '--no-verify',
      '--force',
      'origin',
      `${other}:${result.ref}`,
    );
    await host.finish(next, result);
    expect(await laneOf(ada, next.offer.key)).toMatchObject({ headSha: null });
    const local = storeOf(ada);
    const said = local.prepare(
      "SELECT data ->> 'why' FROM lane_events WHERE type = 'team.result-refused'",
    );
    expect(said.pluck().all()).toEqual([
      expect.stringContaining('nobody who may sign has the key'),
      expect.stringContaining('the remote has another commit'),
    ]);
    local.close();
  });

  test('F19: what is no commit, or what git would not write, does not count; other results do', async () => {
    const { ada, host } = await teamwork(server, 'api', 'docs', 'ui');
    await ada.done('orchestrate', 'spawn', '--ready');
    const { git, repo } = host.member;
    const blob = git('hash-object', '-w', 'lanehold.json');
    const treeOf = (input: string) =>
      execFileSync('git', ['mktree'], { cwd: repo, input, encoding: 'utf8' }).trim();
    const tree = treeOf(`040000 tree ${treeOf(`100644 blob ${blob}\tconfig\n`)}\t.git\n`);
    const [one, two] = await host.claims(2);
    if (one === undefined || two === undefined) throw new Error('nothing was claimed');
    const hidden = git('commit-tree', '-m', 'work', '-p', two.offer.base, tree);
    for (const [claim, head] of [[one, blob] as const, [two, hidden] as const]) {
      const result = await host.resultOf(claim);
      git('push', '--quiet', '--no-verify', '--force', 'origin', `${head}:${result.ref}`);
      await host.finish(claim, { ...result, head, tree });
    }
    expect((await host.works()).answer).toBe('accepted');
    expect(await states(ada)).toEqual(['api ready', 'docs ready', 'ui verified']);
    const local = storeOf(ada);
    const said = "SELECT data ->> 'why' FROM lane_events WHERE type = 'team.result-refused'";
    expect(local.prepare(said).pluck().all()).toEqual([
      expect.stringContaining('the remote has another commit'),
      expect.stringContaining("hasDotgit: contains '.git'"),
    ]);
    local.close();
  });

  test('a result waits while it cannot be known who may sign', async () => {
    const { ada, host } = await teamwork(server, 'api');
    await ada.done('orchestrate', 'spawn', '--ready');
    await host.works();
    const remote = ada.git('remote', 'get-url', 'origin');
    ada.git('remote', 'set-head', 'origin', '--delete');
    renameSync(remote, `${remote}-away`);
    expect((await ada.lanehold('orchestrate', 'status')).stderr).toContain(
      'lanes on other machines are as they were heard last: who may sign is not known',
    );
    renameSync(`${remote}-away`, remote);
    expect(await laneOf(ada, 'api')).toMatchObject({ state: 'verified', team: { rev: 1 } });
  });

  test('a lane is offered whatever an exchange that was killed has pushed for it', async () => {
    const { ada, host } = await teamwork(server, 'api');
    const { id: run } = JSON.parse(await ada.done('orchestrate', 'status', '--json')).run;
    const other = ada.git('commit-tree', '-m', 'the tip of then', 'HEAD^{tree}');
    ada.git('push', '--quiet', 'origin', `${other}:refs/lanehold/${run}/lanes/api/start-1`);
    await ada.done('orchestrate', 'spawn', '--ready');
    expect((await host.works()).answer).toBe('accepted');
  });

  test('commits that the remote has not yet pass the gate before they leave with a lane', async () => {
    const { ada, box, host } = await teamwork(server);
    const features = { cart: { files: ['src/cart/**'], smoke: ['true'] } };
    ada.write('lanehold.json', JSON.stringify({ features }));
    ada.write('src/cart/add.ts', 'two\n');
    const held = box.commit(ada.repo, 'not pushed');
    const leaves = () => ada.git('ls-remote', 'origin').includes(held);
    await ada.done('orchestrate', 'init', 'Next', '--name', 'next', '--on', 'any');
    const next = ['--run', 'next'];
    await ada.done('orchestrate', 'lane', 'add', 'api', ...LANE, ...next, '--spawn');
    expect(await ada.done('orchestrate', 'status', ...next)).toMatch(
      /not offered to the team yet: lanehold holds `git push`: 1 feature is not verified/,
    );
    expect(leaves()).toBe(false);
    await ada.done('feature', 'verify', 'cart');
    await ada.done('orchestrate', 'status', ...next);
    expect(leaves()).toBe(true);
    await host.works();
    // The integration takes in what is new in the target.
    ada.write('src/cart/add.ts', 'three\n');
    box.commit(ada.repo, 'not verified');
    await ada.done('orchestrate', 'status', ...next);
    const refused = await ada.lanehold('orchestrate', 'integrate', ...next);
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('holds') });
    expect(ada.git('ls-remote', 'origin', '*/integration')).toBe('');
    await ada.done('feature', 'verify', 'cart');
    await ada.done('orchestrate', 'integrate', ...next);
    expect(ada.git('ls-remote', 'origin', '*/integration')).not.toBe('');
  });

  test('F14: an integrator that was overtaken between merge and push merges nothing twice', async () => {
    const { ada, host, box } = await teamwork(server);
    const flag = join(box.root, 'overtake');
    const script = box.write(
      'overtake.sh',
      `if test -e ${flag}; then sh ${flag} && rm ${flag}; fi\n`,
    );
    const spec = ['--agent', 'tester', '--validate', `sh ${script}`, '--desc', 'Write it'];
    for (const key of ['api', 'docs']) {
      await ada.done('orchestrate', 'lane', 'add', key, ...spec, '--spawn');
    }
    const { claim, result } = await host.works();
    await host.works();
    await ada.done('orchestrate', 'status');
    const { git } = host.member;
    const message = `Merge lane\n\nLanehold-Lane: ${claim.lane}\nLanehold-Epoch: ${claim.epoch}`;
    const parents = ['-p', claim.offer.base, '-p', `${result.head}`];
    const other = git('commit-tree', ...parents, '-m', message, `${result.tree}`);
    git('push', '--quiet', '--no-verify', 'origin', `${other}:refs/heads/other`);
    const tip = `refs/lanehold/${claim.run}/integration`;
    const remote = git('remote', 'get-url', 'origin');
    box.write('overtake', `git --git-dir=${remote} update-ref ${tip} ${other}\n`);
    await ada.done('orchestrate', 'integrate');
    expect(await states(ada)).toEqual(['api integrated', 'docs integrated']);
    const merged = git('ls-remote', 'origin', tip).split('\t')[0] ?? '';
    expect(ada.git('rev-parse', tip)).toBe(merged);
    const lanes = trailersIn(ada, merged);
    expect(lanes).toHaveLength(2);
    expect(new Set(lanes).size).toBe(2);
    expect(ada.git('merge-base', other, merged)).toBe(other);
  });

  test('F27: a lane that is cancelled while a machine works on it, or while the board is away', async () => {
    const { ada, host, board: made } = await teamwork(server, 'api', 'docs');
    await ada.done('orchestrate', 'spawn', '--ready');
    const [api, docs] = await host.claims(2);
    if (api === undefined || docs === undefined) throw new Error('nothing was claimed');
    await ada.done('orchestrate', 'status');
    await ada.done('orchestrate', 'lane', 'cancel', api.offer.key);
    expect(await host.finish(api, await host.resultOf(api))).toBe('cancelled');
    await server.stop('fast');
    const cancelled = await ada.lanehold('orchestrate', 'lane', 'cancel', docs.offer.key);
    expect(cancelled).toMatchObject({ exitCode: 0 });
    expect(cancelled.stderr).toContain('lanes on other machines are as they were heard last');
    await server.start();
    await ada.done('orchestrate', 'status');
    expect(await host.finish(docs, await host.resultOf(docs))).toBe('cancelled');
    expect(await states(ada)).toEqual(['api cancelled', 'docs cancelled']);
    const ends = "SELECT state FROM lanehold.lanes WHERE state <> 'cancelled'";
    expect(await server.sql(made.owner, ends)).toEqual([]);
  });

  test('F27: a lane that is cancelled when its result is there already leaves one row', async () => {
    const { ada, host } = await teamwork(server, 'api');
    await ada.done('orchestrate', 'spawn', '--ready');
    await host.works();
    await ada.done('orchestrate', 'lane', 'cancel', 'api');
    expect(await laneOf(ada, 'api')).toMatchObject({ state: 'cancelled', attempts: [{ n: 1 }] });
  });

  test('a tip that is none of this run is named, and changes nothing', async () => {
    const { ada, host } = await teamwork(server, 'api', 'docs');
    await ada.done('orchestrate', 'spawn', '--ready');
    const { run } = (await host.works()).claim;
    await ada.done('orchestrate', 'status');
    await ada.done('orchestrate', 'integrate');
    const tip = `refs/lanehold/${run}/integration`;
    const before = ada.git('rev-parse', tip);
    const { git } = host.member;
    await host.works();
    const orphan = git('commit-tree', '-m', 'other', 'HEAD^{tree}');
    for (const other of [orphan, git('hash-object', '-w', 'lanehold.json')]) {
      git('push', '--quiet', '--no-verify', '--force', 'origin', `${other}:${tip}`);
      const refused = await ada.lanehold('orchestrate', 'integrate');
      expect(refused).toMatchObject({ exitCode: 1 });
      expect(refused.stderr).toContain(`${tip} at origin is no tip of this run`);
      expect(ada.git('rev-parse', tip)).toBe(before);
    }
    ada.git('push', '--quiet', 'origin', `:${tip}`);
    await ada.done('orchestrate', 'integrate');
    expect(await states(ada)).toEqual(['api integrated', 'docs integrated']);
  });

  test('a question goes to the home, and its answer to the next machine', async () => {
    const { ada, host } = await teamwork(server, 'api');
    await ada.done('orchestrate', 'spawn', '--ready');
    await host.works({ outcome: 'asks' });
    expect(await laneOf(ada, 'api')).toMatchObject({
      state: 'asks',
      questions: [{ body: 'May I change the price type?' }],
    });
    await ada.done('orchestrate', 'answer', 'api', 'Yes, to cents');
    const { claim, answer } = await host.works({ files: { 'api.txt': 'cents\n' } });
    expect(claim.offer.told).toContain('Yes, to cents');
    expect(claim.offer.from).not.toBeNull();
    expect(answer).toBe('accepted');
    expect(await laneOf(ada, 'api')).toMatchObject({ state: 'verified', attempts: [{}, {}] });
  });

  test('a failed lane is offered again by retry, a refused one on top of the tip', async () => {
    const { ada, host } = await teamwork(server, 'api', 'docs');
    await ada.done('orchestrate', 'spawn', '--ready');
    const same = (text: string) => ({ files: { 'same.txt': text } });
    const [api] = await host.claims();
    if (api?.offer.key !== 'api') throw new Error('the first lane comes first');
    await host.finish(api, await host.resultOf(api, { ...same('one\n'), outcome: 'failed' }));
    await host.works(same('two\n'));
    expect(await states(ada)).toEqual(['api failed', 'docs verified']);
    await ada.done('orchestrate', 'integrate', '--lane', 'docs');
    await ada.done('orchestrate', 'retry', 'api', '--notes', 'Use the v2 client');
    const again = await host.works(same('three\n'));
    expect(again.claim.offer.told).toContain('Use the v2 client');
    const integrated = await ada.lanehold('orchestrate', 'integrate');
    expect(integrated).toMatchObject({ exitCode: 3 });
    expect(await laneOf(ada, 'api')).toMatchObject({ state: 'conflict' });
    await ada.done('orchestrate', 'retry', 'api');
    await host.works(same('two and three\n'));
    expect(await laneOf(ada, 'api')).toMatchObject({ state: 'verified' });
    await ada.done('orchestrate', 'integrate');
    await ada.done('orchestrate', 'land');
    expect(ada.git('show', 'main:same.txt')).toBe('two and three');
  });

  test('a lane for one machine is given to no other, and one that nobody can have says so', async () => {
    const { ada, host, connected } = await teamwork(server, 'api');
    await ada.done('orchestrate', 'spawn', 'api', '--on', 'maxi');
    expect(await laneOf(ada, 'api')).toMatchObject({
      hindered: expect.stringContaining('the team has no machine maxi'),
    });
    await connected('maxi');
    await ada.done('orchestrate', 'status');
    expect(await host.claims()).toEqual([]);
    await ada.done('orchestrate', 'retry', 'api', '--on', 'cap:gpu');
    expect(await host.claims()).toEqual([]);
    const [claim] = await host.claims(1, ['gpu']);
    expect(await laneOf(ada, 'api')).toMatchObject({ state: 'running' });
    if (claim === undefined) throw new Error('nothing was claimed');
    expect(await host.refuse(claim, 'signer')).toBe('released');
    expect(await ada.done('orchestrate', 'status')).toMatch(
      /it is offered to the team: mini does not work for\s+whoever signs here/,
    );
    expect(await host.claims(1, ['gpu'])).toEqual([]);
    // Asked again, also those who refused it may have it.
    await ada.done('orchestrate', 'retry', 'api');
    expect(await host.claims(1, ['gpu'])).toMatchObject([{ rev: claim.rev + 1 }]);
  });

  test('F3: late work of a machine that was given up is named, and can be brought back', async () => {
    const { ada, host, connected, box, board: made, keys } = await teamwork(server, 'api');
    await ada.done('orchestrate', 'spawn', '--ready');
    const [lost] = await host.claims();
    if (lost === undefined) throw new Error('nothing was claimed');
    const late = await host.resultOf(lost, { files: { 'late.txt': 'late\n' } });
    await server.sql(made.owner, "UPDATE lanehold.lanes SET lease_until = now() - interval '1 h'");
    const signers = [`ci@acme ${keys.ci.publicKey}`, `ada@acme ${keys.ada.publicKey}`];
    const again = standInHost(box, await connected('maxi', keys.ci), signers);
    const nothing = ['orchestrate', 'lane', 'restore', 'api', '--late', '--to'];
    const none = await ada.lanehold(...nothing, join(box.root, 'none'));
    expect(none.stderr).toContain('no machine has brought late work of lane api');
    const [claim] = await again.claims();
    if (claim === undefined) throw new Error('nothing was claimed');
    expect(claim.epoch).toBe(2);
    await again.finish(claim, await again.resultOf(claim));
    expect(await host.finish(lost, late)).toBe('fenced');
    expect(await ada.done('orchestrate', 'status')).toMatch(
      /late work of mini is kept \(`lane restore\s+--late`\)/,
    );
    const folder = join(box.root, 'late');
    const said = await ada.done(...nothing, folder);
    expect(said).toMatch(/^Wrote \d+ files to /);
    expect(readFileSync(join(folder, 'late.txt'), 'utf8')).toBe('late\n');
    host.member.git('push', '--quiet', '--no-verify', 'origin', `:${late.ref}`);
    const gone = await ada.lanehold(...nothing, join(box.root, 'gone'));
    expect(gone).toMatchObject({ exitCode: 1, stderr: 'error: it is gone from the remote\n' });
    expect(await laneOf(ada, 'api')).toMatchObject({ state: 'verified' });
  });

  test.each([
    ['true', 'verified', null],
    ['! test -e api.txt', 'failed', 'validation'],
  ])(
    'results are not believed where they are to be validated here: %s',
    async (command, state, endCause) => {
      const { ada, host } = await teamwork(server);
      await ada.done('config', 'set', 'team.results', 'revalidate');
      const lane = ['--agent', 'tester', '--validate', command, '--desc', 'Write it'];
      await ada.done('orchestrate', 'lane', 'add', 'api', ...lane, '--spawn');
      await host.works();
      await until('it is validated here', async () => (await laneOf(ada, 'api')).state === state);
      const { attempts } = await laneOf(ada, 'api');
      expect(attempts).toMatchObject([{ n: 1, kind: 'work', agent: 'tester', endCause }]);
      const local = storeOf(ada);
      const hosts = local.prepare("SELECT host FROM validations WHERE subject = 'lane'").pluck();
      expect(hosts.all()).toEqual([hostname()]);
      local.close();
    },
  );

  test('F32: a remote that refuses refs which are no branches gets branches', async () => {
    const world = await acme(server, { features: {} });
    const { box, member, keys, board: made } = world;
    const ada = member('ada', keys.ada);
    const remote = ada.git('remote', 'get-url', 'origin');
    const hook = box.write('hook', `#!/bin/sh\ncase "$1" in refs/heads/*) ;; *) exit 1 ;; esac\n`);
    box.git(remote, 'config', 'core.hooksPath', join(box.root, 'hooks'));
    mkdirSync(join(box.root, 'hooks'));
    renameSync(hook, join(box.root, 'hooks', 'update'));
    chmodSync(join(box.root, 'hooks', 'update'), 0o755);
    const connected = await ada.laneholdWith(connecting(made), 'team', 'connect', '--name', 'ada');
    expect(connected.stdout).toContain('lanes of the team are in refs/heads/lanehold');
    const config = join(ada.env.LANEHOLD_HOME, 'config.json');
    const settings = JSON.parse(readFileSync(config, 'utf8'));
    settings.lanes = { workers: { tester: { adapter: 'command', command: ['true'] } } };
    box.write(config, JSON.stringify(settings));
    await ada.done('orchestrate', 'init', 'Move', '--name', 'move', '--on', 'any');
    await ada.done('orchestrate', 'lane', 'add', 'api', ...LANE, '--spawn');
    expect(await laneOf(ada, 'api')).toMatchObject({ team: { state: 'offered' } });
    expect(box.git(remote, 'for-each-ref', '--format=%(refname)', 'refs/heads/lanehold')).toMatch(
      /^refs\/heads\/lanehold\/[\w-]+\/lanes\/api\/start-[0-9a-f]{40}$/,
    );
  });
});
