#!/usr/bin/env node
/**
 * Builds what ships: `dist/` (the CLI, split so that a command loads only its own code) and
 * `hooks/lanehold-hook.cjs` (one CommonJS file, because ESM starts measurably slower).
 */
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
process.chdir(root);

const shared = {
  bundle: true,
  platform: 'node',
  target: 'node22.12',
  external: ['better-sqlite3'],
  logLevel: 'warning',
};
const requireInEsm =
  "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

rmSync('dist', { recursive: true, force: true });
await Promise.all([
  build({
    ...shared,
    format: 'esm',
    // jsonc-parser's CommonJS form requires its parts in a way that no bundler follows.
    mainFields: ['module', 'main'],
    banner: { js: requireInEsm },
    entryPoints: { cli: 'src/cli/main.ts' },
    outdir: 'dist',
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
  }),
  build({
    ...shared,
    format: 'cjs',
    entryPoints: { 'lanehold-hook': 'src/hook.ts' },
    outdir: 'hooks',
    outExtension: { '.js': '.cjs' },
  }),
]);
