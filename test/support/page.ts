/** The page's server in this process, and requests as a browser sends them, or as nobody should. */
import { request as send } from 'node:http';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { AppContext } from '../../src/app/context.ts';
import { homeOf } from '../../src/base/files/home.ts';
import { type PageWish, servePage } from '../../src/fronts/page/serve.ts';
import { openStore } from '../../src/store/open.ts';
import type { Sandbox } from './sandbox.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
}

export interface Ask {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** @param cwd the project that the terminal stands in. */
export async function openPage(
  box: Sandbox,
  cwd: string,
  {
    env = {},
    parents = [],
    ...wish
  }: Partial<PageWish> & {
    readonly env?: Readonly<Record<string, string>>;
    readonly parents?: readonly (readonly string[])[];
  } = {},
) {
  const over = new AbortController();
  const folder = join(box.root, 'page');
  box.write('page/index.html', '<!doctype html><title>lanehold</title>');
  box.write('page/main.js', 'export {};');
  const defects: string[] = [];
  const wholeEnv = { ...box.env, ...env };
  const store = await openStore(homeOf(wholeEnv));
  const context: AppContext = {
    env: wholeEnv,
    cwd,
    now: () => new Date(),
    store: async () => store,
    invocation: { program: 'lanehold', words: ['ui'], folder: cwd, parents: () => parents },
    progress: () => undefined,
  };
  const page = await servePage(context, {
    ...{ all: false, port: 0, signal: over.signal, folder },
    onDefect: (stack) => defects.push(stack),
    ...wish,
  });
  const end = async () => {
    over.abort();
    await page.ended;
  };
  onTestFinished(async () => {
    await end();
    store.close();
  });
  const origin = `http://127.0.0.1:${page.port}`;

  function ask(path: string, { method = 'GET', headers = {}, body }: Ask = {}): Promise<Answer> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const own = method === 'GET' ? {} : { origin, 'content-type': 'application/json' };
    return new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port: page.port, path, method };
      const asked = send({ ...options, headers: { ...own, ...headers } }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (piece) => (text += piece));
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
        });
      });
      asked.on('error', reject).end(text);
    });
  }

  const tokenOf = (address: string) => address.replace(/^.*#/, '');

  /** Lets a browser in. @returns the cookie that it sends from then on. */
  async function enter(token = tokenOf(page.address())): Promise<string> {
    const { headers } = await ask('/enter', { method: 'POST', body: { token } });
    return `${headers['set-cookie']?.[0]}`.replace(/;.*$/, '');
  }

  return { ...page, origin, ask, tokenOf, enter, end, defects, store };
}

/** A browser that was let in. */
export async function enteredPage(...given: Parameters<typeof openPage>) {
  const page = await openPage(...given);
  const cookie = await page.enter();
  return {
    ...page,
    cookie,
    get: (path: string) => page.ask(path, { headers: { cookie } }),
    /** The stream of changes, as far as it came. */
    follow(query = '', headers: Readonly<Record<string, string>> = {}) {
      const followed = { text: '', isOpen: true };
      const path = `/api/-/changes${query}`;
      const options = { host: '127.0.0.1', port: page.port, path };
      const asked = send({ ...options, headers: { cookie, ...headers } }, (response) => {
        response.setEncoding('utf8').on('data', (piece: string) => {
          followed.text += piece;
        });
        response.on('close', () => {
          followed.isOpen = false;
        });
      });
      asked.on('error', () => undefined).end();
      const events = () =>
        Array.from(followed.text.matchAll(/event: (\w+)\ndata: (.*)\n(?:id: (.*)\n)?/g), (it) => {
          const [, event = '', data = '', id] = it;
          return { event, data: JSON.parse(data) as Readonly<Record<string, unknown>>, id };
        });
      return {
        events,
        isOpen: () => followed.isOpen,
        count: (event: string) => events().filter((it) => it.event === event).length,
        leave: () => asked.destroy(),
      };
    },
    async act(action: string, more: object = {}) {
      const body = { action, ...more };
      const { status, text } = await page.ask('/api/-/do', {
        method: 'POST',
        headers: { cookie },
        body,
      });
      return { status, ...(JSON.parse(text) as { said?: string; error?: string; hint?: string }) };
    },
  };
}
