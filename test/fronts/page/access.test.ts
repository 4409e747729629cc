/** Who reaches the page's server, and what it sends: the promises of docs/ui.md about its safety. */

import { once } from 'node:events';
import { readFileSync, symlinkSync } from 'node:fs';
import type { Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { homeOf } from '../../../src/base/files/home.ts';
import { ACTIONS } from '../../../src/fronts/page/actions.ts';
import type { ChangeFeed } from '../../../src/fronts/page/changes.ts';
import { http } from '../../../src/fronts/page/http.ts';
import { pageRoutes } from '../../../src/fronts/page/routes.ts';
import { openStore } from '../../../src/store/open.ts';
import { laneRows } from '../../support/lane-rows.ts';
import { laneWorker } from '../../support/lane-worker.ts';
import { enteredPage, openPage } from '../../support/page.ts';
import { sandbox } from '../../support/sandbox.ts';
import { until } from '../../support/until.ts';

test('an address lets one browser in, once; the terminal can give another one', async () => {
  const box = sandbox();
  const page = await openPage(box, box.repo());
  expect((await page.ask('/api/projects')).status).toBe(401);
  const first = page.tokenOf(page.address());
  expect(Buffer.from(first, 'base64url')).toHaveLength(32);
  const token = { token: first };
  const entered = await page.ask('/enter', { method: 'POST', body: token });
  expect(entered.headers['set-cookie']).toEqual([
    expect.stringMatching(/^lanehold-\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/),
  ]);
  const again = await page.ask('/enter', { method: 'POST', body: token });
  expect([again.status, again.text]).toEqual([
    403,
    expect.stringContaining('press enter in the terminal'),
  ]);
  for (const body of [{}, { token: 7 }, { token: '' }, { token: `${first}=` }, '[]', 'x']) {
    expect((await page.ask('/enter', { method: 'POST', body })).status).toBeGreaterThanOrEqual(400);
  }
  // A new address makes the one before void.
  const [old, fresh] = [page.tokenOf(page.address()), page.tokenOf(page.address())];
  expect((await page.ask('/enter', { method: 'POST', body: { token: old } })).status).toBe(403);
  const cookies = [`${entered.headers['set-cookie']?.[0]}`, await page.enter(fresh)];
  for (const cookie of cookies) {
    const known = await page.ask('/api/projects', {
      headers: { cookie: cookie.split(';')[0] ?? '' },
    });
    expect(JSON.parse(known.text)).toMatchObject({ projects: [{ name: 'repo' }], readOnly: null });
  }
  for (const cookie of ['', 'lanehold=x', `lanehold-${page.port}=${'a'.repeat(43)}`]) {
    expect((await page.ask('/api/projects', { headers: { cookie } })).status).toBe(401);
  }
});

test('only requests of its own page are answered', async () => {
  const box = sandbox();
  const page = await enteredPage(box, box.repo());
  const { cookie, origin, port } = page;
  const own = `127.0.0.1:${port}`;
  const answered = async (headers: Readonly<Record<string, string>>, method = 'GET') => {
    const path = method === 'GET' ? '/api/projects' : '/api/-/do';
    const { status } = await page.ask(path, { method, headers: { cookie, ...headers } });
    return status !== 403;
  };
  for (const [headers, expected] of [
    [{ host: own }, true],
    [{ host: `localhost:${port}` }, true],
    // A name whose address was changed to this machine, and other ways to write it.
    [{ host: `evil.example:${port}` }, false],
    [{ host: `127.0.0.1.evil.example:${port}` }, false],
    [{ host: `[::1]:${port}` }, false],
    [{ host: `0.0.0.0:${port}` }, false],
    [{ host: '127.0.0.1' }, false],
    [{ host: `127.0.0.1:${port + 1}` }, false],
    [{ origin }, true],
    [{ origin: 'https://evil.example' }, false],
    [{ origin: `http://127.0.0.1:${port + 1}` }, false],
    [{ origin: `http://localhost:${port}` }, false],
    [{ origin: 'null' }, false],
    [{ 'sec-fetch-site': 'same-origin' }, true],
    [{ 'sec-fetch-site': 'none' }, true],
    [{ 'sec-fetch-site': 'same-site' }, false],
    [{ 'sec-fetch-site': 'cross-site' }, false],
    [{ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }, true],
  ] as const) {
    expect([headers, await answered(headers)]).toEqual([headers, expected]);
  }
  for (const [headers, expected] of [
    [{}, true],
    [{ origin: 'https://evil.example' }, false],
    [{ origin: '' }, false],
  ] as const) {
    expect([headers, await answered(headers, 'POST')]).toEqual([headers, expected]);
  }
  // A form of another page can send neither JSON nor anything but POST without being asked for leave.
  const form = { cookie, 'content-type': 'text/plain' };
  const posted = await page.ask('/api/-/do', {
    method: 'POST',
    headers: form,
    body: '{"action":"pause"}',
  });
  expect([posted.status, posted.text]).toEqual([400, expect.stringContaining('no JSON object')]);
  for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
    expect((await page.ask('/api/-/do', { method, headers: { cookie } })).status).toBe(404);
  }
  const large = { action: 'message', lane: 'api', text: 'x'.repeat(300_000) };
  const much = await page.ask('/api/-/do', { method: 'POST', headers: { cookie }, body: large });
  expect(much.status).toBe(413);
});

