/**
 * Builds the hook: `lanehold-hook.cjs`, which agents call, and `lanehold-hook-main.cjs`, which it runs with a
 * cache of compiled code.
 */
import { createHash } from 'node:crypto';
import { build } from 'esbuild';
import { withoutPartsOfAgents } from './agent-parts.mjs';

/** @param {import('esbuild').BuildOptions} shared what all bundles have in common. */
export async function buildHook(shared) {
  const hook = {
    ...shared,
    format: 'cjs',
    minify: true,
    outdir: 'hooks',
    outExtension: { '.js': '.cjs' },
  };
  const [{ outputFiles: main }, { outputFiles: entry }] = await Promise.all([
    build({
      ...hook,
      // `require` for lazy imports: `import()` would first start the ESM loader.
      supported: { 'dynamic-import': false },
      define: { ...shared.define, 'import.meta.dirname': '__dirname' },
      plugins: [withoutPartsOfAgents(['install', 'worker'])],
      entryPoints: { 'lanehold-hook-main': 'src/moments/hook/main.ts' },
    }),
    build({ ...hook, entryPoints: { 'lanehold-hook': 'src/moments/hook/entry.ts' } }),
  ]);
  const whole = main.map(({ path, contents }) => ({ path, contents: asFile(contents) }));
  return { outputFiles: [...whole, ...entry] };
}

/** After the digest of the code and the length of the file, which the entry checks. */
function asFile(code) {
  if (code.some((byte) => byte > 0x7f)) throw new Error('the hook has to be ASCII');
  const id = createHash('sha256').update(code).digest('hex').slice(0, 16);
  const start = (length) => `/*${id} ${String(length).padStart(9, '0')}*/\n`;
  return Buffer.concat([Buffer.from(start(start(0).length + code.length)), code]);
}
