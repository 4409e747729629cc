/**
 * Builds the hook: `lanehold-hook.cjs`, which agents call, and `lanehold-hook-main.cjs`, which it runs with a
 * cache of compiled code. What an event imports lazily and does not need is in it, but is not run.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { agentsWith } from '../src/agents/registry.ts';
import { withoutPartsOfAgents } from './agent-parts.mjs';
import { root } from './checkout.mjs';

const MAIN = 'lanehold-hook-main';

/** @param {import('esbuild').BuildOptions} shared what all bundles have in common. */
export async function buildHook(shared) {
  const hook = {
    ...shared,
    format: 'cjs',
    minify: true,
    outdir: 'hooks',
    outExtension: { '.js': '.cjs' },
  };
  const [main, entry] = await Promise.all([
    build({
      ...hook,
      define: { 'import.meta.dirname': '__dirname' },
      // `require` for lazy imports: `import()` would first start the ESM loader.
      supported: { 'dynamic-import': false },
      plugins: [bundledSqlite, withoutPartsOfAgents(['install', 'worker'])],
      entryPoints: { [MAIN]: 'src/hook/main.ts' },
    }),
    build({
      ...hook,
      define: { RAW_PAYLOADS: JSON.stringify(rawPayloads()) },
      entryPoints: { 'lanehold-hook': 'src/hook/entry.ts' },
    }),
  ]);
  const wrapped = main.outputFiles.map(({ path, text }) => ({ path, contents: asFunction(text) }));
  return { outputFiles: [...wrapped, ...entry.outputFiles] };
}

function rawPayloads() {
  return Object.fromEntries(agentsWith('hooks').map((it) => [it.name, it.hooks.rawPayload]));
}

/** A function as Node makes one of a module, after its digest and the length of the file. */
function asFunction(code) {
  const source = `(function(exports,require,module,__filename,__dirname){${code}})`;
  if (Buffer.byteLength(source) !== source.length) throw new Error('the hook has to be ASCII');
  const id = createHash('sha256').update(source).digest('hex').slice(0, 16);
  const start = (length) => `/*${id} ${String(length).padStart(9, '0')}*/\n`;
  return Buffer.from(start(start(0).length + source.length) + source);
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