test('each answer says that nothing inline or from elsewhere runs, and what it is', async () => {
  const box = sandbox();
  const page = await enteredPage(box, box.repo());
  const csp = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'";
  for (const [path, type] of [
    ['/', 'text/html; charset=utf-8'],
    ['/main.js', 'text/javascript; charset=utf-8'],
    ['/api/projects', 'application/json'],
    ['/api/-/changes?log=nothing/1', 'application/json'],
    ['/nothing', 'application/json'],
    ['/api/x/lanes', 'application/json'],
  ]) {
    const { headers } = await page.get(`${path}`);
    expect([path, headers]).toEqual([
      path,
      expect.objectContaining({
        'content-type': type,
        'content-security-policy': expect.stringContaining(csp),
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
      }),
    ]);
    expect(`${headers['content-security-policy']}`).not.toMatch(/unsafe|\*|http/);
    expect(headers).not.toHaveProperty('access-control-allow-origin');
  }
});

test('no path leads out of what is served', async () => {
  const box = sandbox();
  box.write('secret.html', 'not served');
  const page = await enteredPage(box, box.repo());
  for (const path of [
    '/../secret.html',
    '/..%2fsecret.html',
    '/%2e%2e/secret.html',
    '/page/../../secret.html',
    `/${box.root}/secret.html`,
    '//etc/passwd',
    '/main.js%00.html',
    '/..\\secret.html',
    '/api/-/lanes/..%2f..%2fx',
    `/api/${encodeURIComponent(box.root)}/lanes`,
    '/api/../main.js%2f',
  ]) {
    const { status, text } = await page.get(path);
    expect([path, status === 404 || status === 400, text.includes('not served')]).toEqual([
      path,
      true,
      false,
    ]);
  }
  expect(page.defects).toEqual([]);
});

test('there is a route for each of these, and for nothing that needs the word of a person', async () => {
  const nothing = {} as Parameters<typeof pageRoutes>[1];
  const { routes } = pageRoutes(http, nothing);
  const listed = routes
    .filter(({ method }) => method !== 'ALL')
    .map((it) => `${it.method} ${it.path}`);
  expect(listed.filter((it) => !it.startsWith('GET'))).toEqual([
    'POST /enter',
    'POST /api/:project/do',
  ]);
  expect(Object.keys(ACTIONS)).toEqual([
    'answer',
    'message',
    'comment',
    'seen',
    'pause',
    'resume',
    'retry',
    'cancel',
    'verify',
    'integrate',
    'land',
    'confirm-note',
    'reject-note',
    'apply-proposal',
    'reject-proposal',
  ]);
  const { repo, box, addLane } = await laneRows();
  addLane('api');
  const page = await enteredPage(box, repo);
  for (const action of [
    'waive',
    'accept',
    'attest',
    'forget',
    'remove-rule',
    'guard',
    'rule',
    'apply',
    'pr',
    'push',
    'delete',
    'prune',
    'purge',
    'uninstall',
    'constructor',
    '__proto__',
    'toString',
    '',
  ]) {
    expect([action, await page.act(action)]).toEqual([
      action,
      expect.objectContaining({ status: 400, error: 'there is no such action' }),
    ]);
  }
  // What such a word would be given with is not taken either.
  for (const [action, more, said] of [
    ['integrate', { accept: ['api'] }, 'there is no `accept` here'],
    ['integrate', { rebase: true }, 'there is no `rebase` here'],
    ['land', { way: 'pr' }, '`way`'],
    ['land', { target: 'main' }, 'there is no `target` here'],
    ['retry', { lane: 'api', wait: true }, 'there is no `wait` here'],
    ['cancel', { lane: 7 }, '`lane` has another type'],
    ['answer', { lane: 'api' }, '`text` is missing'],
  ] as const) {
    expect(await page.act(action, more)).toMatchObject({
      status: 400,
      error: expect.stringContaining(said),
    });
  }
  box.write('repo/lanehold.json', '{"lanes": {"land": "pr"}}');
  expect(await page.act('land')).toMatchObject({
    status: 409,
    error: 'this run lands by a pull request, which is pushed',
  });
});

test('a server that was started below an agent only shows things, and says so', async () => {
  const { repo, box, addLane } = await laneRows();
  addLane('api');
  const worker = { LANEHOLD_ATTEMPT: 'a', LANEHOLD_STAGE: 'worker' };
  for (const [start, why] of [
    [{ env: { CLAUDECODE: '1' } }, 'claude-code has started it'],
    [{ parents: [['codex']] }, 'codex has started it'],
    [{ parents: [['node', '/bin/lanehold', 'verify']] }, 'a smoke test has started it'],
    [{ env: worker }, "`orchestrate ui` is the coordinator's, and this is a lane's worker"],
  ] as const) {
    const page = await enteredPage(box, repo, start);
    expect(page.readOnly).toBe(why);
    expect(JSON.parse((await page.get('/api/projects')).text)).toMatchObject({ readOnly: why });
    for (const action of Object.keys(ACTIONS)) {
      expect(await page.act(action, { lane: 'api', text: 'x' })).toMatchObject({ status: 409 });
    }
    expect((await page.get('/api/-/lanes')).status).toBe(200);
  }
});

