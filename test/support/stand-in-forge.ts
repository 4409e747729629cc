/**
 * A forge on the loopback that the real `gh` speaks with: GraphQL and REST over TLS, pull requests over a bare
 * repository with real merges. `gh` takes no port, so that it listens on 443, at an address of its own.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import type { Files } from './fake-worker.ts';
import type { Sandbox } from './sandbox.ts';

const OWNER = 'acme';
const NAME = 'shop';

interface Said {
  readonly id: string;
  readonly state: string;
  readonly body: string;
  readonly author: string;
}

interface Thread extends Omit<Said, 'state'> {
  readonly path: string;
  readonly line: number;
}

export interface Pull {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly head: string;
  /** Of the repository that has its branch. */
  readonly owner: string;
  base: string;
  state: 'OPEN' | 'MERGED' | 'CLOSED';
  isDraft: boolean;
  mergeable: string;
  queued: boolean;
  headSha: string;
  mergeSha: string | null;
  /** Conclusion by name, of the commit that they ran on. */
  readonly checks: { sha: string; name: string; conclusion: string | null }[];
  readonly reviews: Said[];
  readonly threads: Thread[];
}

export interface StandInForge {
  readonly env: Readonly<Record<string, string>>;
  readonly url: string;
  readonly pulls: Pull[];
  /** `down`: nobody answers, `frozen`: not before it is up again. */
  mode: 'up' | 'down' | 'frozen';
  /** What the next answers are instead, each for requests that contain the word. */
  readonly trouble: { word: string; how: 'rate-limit' | 'lose-answer' | 'unauthorised' }[];
  /** Method and path, or the operation of a query. */
  readonly asked: string[];
  /** What was asked to be opened, as it came. */
  readonly sent: object[];
  /** Runs git in the forge's repository. */
  git(...args: readonly string[]): string;
  check(number: number, name: string, conclusion: string | null): void;
  review(number: number, author: string, body: string): void;
  comment(number: number, author: string, on: { path: string; line: number; body: string }): void;
  /** @param changed files that a person changes on the way: in the squash, else in a commit after it. */
  merge(number: number, how: 'merge' | 'squash' | 'rebase', changed?: Files): void;
  /** A commit that somebody pushes to a branch. */
  commit(branch: string, files: Files): string;
  pull(number: number): Pull;
  /** Makes `origin` a fork of that owner, and the repository itself `upstream`. */
  fork(owner: string): void;
}

const REPOSITORY = {
  ...{ id: 'R_1', name: NAME, owner: { login: OWNER }, viewerPermission: 'WRITE', parent: null },
  ...{ hasIssuesEnabled: true, defaultBranchRef: { name: 'main' } },
} as const;

const GRAPH = '/api/graphql';

interface Answer {
  readonly status: number;
  readonly value: unknown;
}

const REFUSALS: Readonly<Record<string, Answer>> = {
  'rate-limit': { status: 403, value: { message: 'API rate limit exceeded' } },
  unauthorised: { status: 401, value: { message: 'Bad credentials' } },
};

/** People with write access; everybody else may only read. */
const WRITERS = ['ada', 'bob'];
const LOG = 'a line before\n2026-01-01T00:00:00.0000000Z expected 3, got 4 ```\n';

/** Why it cannot be had here; `undefined` if it can. */
export async function forgeIsMissing(): Promise<string | undefined> {
  for (const program of ['gh', 'openssl']) {
    try {
      execFileSync(program, ['version'], { stdio: 'ignore' });
    } catch {
      return `${program} is not installed`;
    }
  }
  const server = createServer();
  const listening = listen(server, '127.0.0.1').then(
    () => undefined,
    (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? undefined : `port 443 may not be bound: ${error.code}`,
  );
  const why = await listening;
  server.close();
  return why;
}

function listen(server: Server, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(443, host, resolve);
  });
}

