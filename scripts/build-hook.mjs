/**
 * Builds the hook: `lanehold-hook.cjs`, which agents call, and `lanehold-hook-main.cjs`, which it runs with a
 * cache of compiled code.
 *
 * Lazily imported code, and code that several such imports share, is a function of its own: in a single scope
 * each start would make every function of the bundle, also those that the event does not need.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { build, transform } from 'esbuild';
import { withoutPartsOfAgents } from './agent-parts.mjs';
import { root } from './checkout.mjs';
import { commonJs, TARGET } from './common-js.mjs';

const MAIN = 'lanehold-hook-main';

/** @param {import('esbuild').BuildOptions} shared what all bundles have in common. */
export async function buildHook(shared) {
  const hook = { ...shared, minify: true, outdir: 'hooks' };
  const [modules, entry] = await Promise.all([
    build({
      ...hook,
      format: 'esm',
      splitting: true,
      chunkNames: '[hash]',
      // ESM's name for what CommonJS has as `__dirname`.
      define: { ...shared.define, 'import.meta.dirname': '__dirname' },
      plugins: [bundledSqlite, withoutPartsOfAgents(['install', 'worker'])],
      entryPoints: { [MAIN]: 'src/moments/hook/main.ts' },
    }),
    build({
      ...hook,
      format: 'cjs',
      outExtension: { '.js': '.cjs' },
      define: { FIRST_MODULE: JSON.stringify(`./${MAIN}.js`) },
      entryPoints: { 'lanehold-hook': 'src/moments/hook/entry.ts' },
    }),
  ]);
  const contents = asFile(await asTable(modules.outputFiles));
  const main = { path: join(root, 'hooks', `${MAIN}.cjs`), contents };
  return { outputFiles: [main, ...entry.outputFiles] };
}

/** After the digest of the code and the length of the file. */
function asFile(code) {
  const id = createHash('sha256').update(code).digest('hex').slice(0, 16);
  const start = (length) => `/*${id} ${String(length).padStart(9, '0')}*/\n`;
  return Buffer.from(start(start(0).length + code.length) + code);
}

/** An object with a function for each module. */
async function asTable(modules) {
  const helpers = new Map();
  const entries = [];
  for (const { path, text } of modules) {
    const body = withPlainExports(withoutHelpers(await commonJs(text), helpers));
    const name = JSON.stringify(`./${basename(path)}`);
    entries.push(`${name}(exports,require,module,__filename,__dirname){${body}}`);
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

/**
 * Makes plain properties of what esbuild exports by two getters, one behind the other, and imports by a third:
 * nothing that is exported changes, and no module imports itself through others.
 */
function withPlainExports(code) {
  const [all, listed] = EXPORTS.exec(code) ?? [];
  if (all === undefined) return withPlainImports(code);
  const exports = listed.replaceAll(/: \(\) => /g, ': ');
  return `${withPlainImports(code.replace(all, ''))}module.exports = {${exports}};`;
}

const EXPORTS =
  /var stdin_exports = \{\};\n__export\(stdin_exports, \{([^}]*)\}\);\nmodule\.exports = __toCommonJS\(stdin_exports\);\n/;

const withPlainImports = (code) => code.replaceAll(/__toESM\((require\("\.[^"]*"\))\)/g, '$1');

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
