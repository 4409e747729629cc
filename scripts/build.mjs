#!/usr/bin/env node
/**
 * Builds what ships: `dist/` (the CLI, the supervisor, split so that each step loads only its own code, and
 * the page), the hook, and plugins of agents. All that Node starts is CommonJS, because ESM starts measurably
 * slower.
 *
 * A file is replaced in one step and only if it changed: an agent that works on this checkout may
 * run the hook at this moment, and an incomplete hook would refuse everything.
 */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { buildHook } from './build-hook.mjs';
import { buildPage } from './build-page.mjs';
import { buildSupervisor } from './build-supervisor.mjs';
import { root } from './checkout.mjs';
import { pluginFiles } from './client-plugins.ts';
import { TARGET } from './common-js.mjs';
import { entryScript } from './entry-script.ts';
import { inAscii } from './in-ascii.mjs';
import { licences } from './third-party.mjs';

const shared = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: TARGET,
  // Native parts stay where they are installed.
  external: ['better-sqlite3'],
  // What some packages offer as `main` hides its own imports from a bundler.
  mainFields: ['module', 'main'],
  logLevel: 'warning',
  write: false,
  metafile: true,
};
/** What serves HTTP and the driver of PostgreSQL are files of their own, which few commands load. */
const apart = {
  name: 'apart',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/http\.ts$/ }, () => ({ path: './http.cjs', external: true }));
    onResolve({ filter: /^pg$/ }, () => ({ path: './pg.cjs', external: true }));
  },
};
const results = await Promise.all([
  // One file: a command would load a hundred small ones, each at the cost of many lines of code. What a
  // command does not need is in it, but is not run.
  build({
    ...shared,
    format: 'cjs',
    define: {
      'import.meta.dirname': '__dirname',
      'import.meta.url': 'moduleUrl',
    },
    banner: { js: "const moduleUrl = require('node:url').pathToFileURL(__filename).href;" },
    // Names are kept: they are in the traces that people send.
    minifyWhitespace: true,
    minifySyntax: true,
    entryPoints: { cli: 'src/fronts/main.ts' },
    plugins: [apart],
    outdir: 'dist',
    outExtension: { '.js': '.cjs' },
  }),
  build({
    ...shared,
    format: 'cjs',
    minifyWhitespace: true,
    minifySyntax: true,
    entryPoints: { http: 'src/fronts/page/http.ts', pg: 'pg' },
    // Of the driver what only other clients or runtimes need.
    external: [...shared.external, 'pg-native', 'pg-cloudflare'],
    outdir: 'dist',
    outExtension: { '.js': '.cjs' },
  }),
  buildSupervisor(shared),
  buildHook(shared),
  // What an agent loads into its own process: one file without imports of ours.
  build({
    ...shared,
    format: 'esm',
    external: [],
    entryPoints: pluginsOfAgents(),
    outdir: 'hooks',
  }),
]);

const [{ built: plugins }, page] = await Promise.all([pluginFiles(), buildPage()]);
const built = new Map([
  ...results
    .flatMap(({ outputFiles }) => outputFiles)
    .map(({ path, contents }) => [path, inAscii(contents)]),
  ...page.files,
  ...Object.entries({
    ...plugins,
    'dist/lanehold-hook.sh': await entryScript(),
    'dist/third-party-licences.txt': licences(
      root,
      [...results, page].flatMap(({ metafiles, metafile }) => metafiles ?? [metafile]),
    ),
  }).map(([path, text]) => [join(root, path), Buffer.from(text)]),
]);
for (const [path, contents] of built) replace(path, contents);
for (const folder of ['dist', 'gemini-extension']) removeLeftovers(join(root, folder));

/** `hooks/<agent>-plugin.js` for each `src/agents/<agent>/plugin.ts`. */
function pluginsOfAgents() {
  const source = (agent) => `src/agents/${agent}/plugin.ts`;
  const agents = readdirSync(join(root, 'src/agents')).filter((it) =>
    existsSync(join(root, source(it))),
  );
  return Object.fromEntries(agents.map((it) => [`${it}-plugin`, source(it)]));
}

/**
 * @param {string} path absolute
 * @param {Uint8Array} contents
 */
function replace(path, contents) {
  if (existsSync(path) && readFileSync(path).equals(contents)) return;
  mkdirSync(dirname(path), { recursive: true });
  const next = `${path}.${process.pid}.tmp`;
  writeFileSync(next, contents);
  renameSync(next, path);
}

/** Deletes files of earlier builds from a folder that contains only build output. */
function removeLeftovers(folder) {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && !built.has(path)) rmSync(path);
  }
}