/** The repository's remote `origin` is the forge; git itself is led to a folder. */
export async function standInForge(
  box: Sandbox,
  repo: string,
  cleanUp: (remove: () => void) => void = onTestFinished,
): Promise<StandInForge> {
  // All of 127/8 is this machine: test files that run at once do not meet.
  const host = process.platform === 'linux' ? `127.${digits()}.${digits()}.1` : '127.0.0.1';
  const folder = join(box.root, 'forge');
  const bare = join(folder, 'shop.git');
  const scratch = join(folder, 'scratch');
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  mkdirSync(folder);
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-nodes', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'],
      ...['-keyout', key, '-out', cert, '-days', '2', '-subj', `/CN=${host}`],
      ...['-addext', `subjectAltName=IP:${host}`],
    ],
    { stdio: 'ignore' },
  );
  const url = `https://${host}/${OWNER}/${NAME}`;
  box.git(box.root, 'clone', '--quiet', '--bare', repo, bare);
  box.git(repo, 'remote', 'add', 'origin', `${url}.git`);
  box.git(repo, 'config', `url.${bare}.insteadOf`, `${url}.git`);
  box.git(repo, 'fetch', '--quiet', 'origin');

  const pulls: Pull[] = [];
  const asked: string[] = [];
  const sent: object[] = [];
  const trouble: StandInForge['trouble'] = [];
  const git = (...args: readonly string[]): string => box.git(bare, ...args).trim();
  const forks = new Map([[OWNER, bare]]);
  const pull = (number: number): Pull => {
    const found = pulls.find((it) => it.number === number);
    if (found === undefined) throw new Error(`no pull request ${number}`);
    return found;
  };
  const tip = (branch: string, owner = OWNER): string | undefined => {
    const args = ['for-each-ref', '--format=%(objectname)', `refs/heads/${branch}`];
    const line = box.git(forks.get(owner) ?? bare, ...args).trim();
    return line === '' ? undefined : line;
  };
  const tipOf = ({ head, owner }: Pick<Pull, 'head' | 'owner'>) => tip(head, owner);
  /** As a forge does: a branch that moves or goes changes its open pull requests. */
  function refresh(): void {
    for (const it of pulls.filter(({ state }) => state === 'OPEN')) {
      it.headSha = tipOf(it) ?? it.headSha;
      if (tipOf(it) === undefined || tip(it.base) === undefined) it.state = 'CLOSED';
    }
  }

  const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) });
  server.on('request', async (request, response) => {
    const body = await text(request);
    const { method, url: path = '' } = request;
    const what = path === GRAPH ? operationOf(body) : `${method} ${path}`;
    if (forge.mode === 'down') return request.socket.destroy();
    while (forge.mode === 'frozen') await sleep(20);
    asked.push(what);
    const how = troubleFor(what);
    refresh();
    const { status, value } = REFUSALS[how] ?? answerTo(`${method} ${path}`, body);
    if (how === 'lose-answer') return request.socket.destroy();
    const type = typeof value === 'string' ? 'text/plain' : 'application/json';
    response.writeHead(status, { 'content-type': type });
    response.end(typeof value === 'string' ? value : JSON.stringify(value));
  });

  function troubleFor(what: string): string {
    const at = trouble.findIndex(({ word }) => what.includes(word));
    return at < 0 ? '' : (trouble.splice(at, 1)[0]?.how ?? '');
  }

  function answerTo(what: string, body: string): Answer {
    const value = what.endsWith(GRAPH) ? graph(JSON.parse(body)) : rest(what, body);
    if (value !== undefined) return { status: 200, value };
    return { status: 404, value: { message: 'Not Found' } };
  }

  function graph(asks: { query: string; variables: Variables }): object {
    const { number, pr_number = number } = asks.variables;
    const operation = OPERATIONS[operationOf(JSON.stringify({ query: asks.query }))];
    if (operation !== undefined) return operation(asks.variables);
    const pullRequest = pr_number === undefined ? undefined : shown(pull(Number(pr_number)));
    return { data: { repository: { ...REPOSITORY, pullRequest } } };
  }

  const OPERATIONS: Readonly<Record<string, (given: Variables) => object>> = {
    PullRequestReadyForReview({ input: { pullRequestId: id } }) {
      pull(Number(id.slice(2))).isDraft = false;
      return { data: { markPullRequestReadyForReview: { pullRequest: { id } } } };
    },
  };

  function shown(it: Pull) {
    const contexts = it.checks
      .filter(({ sha }) => sha === it.headSha)
      .map(({ name, conclusion }, at) => ({
        ...{ name, conclusion, databaseId: it.number * 100 + at },
        status: conclusion === null ? 'IN_PROGRESS' : 'COMPLETED',
      }));
    const by = ({ author, ...said }: Said | Thread) => ({
      ...{ ...said, author: { login: author } },
      authorAssociation: author === OWNER ? 'OWNER' : 'NONE',
    });
    return {
      ...{ id: `P_${it.number}`, number: it.number, url: `${url}/pull/${it.number}` },
      ...{ state: it.state, isDraft: it.isDraft, mergeable: it.mergeable, reviewDecision: '' },
      ...{ headRefOid: it.headSha, headRefName: it.head, baseRefName: it.base },
      headRepositoryOwner: { login: OWNER },
      mergeCommit: it.mergeSha === null ? null : { oid: it.mergeSha },
      mergeQueueEntry: it.queued ? { position: 1 } : null,
      commits: { nodes: [{ commit: { statusCheckRollup: { contexts: { nodes: contexts } } } }] },
      reviews: { nodes: it.reviews.map(by) },
      reviewThreads: {
        nodes: it.threads.map(({ path, line, ...said }) => {
          const comments = { nodes: [by({ ...said, state: '' })] };
          return { isResolved: false, path, line, comments };
        }),
      },
    };
  }

  function rest(what: string, body: string): unknown {
    const [, login] = /\/collaborators\/([^/]+)\/permission$/.exec(what) ?? [];
    if (login !== undefined) return { permission: WRITERS.includes(login) ? 'write' : 'read' };
    return what.endsWith('/logs') ? LOG : restOfPulls(what, body);
  }

  function restOfPulls(what: string, body: string): unknown {
    const [, asked] = /^GET .*\/pulls\?state=open&head=(.+)$/.exec(what) ?? [];
    if (asked !== undefined) {
      const isAsked = ({ owner, head, state }: Pull) =>
        state === 'OPEN' && `${owner}:${head}` === decodeURIComponent(asked);
      return pulls.filter(isAsked).map(listed);
    }
    if (/^POST .*\/pulls$/.test(what)) {
      const wish = JSON.parse(body);
      sent.push(wish);
      return made(wish);
    }
    const [, number] = /\/pulls\/(\d+)$/.exec(what) ?? [];
    if (number === undefined) return undefined;
    pull(Number(number)).base = JSON.parse(body).base;
    return {};
  }

  const listed = ({ number, base, isDraft: draft }: Pull) => {
    return { number, html_url: `${url}/pull/${number}`, base: { ref: base }, draft };
  };

  /** Nothing where it has one of that branch already, or a branch is missing: the answer is then that of a refusal. */
  function made({ head: from, base, title, body, draft }: Record<string, string> & Drafted) {
    const [owner = '', head = ''] = from?.split(':') ?? [];
    const isOpen = pulls.some(
      (it) => it.state === 'OPEN' && it.head === head && it.owner === owner,
    );
    const sha = tip(head, owner);
    if (isOpen || sha === undefined || base === undefined || !tip(base)) return undefined;
    const it: Pull = {
      ...{ number: pulls.length + 1, title: title ?? '', body: body ?? '', head, owner, base },
      ...{ state: 'OPEN', isDraft: draft, mergeable: 'MERGEABLE', queued: false, mergeSha: null },
      ...{ headSha: sha, checks: [], reviews: [], threads: [] },
    };
    pulls.push(it);
    return listed(it);
  }

  await listen(server, host);
  cleanUp(() => {
    server.close();
    server.closeAllConnections();
  });

  const forge: StandInForge = {
    ...{ url, pulls, trouble, asked, sent, git, pull, mode: 'up' },
    env: { SSL_CERT_FILE: cert, GH_HOST: host, GH_ENTERPRISE_TOKEN: 'stand-in' },
    check(number, name, conclusion) {
      refresh();
      const it = pull(number);
      it.checks.push({ sha: it.headSha, name, conclusion });
    },
    review(number, author, body) {
      const it = pull(number);
      const state = 'CHANGES_REQUESTED';
      it.reviews.push({ id: `V${it.reviews.length}`, state, author, body });
    },
    comment(number, author, { path, line, body }) {
      const it = pull(number);
      it.threads.push({ id: `C${it.threads.length}`, author, path, line, body });
    },
    commit: (branch, files) =>
      inClone(branch, (inside, write) => {
        write(files);
        inside('add', '--all');
        inside('commit', '--quiet', '--message', 'somebody else');
      }),
    merge(number, how, changed = {}) {
      refresh();
      const it = pull(number);
      it.mergeSha = inClone(it.base, (inside, write) => {
        inside('fetch', '--quiet', forks.get(it.owner) ?? bare, it.head);
        merged(inside, it, how, () => write(changed));
        write(changed);
        inside('add', '--all');
        if (inside('status', '--porcelain') !== '') inside('commit', '--quiet', '-m', 'more');
      });
      it.state = 'MERGED';
    },
    fork(owner) {
      const folder = `${bare}.${owner}`;
      box.git(box.root, 'clone', '--quiet', '--bare', bare, folder);
      forks.set(owner, folder);
      const address = `${url.replace(`/${OWNER}/`, `/${owner}/`)}.git`;
      box.git(repo, 'remote', 'rename', 'origin', 'upstream');
      box.git(repo, 'remote', 'add', 'origin', address);
      box.git(repo, 'config', `url.${folder}.insteadOf`, address);
      box.git(repo, 'fetch', '--quiet', 'origin');
    },
  };
  return forge;

  /** Does something in a clone on that branch, pushes it, and returns its commit. */
  function inClone(branch: string, work: (inside: Inside, write: (files: Files) => void) => void) {
    box.git(folder, 'clone', '--quiet', bare, scratch);
    const inside: Inside = (...args) => box.git(scratch, ...args);
    inside('switch', '--quiet', branch);
    work(inside, (files) => {
      for (const [path, content] of Object.entries(files)) box.write(join(scratch, path), content);
    });
    inside('push', '--quiet', 'origin', branch);
    const sha = inside('rev-parse', 'HEAD').trim();
    rmSync(scratch, { recursive: true });
    return sha;
  }

  function merged(inside: Inside, it: Pull, how: string, change: () => void): void {
    if (how === 'rebase') {
      inside('switch', '--quiet', '--detach', it.headSha);
      inside('rebase', '--quiet', '--force-rebase', `origin/${it.base}`);
      inside('switch', '--quiet', it.base);
      inside('merge', '--quiet', '--ff-only', '@{-1}');
    } else if (how === 'squash') {
      inside('merge', '--quiet', '--squash', it.headSha);
      change();
      inside('add', '--all');
      inside('commit', '--quiet', '--message', `${it.title} (#${it.number})`);
    } else inside('merge', '--quiet', '--no-ff', '--message', `Merge #${it.number}`, it.headSha);
  }
}

type Inside = (...args: readonly string[]) => string;

interface Variables {
  readonly number?: number;
  readonly pr_number?: number;
  readonly input: { readonly pullRequestId: string };
}

interface Drafted {
  readonly draft: boolean;
}

const digits = (): number => 1 + Math.floor(Math.random() * 250);

const operationOf = (body: string): string =>
  /(?:query|mutation) (\w+)/.exec(body)?.[1] ?? (body.includes('mergeQueueEntry') ? 'look' : '');