test('hostile text comes as text, and secrets do not come', async () => {
  const token = `ghp_${'a1B2'.repeat(9)}`;
  const hostile = [
    '<script>alert(1)</script>',
    '[x](javascript:alert(1))',
    '\u001b[2J\u001b]0;title\u0007',
    '\u202egnp.exe',
    '</script><img src=x onerror=alert(1)>',
    token,
  ].join(' ');
  const { repo, box, addLane } = await laneRows();
  addLane('api', { desc: hostile });
  const page = await enteredPage(box, repo);
  const { headers, text } = await page.get('/api/-/lanes');
  expect(headers['content-type']).toBe('application/json');
  expect(text).toContain('<script>alert(1)</script> [x](javascript:alert(1))');
  expect(text).toContain('[redacted:');
  expect(text).not.toContain(token);
  expect(JSON.stringify(JSON.parse(text))).not.toMatch(/\\u00|[\u202a-\u202e]/);
});

test('a link in the place of a log leads nowhere', async () => {
  const { box, repo, dir } = await laneWorker();
  const secret = box.write('outside.txt', 'what no page shows\n');
  for (const name of ['stdout.log', 'stderr.log']) symlinkSync(secret, join(dir, name));
  const page = await enteredPage(box, repo);
  for (const of of ['stdout', 'stderr']) {
    const { status, text } = await page.get(`/api/-/lanes/api/log?of=${of}&raw=1`);
    expect([status, JSON.parse(text)]).toEqual([
      200,
      expect.objectContaining({ size: 0, lines: [] }),
    ]);
  }
  const shown = ['lanes', 'lanes/api', 'needs', 'run'].map((it) => page.get(`/api/-/${it}`));
  expect(JSON.stringify(await Promise.all(shown))).not.toContain('what no page shows');
});

test('connections are limited, however many somebody opens', async () => {
  const box = sandbox();
  const page = await openPage(box, box.repo());
  const sockets = Array.from({ length: 250 }, () => {
    const socket = connect(page.port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\n'));
    onTestFinished(() => void socket.destroy());
    return socket.on('error', () => undefined).resume();
  });
  await until('the others to be refused', () => sockets.filter((it) => it.closed).length === 50);
  for (const socket of sockets) socket.destroy();
  await until(
    'it answers again',
    async () => (await page.ask('/').catch(() => null))?.status === 200,
  );
});

test('whoever holds a stream and does not read is left', async () => {
  const box = sandbox();
  const store = await openStore(homeOf(box.env));
  onTestFinished(() => store.close());
  const folder = box.repo();
  const left = Promise.withResolvers<void>();
  const add: ChangeFeed['add'] = ({ send }) => {
    const timer = setInterval(() => send({ event: 'said', data: 'x'.repeat(100_000) }), 1);
    return () => {
      clearInterval(timer);
      left.resolve();
    };
  };
  const now = () => new Date();
  const context = { env: box.env, cwd: folder, now, store: async () => store };
  const served = {
    access: { knows: () => true },
    feed: { add },
    projects: [{ key: 'a', name: 'a', folder }],
    contextAt: () => context,
    port: () => (server.address() as AddressInfo).port,
    signal: new AbortController().signal,
    onReader: () => undefined,
  } as unknown as Parameters<typeof pageRoutes>[1];
  const { fetch } = pageRoutes(http, served);
  const server = http.serve({ fetch, hostname: '127.0.0.1', port: 0 }) as Server;
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const socket = connect(served.port(), '127.0.0.1').pause();
  onTestFinished(() => void socket.destroy());
  socket.write(`GET /api/-/changes HTTP/1.1\r\nHost: 127.0.0.1:${served.port()}\r\n\r\n`);
  await left.promise;
});

test('reading changes nothing', async () => {
  const { repo, box, addLane, context } = await laneRows();
  addLane('api');
  const page = await enteredPage(box, repo);
  await page.get('/api/-/lanes');
  const rows = () =>
    context.store.db
      .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
      .pluck()
      .all()
      .map((name) => [name, context.store.db.prepare(`SELECT * FROM "${name}"`).all()]);
  const before = JSON.stringify(rows());
  const { VIEWS } = await import('../../../src/fronts/page/views.ts');
  for (const path of Object.keys(VIEWS)) {
    await page.get(`/api/-/${path.replaceAll(/:\w+/g, 'api')}`);
  }
  expect(JSON.stringify(rows())).toBe(before);
  expect(page.defects).toEqual([]);
});

test('what serves HTTP is loaded by its own command alone', () => {
  const dist = join(import.meta.dirname, '../../../dist');
  expect(readFileSync(join(dist, 'cli.cjs'), 'utf8')).not.toMatch(/@hono|HonoRequest/);
  expect(readFileSync(join(dist, 'cli.cjs'), 'utf8')).toContain('./http.cjs');
});
