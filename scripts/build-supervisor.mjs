/**
 * Builds the supervisor: one file for each set of modules that are needed together. Most of its life
 * a supervisor watches, and each byte of a source that was loaded takes five of memory.
 */
import { build } from 'esbuild';
import { commonJs } from './common-js.mjs';

/** @param {import('esbuild').BuildOptions} shared what all bundles have in common. */
export async function buildSupervisor(shared) {
  const { outputFiles } = await build({
    ...shared,
    format: 'esm',
    define: { 'import.meta.dirname': '__dirname' },
    entryPoints: { supervisor: 'src/lanes/supervise/main.ts' },
    outdir: 'dist/supervisor',
    outExtension: { '.js': '.cjs' },
    splitting: true,
    // In the names is what the files contain: the first one stands for all of them.
    chunkNames: '[name]-[hash]',
    // Names stay, for the traces in its log.
    minifyWhitespace: true,
    minifySyntax: true,
  });
  const parts = outputFiles.map(async ({ path, text }) => {
    const code = await commonJs(text, { minifyWhitespace: true });
    return { path, contents: Buffer.from(code) };
  });
  return { outputFiles: await Promise.all(parts) };
}
