/** What each path of the page's server answers. */
import { setTimeout as pause } from 'node:timers/promises';
import type { AppContext } from '../../app/context.ts';
import { explained, failureOf } from '../../app/explain.ts';
import type { ServedProject } from '../../app/served-projects.ts';
import { ExplainedError, UsageError } from '../../base/errors.ts';
import { isJsonObject, parsedJson } from '../../base/text/json.ts';
import { printable } from '../../base/text/printable.ts';
import { redact } from '../../base/text/redact/redact.ts';
import { type Access, HEADERS, isOwnRequest } from './access.ts';
import type { ChangeFeed } from './changes.ts';
import type { Asked, ContentfulStatusCode, Http } from './http.ts';
import { projectIdOf, shownLog, VIEWS } from './views.ts';

export interface Served {
  /** For a use case in this folder. */
  readonly contextAt: (folder: string) => AppContext;
  readonly projects: readonly ServedProject[];
  /** Why nothing may be done, such as a start by an agent; `null` where a person may. */
  readonly readOnly: string | null;
  /** Where the built page is. */
  readonly folder: string;
  readonly access: Access;
  readonly feed: ChangeFeed;
  /** Its port is not known before it listens. */
  readonly port: () => number;
  /** Aborts what takes long. */
  readonly signal: AbortSignal;
  /** A longer action continues, and its result is sent to the open pages. */
  readonly answerMs: number;
  readonly work: Set<Promise<unknown>>;
  /** Called with each request of a reader. */
  readonly onReader: () => void;
  /** Called with the stack of an unexpected error. */
  readonly onDefect: (stack: string) => void;
}

const MOST_BODY_BYTES = 256 * 1024;
const MOST_UNREAD = 100;

