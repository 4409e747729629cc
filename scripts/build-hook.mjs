/**
 * Builds the hook: `lanehold-hook.cjs`, which agents call, and `lanehold-hook-main.cjs`, which it runs with a
 * cache of compiled code.
 */
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';
import { withoutPartsOfAgents } from './agent-parts.mjs';
import { assertFixedExports } from './fixed-exports.ts';
import { inAscii } from './in-ascii.mjs';
import { joined } from './joined-parts.mjs';

const MAIN = 'lanehold-hook-main';

/** @param {import('esbuild').BuildOptions} shared what all bundles have in common. */
export async function buildHook(shared) {
  const hook = { ...shared, minify: true, outdir: 'hooks', outExtension: { '.js': '.cjs' } };
  const modules = {
    ...hook,
    format: 'esm',
    splitting: true,
    define: { ...shared.define, 'import.meta.dirname': '__dirname' },
    external: [SQLITE],
    plugins: [bundledSqlite, withoutPartsOfAgents(['install', 'worker'])],
    entryPoints: { [MAIN]: 'src/moments/hook/main.ts' },
  };
  const [main, named, entry] = await Promise.all([
    build(modules),
    build({ ...modules, minify: false, minifyWhitespace: true }),
    build({
      ...hook,
      format: 'cjs',
      entryPoints: { 'lanehold-hook': 'src/moments/hook/entry.ts' },
    }),
  ]);
  assertFixedExports(named.outputFiles);
  const path = join(shared.absWorkingDir, `hooks/${MAIN}.cjs`);
  const whole = { path, contents: asFile(Buffer.from(joined(main.outputFiles, path))) };
  return {
    outputFiles: [whole, ...entry.outputFiles],
    metafiles: [main.metafile, entry.metafile],
  };
}

const SQLITE = 'better-sqlite3/package.json';

/**
 * better-sqlite3 is in the bundle, because to find and compile its fifteen files takes longer than all that is done
 * with the database. Only its addon is loaded from where it is installed; all of it, if it is of another version there.
 * What Node and the library do to find the addon takes two milliseconds, so the usual places are tried first.
 */
const bundledSqlite = {
  name: 'bundled-sqlite',
  setup({ onLoad }) {
    const { version } = createRequire(import.meta.url)(SQLITE);
    onLoad({ filter: /[\\/]better-sqlite3[\\/]lib[\\/]index\.js$/ }, () => ({
      contents: `const { existsSync, readFileSync } = require('node:fs'), { dirname, join } = require('node:path');
        const manifestIn = (folder) => join(folder, 'node_modules', '${SQLITE}');
        let above = __dirname;
        while (!existsSync(manifestIn(above)) && above !== dirname(above)) above = dirname(above);
        const found = manifestIn(above);
        const manifest = existsSync(found) ? found : require.resolve('${SQLITE}');
        const folder = dirname(manifest);
        // The library prefers one that was compiled on purpose, and has others for musl.
        const isUsual = process.platform === 'linux' && !existsSync(join(folder, 'build')) &&
          !['x86_64', 'aarch64'].some((it) => existsSync('/lib/ld-musl-' + it + '.so.1'));
        const usual = () => {
          const own = { exports: {} };
          try {
            process.dlopen(own, join(folder, 'prebuilds/linux-' + process.arch + '.node'));
            return own.exports;
          } catch {}
        };
        let addon;
        const getBinding = () => addon ??=
          (isUsual ? usual() : undefined) ?? require(join(folder, 'lib/binding.js')).getBinding();
        if (JSON.parse(readFileSync(manifest, 'utf8')).version !== '${version}') module.exports = require(folder);
        else {
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
