/**
 * Builds the hook: `lanehold-hook.cjs`, which agents call, and `lanehold-hook-main.cjs`, which it runs with a
 * cache of compiled code.
 */
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { build } from 'esbuild';
import { withoutPartsOfAgents } from './agent-parts.mjs';
import { inAscii } from './in-ascii.mjs';

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
      // `require` for lazy imports: `import()` would first start the ESM loader.
      supported: { 'dynamic-import': false },
      define: { ...shared.define, 'import.meta.dirname': '__dirname' },
      external: [SQLITE],
      plugins: [bundledSqlite, withoutPartsOfAgents(['install', 'worker'])],
      entryPoints: { 'lanehold-hook-main': 'src/moments/hook/main.ts' },
    }),
    build({ ...hook, entryPoints: { 'lanehold-hook': 'src/moments/hook/entry.ts' } }),
  ]);
  const whole = main.outputFiles.map(({ path, contents }) => ({
    path,
    contents: asFile(contents),
  }));
  return {
    outputFiles: [...whole, ...entry.outputFiles],
    metafiles: [main.metafile, entry.metafile],
  };
}

const SQLITE = 'better-sqlite3/package.json';

/**
 * better-sqlite3 is in the bundle, because to find and compile its fifteen files takes longer than all that is done
 * with the database. What looks for the addon is loaded from where it is installed; all of it, if it is of another
 * version there.
 */
const bundledSqlite = {
  name: 'bundled-sqlite',
  setup({ onLoad }) {
    const { version } = createRequire(import.meta.url)(SQLITE);
    onLoad({ filter: /[\\/]better-sqlite3[\\/]lib[\\/]index\.js$/ }, () => ({
      contents: `const { dirname, join } = require('node:path');
        const manifest = require.resolve('${SQLITE}'), folder = dirname(manifest);
        if (require(manifest).version !== '${version}') module.exports = require(folder);
        else {
          const { getBinding } = require(join(folder, 'lib/binding.js'));
          module.exports = require('./database')(getBinding, true);
          module.exports.SqliteError = require('./sqlite-error');
        }`,
    }));
  },
};

/** After the digest of the code and the length of the file, which the entry checks. */
function asFile(contents) {
  const code = inAscii(contents);
  const id = createHash('sha256').update(code).digest('hex').slice(0, 16);
  const start = (length) => `/*${id} ${String(length).padStart(9, '0')}*/\n`;
  return Buffer.concat([Buffer.from(start(start(0).length + code.length)), code]);
}