export function pageRoutes(http: Http, served: Served) {
  const { Hono, bodyLimit, getCookie, serveStatic, setCookie, streamSSE } = http;
  const { access, feed, folder, readOnly } = served;
  const app = new Hono();
  const cookie = () => `lanehold-${served.port()}`;

  app.use(async (asked, next) => {
    for (const [name, value] of Object.entries(HEADERS)) asked.header(name, value);
    const hosts = ['127.0.0.1', 'localhost'].map(
      (it) => new URL(`http://${it}:${served.port()}`).host,
    );
    if (isOwnRequest(asked.req.raw.headers, asked.req.method, hosts)) return next();
    return problem(asked, 403, 'this request is not of the page that this server has sent');
  });
  app.use(
    bodyLimit({
      maxSize: MOST_BODY_BYTES,
      onError: (asked) => problem(asked, 413, `that is more than ${MOST_BODY_BYTES} bytes`),
    }),
  );
  app.post('/enter', async (asked) => {
    const { token } = await body(asked);
    const session = access.exchange(String(token));
    if (session === undefined) {
      return problem(asked, 403, 'this address was opened before, or is not of this server', USED);
    }
    setCookie(asked, cookie(), session, { path: '/', httpOnly: true, sameSite: 'Strict' });
    return json(asked, { said: 'entered' });
  });
  app.use('/api/*', async (asked, next) => {
    if (!access.knows(getCookie(asked, cookie())))
      return problem(asked, 401, 'this browser was not let in', USED);
    served.onReader();
    return next();
  });
  app.get('/api/projects', (asked) => {
    const projects = served.projects.map(({ key, name, folder }) => ({ key, name, folder }));
    return json(asked, { projects, readOnly });
  });
  for (const [path, view] of Object.entries(VIEWS)) {
    app.get(`/api/:project/${path}`, async (asked) =>
      json(asked, await view(contextOf(asked), { ...asked.req.query(), ...asked.req.param() })),
    );
  }
  app.get('/api/:project/changes', async (asked) => {
    const context = contextOf(asked);
    const projectId = await projectIdOf(context);
    const log = await shownLog(context, asked.req.query('log'), asked.req.query('run'));
    const lastId = asked.req.header('last-event-id');
    return streamSSE(asked, async (stream) => {
      const { promise: gone, resolve } = Promise.withResolvers<void>();
      stream.onAbort(resolve);
      served.signal.addEventListener('abort', () => resolve());
      let unread = 0;
      const send = (message: Parameters<typeof stream.writeSSE>[0]) => {
        // A client that does not read gets a notice when the stream is opened again.
        if (unread >= MOST_UNREAD) return resolve();
        unread += 1;
        void stream.writeSSE(message).finally(() => (unread -= 1));
      };
      const leave = feed.add({ projectId, log, lastId, send });
      await gone;
      leave();
    });
  });
  app.post('/api/:project/do', async (asked) => {
    if (readOnly !== null) {
      return problem(
        asked,
        409,
        `nothing can be done here: ${readOnly}`,
        'run the command instead',
      );
    }
    const { act } = await import('./actions.ts');
    const context = contextOf(asked);
    const doing = act(context, await body(asked), served.signal);
    served.work.add(doing);
    doing.catch(() => undefined).finally(() => served.work.delete(doing));
    return json(asked, { said: await soon(context, doing) });
  });
  app.get('*', serveStatic({ root: folder }));
  app.notFound((asked) => problem(asked, 404, 'there is nothing here'));
  app.onError(async (thrown, asked) => {
    const { status, data } = await failure(thrown);
    return json(asked, data, status);
  });
  return app;

  /** @throws {UsageError} for a project that is not served. */
  function contextOf(asked: Asked): AppContext {
    const key = asked.req.param('project');
    const [here] = served.projects;
    const found = key === '-' ? here : served.projects.find((it) => it.key === key);
    if (found !== undefined) return served.contextAt(found.folder);
    throw new UsageError('there is no such project here', { code: 'NO_SUCH_PROJECT' });
  }

  /** The final result, or a preliminary one after some time. */
  async function soon(context: AppContext, doing: Promise<string>): Promise<string> {
    const { answerMs } = served;
    const waited = pause(answerMs, undefined, { ref: false });
    const first = answerMs > 0 ? await Promise.race([doing, waited]) : undefined;
    if (first !== undefined) return first;
    const projectId = await projectIdOf(context);
    void doing
      .then(
        (said) => ({ said }),
        async (error) => (await failure(error)).data,
      )
      .then((data) => feed.announce(projectId, 'said', shownJson(data)));
    return 'It has begun; this page tells how it ends';
  }

  async function failure(thrown: unknown) {
    const error = await explained(thrown, served.contextAt('/').env);
    const isDefect = !(error instanceof ExplainedError);
    if (isDefect && !served.signal.aborted) served.onDefect(stackOf(error));
    const { message, hint, code } = failureOf(error);
    return { status: statusOf(error), data: { error: message, hint, code } };
  }
}

const stackOf = (error: unknown) => (error instanceof Error ? String(error.stack) : String(error));

const USED = 'press enter in the terminal of `lanehold ui` for a new address';

/** The redacted texts of the last view, because most of them recur; long ones are not kept. */
const shownBefore = new Map<string, string>();
const MOST_KEPT = { texts: 20_000, chars: 500 };

/** Text of agents, git and logs, without secrets, terminal control characters and changes of direction. */
function shown(_: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const before = shownBefore.get(value);
  if (before !== undefined) return before;
  const text = printable(redact(value));
  if (shownBefore.size >= MOST_KEPT.texts) shownBefore.clear();
  if (value.length <= MOST_KEPT.chars) shownBefore.set(value, text);
  return text;
}

const shownJson = (data: object): string => JSON.stringify(data, shown);

const json = (asked: Asked, data: object, status: ContentfulStatusCode = 200) =>
  asked.body(shownJson(data), status, { 'content-type': 'application/json' });

function problem(asked: Asked, status: ContentfulStatusCode, error: string, hint?: string) {
  return json(asked, { error, hint }, status);
}

function statusOf(error: unknown): ContentfulStatusCode {
  if (!(error instanceof ExplainedError)) return 500;
  if (error.code.startsWith('NO_SUCH')) return 404;
  return error instanceof UsageError ? 400 : 409;
}

async function body(asked: Asked): Promise<Readonly<Record<string, unknown>>> {
  const isJson = /^application\/json(?:;|$)/.test(asked.req.header('content-type') ?? '');
  const given = isJson ? parsedJson(await asked.req.text()) : undefined;
  if (isJsonObject(given)) return given;
  throw new UsageError('the body is no JSON object');
}
