/**
 * Builds the hook: `lanehold-hook.cjs`, which agents call, and `lanehold-hook-main.cjs`, from which it
 * loads the parts that an event needs, with a cache of compiled code.
 *
 * Lazily imported code, and code that several such imports share, becomes a module of its own.
 * Modules that are usually needed together form a part. Parts that an event does not need are neither
 * read nor compiled: in a single scope they would cost each event more than its own work.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { build, transform } from 'esbuild';
import { agentsWith } from '../src/agents/registry.ts';
import { withoutPartsOfAgents } from './agent-parts.mjs';
import { root } from './checkout.mjs';
import { commonJs, TARGET } from './common-js.mjs';

const MAIN = 'lanehold-hook-main';
/** Size of the header at the start of the file, which lists the places of the parts. */
const HEADER_BYTES = 8192;

/**
 * The first pattern that matches a source of a module decides its part. The patterns change only the
 * start-up time, which `bench/` measures, not what the hook does.
 */
const PARTS = [
  ['tool-call', /src\/(?:recognise\/tool-call|lifecycle\/before-tool-call)\.ts$/],
  [
    'core',
    /src\/(?:lanes\/(?:guardrails\/lane-mark|model\/paths)|config\/(?:feature|policy))\.ts$/,
  ],
  ['check', /\/(?:zod|jsonc-parser)\/|src\/config\/files\.ts$/],
  ['note', /src\/(?:text\/redact\/redact|lifecycle\/(?:failure-log|record-decision))\b/],
  ['read', /\/unbash\/|src\/recognise\/(?!guard\/tampering-text)/],
  ['read', /src\/lifecycle\/(?:before-command|reading-context)\.ts$/],
  [
    'lane',
    /src\/lanes\/|src\/lifecycle\/(?:in-lane|lane-command|open-runs|task-list|reconcile-lanes)\./,
  ],
  ['lane', /src\/store\/(?:lane|attempts|runs\.|handoffs|integrations|breakers|session-tasks)/],
  ['git-hook', /src\/(?:install\/|lifecycle\/(?:git-hold|git-hook-reach)\.)/],
  ['rare', /src\/(?:lifecycle\/(?:before-push|previous-hook)|store\/migrate)\.ts$/],
  ['gate', /src\/gate\/|src\/git\/(?:tree|paths|blobs|repository-snapshot|status)\.ts$/],
  [
    'store',
    /\/(?:better-sqlite3|picomatch)\/|src\/(?:features\/|config\/|evidence\/|git\/git\.ts)|src\/store\/(?!home|errors)/,
  ],
];
const REST = 'core';

/** @param {import('esbuild').BuildOptions} shared what all bundles have in common. */
export async function buildHook(shared) {
  const hook = { ...shared, minify: true, outdir: 'hooks' };
  const { outputFiles, metafile } = await build({
    ...hook,
    format: 'esm',
    splitting: true,
    metafile: true,
    chunkNames: '[hash]',
    // ESM's name for what CommonJS has as `__dirname`.
    define: { 'import.meta.dirname': '__dirname' },
    plugins: [bundledSqlite, withoutPartsOfAgents(['install', 'worker'])],
    entryPoints: { [MAIN]: 'src/hook/main.ts' },
  });
  const parts = new Map();
  for (const { path, text } of outputFiles) {
    const { inputs, entryPoint } = metafile.outputs[relative(root, path)];
    const part = partOf([...(entryPoint ? [entryPoint] : []), ...Object.keys(inputs)]);
    parts.set(part, [...(parts.get(part) ?? []), { name: `./${basename(path)}`, text }]);
  }
  const entry = await build({
    ...hook,
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    define: {
      HEADER_BYTES: String(HEADER_BYTES),
      FIRST_MODULE: JSON.stringify(`./${MAIN}.js`),
      RAW_PAYLOADS: JSON.stringify(rawPayloads()),
    },
    entryPoints: { 'lanehold-hook': 'src/hook/entry.ts' },
  });
  const main = { path: join(root, 'hooks', `${MAIN}.cjs`), contents: await joined(parts) };
  return { outputFiles: [main, ...entry.outputFiles] };
}

function rawPayloads() {
  return Object.fromEntries(agentsWith('hooks').map((it) => [it.name, it.hooks.rawPayload]));
}

function partOf(sources) {
  return PARTS.find(([, pattern]) => sources.some((it) => pattern.test(it)))?.[0] ?? REST;
}

/** A header and all parts, in one file, so that a hook never mixes the parts of two builds. */
async function joined(modules) {
  const places = {};
  const sources = [];
  let at = HEADER_BYTES;
  for (const [part, members] of modules) {
    const source = await asTable(members);
    places[part] = [at, source.length, members.map(({ name }) => name)];
    at += source.length;
    sources.push(source);
  }
  const code = sources.join('');
  const id = createHash('sha256').update(code).digest('hex').slice(0, 16);
  const header = `/*${JSON.stringify({ id, bytes: at, parts: places })}*/\n`;
  if (header.length > HEADER_BYTES) throw new Error(`the header takes ${header.length} bytes`);
  return Buffer.from(`${header.padStart(HEADER_BYTES)}${code}`);
}

/** The code of a part: an object with a function for each of its modules. */
async function asTable(members) {
  const helpers = new Map();
  const entries = [];
  for (const { name, text } of members) {
    const code = await commonJs(text);
    const body = withoutHelpers(code, helpers);
    entries.push(`${JSON.stringify(name)}(exports,require,module,__filename,__dirname){${body}}`);
  }
  const table = `(()=>{"use strict";${[...helpers.values()].join('')}return{${entries.join(',')}}})();`;
  const { code } = await transform(table, { loader: 'js', target: TARGET, minify: true });
  if (Buffer.byteLength(code) !== code.length) throw new Error('the hook has to be ASCII');
  return code;
}

/** Helpers that esbuild puts at the start of each module: statements with indented continuation lines. */
const HELPER = /var (__\w+) = [\s\S]*?;\n(?![\s}])/y;

/** @returns the code without its helpers, which are added to the known ones. */
function withoutHelpers(code, helpers) {
  HELPER.lastIndex = 0;
  let end = 0;
  for (let found = HELPER.exec(code); found !== null; found = HELPER.exec(code)) {
    helpers.set(found[1], found[0]);
    end = HELPER.lastIndex;
  }
  return code.slice(end);
}

/** See `src/store/bundled-sqlite.cjs`. */
export const bundledSqlite = {
  name: 'bundled-sqlite',
  setup({ onResolve, onLoad }) {
    const standIn = join(root, 'src/store/bundled-sqlite.cjs');
    const folder = dirname(createRequire(import.meta.url).resolve('better-sqlite3/package.json'));
    onResolve({ filter: /^better-sqlite3$/ }, ({ importer }) =>
      importer === standIn ? { path: 'better-sqlite3', external: true } : { path: standIn },
    );
    onResolve({ filter: /^better-sqlite3\// }, ({ path }) => ({
      path: join(folder, path.slice('better-sqlite3/'.length)),
    }));
    // Made for each connection, and not used.
    onLoad(
      { filter: /better-sqlite3[\\/]lib[\\/]methods[\\/](?:aggregate|backup|table)\.js$/ },
      () => ({
        contents: '',
      }),
    );
    // It searches for its native addon relative to its own path.
    onLoad({ filter: /[\\/]better-sqlite3[\\/]lib[\\/]binding\.js$/ }, ({ path }) => ({
      contents: `exports.bindingIn = (folder) => { const __dirname = folder + '/lib', exports = {};
        ${readFileSync(path, 'utf8')}
        return exports.getBinding; };`,
    }));
  },
};
