/**
 * Builds a program that runs for a long time, as the supervisor does: one file for each set of modules that are
 * needed together, because each byte of loaded source takes five bytes of memory.
 */
import { build } from 'esbuild';
import { commonJs } from './common-js.mjs';

/**
 * @param {import('esbuild').BuildOptions} shared what all bundles have in common.
 * @param {string} name of the entry and of its folder in `dist`.
 * @param {string} source
 * @param {readonly import('esbuild').Plugin[]} plugins
 */
export async function buildInParts(shared, name, source, plugins) {
  const { outputFiles, metafile } = await build({
    ...shared,
    format: 'esm',
    define: { ...shared.define, 'import.meta.dirname': '__dirname' },
    entryPoints: { [name]: source },
    outdir: `dist/${name}`,
    outExtension: { '.js': '.cjs' },
    splitting: true,
    plugins: [...plugins],
    // Names contain a hash of the content, so the entry's imports identify all files.
    chunkNames: '[name]-[hash]',
    // Names are kept for the stack traces in its log.
    minifyWhitespace: true,
    minifySyntax: true,
  });
  const parts = outputFiles.map(async ({ path, text }) => {
    const code = await commonJs(text, { minifyWhitespace: true });
    return { path, contents: Buffer.from(code) };
  });
  return { outputFiles: await Promise.all(parts), metafile };
}
