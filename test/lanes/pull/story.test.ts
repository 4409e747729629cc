/** Lanes that end as pull requests, with the real `gh` against a forge on the loopback. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { forgeIsMissing } from '../../support/stand-in-forge.ts';
import { pullProject } from './pull-project.ts';

const missing = await forgeIsMissing();
if (missing !== undefined) process.stderr.write(`pull requests are not tested: ${missing}\n`);

const TASK = 'Count to four @ada, fixes #12\n\ncloses #13 ```\n/close';

test.skipIf(missing !== undefined)(
  'from a lane to a pull request, a failing check, a worker that mends it, and a squash',
  async () => {
    const write = (text: string) => [{ write: { 'src/core.txt': text } }];
    const { project, forge, run } = await pullProject({
      lanes: { api: [write('three\n'), write('four\n')] },
    });
    await run.add('api', { more: ['--changes-behaviour', 'it counts to four @bob'] });
    await run.orchestrate('lane', 'edit', 'api', '--desc', TASK);
    await run.spawn();
    await run.reaches('api', 'verified');

    // The answer to the creation is lost: what is there is found, and not made again.
    forge.trouble.push({ word: 'POST /api/v3/repos/acme/shop/pulls', how: 'lose-answer' });
    const opened = await run.orchestrate('lane', 'pr', 'api');
    expect(opened.json.pulls).toMatchObject([
      { lane: 'api', number: 1, base: 'main', draft: true },
    ]);
    const again = await run.orchestrate('lane', 'pr', 'api', '--ready');
    expect(again.json.pulls).toMatchObject([{ number: 1, draft: false, outcome: 'updated' }]);
    expect(forge.pulls).toHaveLength(1);
    const [pull] = forge.pulls;
    expect(pull).toMatchObject({ base: 'main', isDraft: false });
    expect(pull?.title).not.toMatch(/@ada|#12/);
    // Text of others stands in code: nobody is mentioned, nothing is closed.
    const prose = (pull?.body ?? '').replaceAll(/(`{3,})text \w+\n[\s\S]*?\n\1/g, '');
    expect(prose.replaceAll(/`[^`\n]+`/g, '')).not.toMatch(/@\w|closes|fixes|^\//m);
    expect(pull?.body).toContain('`sh check.sh`: pass on');
    expect(pull?.body).toContain('it counts to four @bob');

    const first = run.lane('api').head_sha;
    forge.check(1, 'unit', 'FAILURE');
    forge.comment(1, 'bob', { path: 'src/core.txt', line: 1, body: 'Four, please ```' });
    await project.until('a second worker', () => project.starts('api').length === 2);
    const prompt = readFileSync(project.starts('api')[1]?.prompt ?? '', 'utf8');
    expect(prompt).toContain('What came back on its pull request');
    expect(prompt).toContain('check unit failed:\na line before\nexpected 3, got 4 ```');
    expect(prompt).toContain('bob on src/core.txt:1:\nFour, please ```');

    await project.until('the new work to be pushed', () => {
      const tip = forge.git('rev-parse', forge.pull(1).head);
      return tip !== first && tip === run.lane('api').head_sha;
    });
    forge.check(1, 'unit', 'SUCCESS');
    const seen = await project.until('its checks on the board', async () => {
      const { json } = await run.orchestrate('status');
      const [{ pull: shown, help }] = json.lanes;
      // Reviewers go on with it.
      expect(help ?? []).not.toContainEqual(expect.stringContaining('integrate'));
      return shown.look?.checks[0]?.state === 'passed' ? shown : undefined;
    });
    expect(seen).toMatchObject({ number: 1, state: 'open', rounds: 1 });
    expect(Date.parse(seen.look.at)).toBeGreaterThan(0);

    forge.merge(1, 'squash');
    await run.reaches('api', 'landed');
    const { stdout } = await project.lanehold('orchestrate', 'status', '--run', 'mend-the-shop');
    expect(stdout).toContain('squashed, by the tree, in pull request #1');
    expect(stdout).toContain('the run is closed');
    await project.until('the watcher to end', () => project.processes().length === 0);
  },
);
