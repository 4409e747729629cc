/** The files that a browser loads, read once: a path is looked up and never joined to a folder. */
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative } from 'node:path';
import { codeOf, ExplainedError } from '../../base/errors.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};

export type PageFiles = ReturnType<typeof pageFiles>;

/** By path. @throws {ExplainedError} if the page is not built. */
export function pageFiles(folder: string) {
  const files = new Map<
    string,
    { readonly content: Uint8Array<ArrayBuffer>; readonly type: string }
  >();
  for (const name of namesIn(folder)) {
    const type = TYPES[extname(name)];
    if (type === undefined) continue;
    files.set(`/${name}`, { content: new Uint8Array(readFileSync(join(folder, name))), type });
  }
  const index = files.get('/index.html');
  if (index === undefined) {
    throw new ExplainedError('the page is not built', { hint: 'run `npm run build`' });
  }
  return files.set('/', index);
}

function namesIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    const found = entries.filter((it) => it.isFile());
    return found.map((it) => relative(folder, join(it.parentPath, it.name)));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}
