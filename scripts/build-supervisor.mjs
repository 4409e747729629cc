/**
 * Builds the supervisor: one file for each set of modules that are needed together. A supervisor runs
 * for a long time, and each byte of loaded source takes five bytes of memory.
 */
import { build } from 'esbuild';
import { withoutPartsOfAgents } from './agent-parts.mjs';
import { commonJs } from './common-js.mjs';

/** @param {import('esbuild').BuildOptions} shared what all bundles have in common. */
export async function buildSupervisor(shared) {
  const { outputFiles, metafile } = await build({
    ...shared,
    format: 'esm',
    define: { ...shared.define, 'import.meta.dirname': '__dirname' },
    entryPoints: { supervisor: 'src/lanes/run/main.ts' },
    outdir: 'dist/supervisor',
    outExtension: { '.js': '.cjs' },
    splitting: true,
    plugins: [withoutPartsOfAgents(['install'])],
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
