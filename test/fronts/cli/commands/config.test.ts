import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sandbox } from '../../../support/sandbox.ts';
import { shop } from '../../../support/shop.ts';

function settings() {
  const box = sandbox();
  const project = shop(box, { gate: { kinds: { deploy: 'ask', push: 'off' }, maxAge: '48h' } });
  const file = join(box.laneholdHome, 'config.json');
  return { box, file, config: (...args: string[]) => project.lanehold('config', ...args) };
}

test('what is set can be read, listed, and taken back', async () => {
  const { file, config } = settings();
  expect(await config('get', 'gate.kinds.push')).toMatchObject({ stdout: 'hold\n' });
  expect(existsSync(file)).toBe(false);
  expect(await config('set', 'gate.kinds.push', 'ask')).toMatchObject({
    exitCode: 0,
    stdout: 'gate.kinds.push is ask\n',
  });
  await config('set', 'gate.always', '["package-lock.json"]');
  expect(await config('get', 'gate.kinds.push')).toMatchObject({ stdout: 'ask\n' });
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
    gate: { kinds: { push: 'ask' }, always: ['package-lock.json'] },
  });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  await config('unset', 'gate.kinds.push');
  expect(await config('get', 'gate.kinds.push')).toMatchObject({ stdout: 'hold\n' });
});

test('null is no value, and a long value widens no other row of a list', async () => {
  const { config } = settings();
  const none = await config('set', 'lanes.validate', 'null');
  expect(none.exitCode).toBe(2);
  expect(none.stderr).toContain('hint: lanehold config unset lanes.validate');
  const long = JSON.stringify({ own: { adapter: 'command', command: ['x'.repeat(300)] } });
  await config('set', 'lanes.workers', long);
  const rows = (await config('list', 'lanes')).stdout.trimEnd().split('\n');
  expect(rows.filter((row) => row.length > 200)).toHaveLength(1);
});

test('several are set at once, or none of them', async () => {
  const { file, config } = settings();
  const set = await config('set', 'gate.opaque', 'ask', 'gate.always', '["a b.json"]');
  expect(set.stdout).toBe('gate.opaque is ask\ngate.always is ["a b.json"]\n');
  const text = readFileSync(file, 'utf8');
  expect(JSON.parse(text)).toEqual({ gate: { opaque: 'ask', always: ['a b.json'] } });
  for (const more of [['gate.scope', 'everything'], ['gate.kinds.push']]) {
    expect((await config('set', 'gate.opaque', 'deny', ...more)).exitCode).not.toBe(0);
  }
  expect(readFileSync(file, 'utf8')).toBe(text);
  expect((await config('set', 'gate.opaque', 'deny', 'gate.scope')).stderr).toContain(
    '`gate.scope` has no value',
  );
});

test('list says what holds here, and who says so', async () => {
  const { config } = settings();
  await config('set', 'gate.kinds.push', 'ask');
  expect((await config('list', 'gate')).stdout).toMatchInlineSnapshot(`
    "gate.kinds.push          you            ask
    gate.kinds.pull-request  default        hold
    gate.kinds.publish       default        hold
    gate.kinds.image-push    default        hold
    gate.kinds.deploy        lanehold.json  ask
    gate.kinds.release       default        hold
    gate.uncovered           default        allow
    gate.opaque              default        ask
    gate.attest              default        without-smoke
    gate.scope               default        changed
    gate.waive               default        person
    gate.maxAge              lanehold.json  2d
    gate.always              default        none
    gate.boundaries          default        none
    gate.removable           default        none
    gate.onHold              default        deny
    "
  `);
  expect((await config('list', 'gate.kinds')).stdout.split('\n')).toHaveLength(7);
});

test('what cannot be set is refused, and the file stays', async () => {
  const { box, file, config } = settings();
  expect(await config('set', 'gate.kind.push', 'ask')).toMatchObject({
    exitCode: 2,
    stderr: 'error: there is no setting `gate.kind.push`\nhint: did you mean `gate.kinds.push`?\n',
  });
  const refused = await config('set', 'gate.opaque', 'dny');
  expect(refused).toMatchObject({
    exitCode: 2,
    stderr:
      'error: `gate.opaque` is "dny", not one of `allow`, `ask`, `deny`\nhint: did you mean `deny`?\n',
  });
  expect(existsSync(file)).toBe(false);

  box.write(file, '{\n  "gate": { "opaque": "ask", }\n}\n');
  const broken = await config('set', 'gate.opaque', 'deny');
  expect(broken).toMatchObject({ exitCode: 1 });
  expect(broken.stderr).toContain(`${file}:2:30: `);
  expect(readFileSync(file, 'utf8')).toBe('{\n  "gate": { "opaque": "ask", }\n}\n');
});

test('lanes are set like the gate, workers by name', async () => {
  const box = sandbox();
  const project = shop(box);
  box.write('shop/lanehold.json', '{"lanes": {"timeout": "30m", "ports": 2}}');
  const file = join(box.laneholdHome, 'config.json');
  const config = (...args: string[]) => project.lanehold('config', ...args);
  await config('set', 'lanes.parallel', '3');
  await config('set', 'lanes.workers.fast', '{"adapter": "codex"}');
  await config('set', 'lanes.workers.fast.model', 'small');
  await config('set', 'lanes.budget.usd', '2.5');
  await config('set', 'lanes.timeout', '3h');
  await config('set', 'lanes.accept', '["partial-work"]', 'lanes.opposite.fast', 'claude-code');
  expect(JSON.parse(readFileSync(file, 'utf8')).lanes).toEqual({
    parallel: 3,
    workers: { fast: { adapter: 'codex', model: 'small' } },
    budget: { usd: 2.5 },
    timeout: '3h',
    accept: ['partial-work'],
    opposite: { fast: 'claude-code' },
  });
  expect(await config('get', 'lanes.workers.fast.model')).toMatchObject({ stdout: 'small\n' });
  expect(await config('get', 'lanes.stall')).toMatchObject({ stdout: '15m\n' });
  await config('set', 'lanes.validate', 'true', 'lanes.setup', '2');
  expect(JSON.parse(readFileSync(file, 'utf8')).lanes).toMatchObject({
    validate: 'true',
    setup: '2',
  });
  await config('unset', 'lanes.validate');
  const listed = (await config('list', 'lanes')).stdout;
  expect(listed).toMatch(/^lanes\.timeout +you +3h$/m);
  expect(listed).toMatch(/^lanes\.ports +lanehold\.json +2$/m);
  expect(listed).toMatch(/^lanes\.stall +default +15m$/m);
  expect(listed).toMatch(/^lanes\.validate +default +none$/m);
  expect(await config('set', 'lanes.paralel', '3')).toMatchObject({
    stderr: 'error: there is no setting `lanes.paralel`\nhint: did you mean `lanes.parallel`?\n',
  });
  expect(await config('set', 'lanes.workers.fast.adapter', 'codx')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(
      /adapter` is "codx", not one of .*\nhint: did you mean `codex`\?/,
    ),
  });
  expect(await config('set', 'lanes.attempts', '99')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('`lanes.attempts` is not between 0 and 10'),
  });
});
