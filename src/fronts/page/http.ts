/** What serves HTTP. The built program has it as a file of its own, which no other command loads. */
import { serve } from '@hono/node-server';
import { serveStatic } from '@hono/node-server/serve-static';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { getCookie, setCookie } from 'hono/cookie';
import { streamSSE } from 'hono/streaming';

export type { Context as Asked } from 'hono';
export type { ContentfulStatusCode } from 'hono/utils/http-status';

export const http = { Hono, bodyLimit, getCookie, serve, serveStatic, setCookie, streamSSE };
export type Http = typeof http;
