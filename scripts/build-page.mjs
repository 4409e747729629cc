/**
 * Builds the page of `lanehold ui`: `main.js` and `style.css` load at once; what is needed only when something
 * is opened, such as a diff, is a chunk of its own.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { root } from './checkout.mjs';

/** Browsers of the last two years: nobody runs agents in an older one. */
const TARGET = ['chrome120', 'firefox121', 'safari17.2'];

export async function buildPage() {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    bundle: true,
    format: 'esm',
    splitting: true,
    minify: true,
    target: TARGET,
    tsconfig: 'page/tsconfig.json',
    entryPoints: ['page/main.tsx', 'page/style.css'],
    outdir: 'dist/page',
    // A name contains a hash of the content, so that a browser may keep it.
    chunkNames: 'part-[hash]',
    logLevel: 'warning',
    write: false,
    metafile: true,
  });
  const files = outputFiles.map(({ path, contents }) => [path, Buffer.from(contents)]);
  const index = readFileSync(join(root, 'page/index.html'));
  return { files: [...files, [join(root, 'dist/page/index.html'), index]], metafile };
}
