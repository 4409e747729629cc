#!/usr/bin/env node
/**
 * Builds what ships: `dist/` (the CLI and the supervisor, split so that each command and each step
 * loads only its own code) and the hook (CommonJS, because ESM starts measurably slower).
 *
 * A file is replaced in one step and only if it changed: an agent that works on this checkout may
 * be running the hook at this moment, and half a hook would refuse whatever it does.
 */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { build, transform } from 'esbuild';
import { buildHook } from './build-hook.mjs';
import { root } from './checkout.mjs';

const shared = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node22.12',
  external: ['better-sqlite3'],
  // What some packages offer as `main` hides its own imports from a bundler.
  mainFields: ['module', 'main'],
  logLevel: 'warning',
  write: false,
};
const requireInEsm =
  "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);";

const results = await Promise.all([
  build({
    ...shared,
    format: 'esm',
    banner: { js: requireInEsm },
    entryPoints: { cli: 'src/cli/main.ts' },
    outdir: 'dist',
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
  }),
  buildSupervisor(),
  buildHook({ ...shared, external: [] }),
]);

const built = new Map(
  results.flatMap(({ outputFiles }) => outputFiles).map(({ path, contents }) => [path, contents]),
);
for (const [path, contents] of built) replace(path, contents);
removeLeftovers();

/**
 * One file for each set of modules that are needed together: most of its life a supervisor watches,
 * and each byte of a source that was loaded takes five of memory. esbuild splits only what it writes
 * as ESM, whose imports do not look where `NODE_PATH` says, hence the second step.
 */
async function buildSupervisor() {
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
  const inCommonJs = outputFiles.map(async ({ path, text }) => {
    const { code } = await transform(text, {
      format: 'cjs',
      platform: 'node',
      target: shared.target,
      supported: { 'dynamic-import': false },
      minifyWhitespace: true,
    });
    return { path, contents: Buffer.from(code) };
  });
  return { outputFiles: await Promise.all(inCommonJs) };
}

/**
 * @param {string} path absolute
 * @param {Uint8Array} contents
 */
function replace(path, contents) {
  if (existsSync(path) && readFileSync(path).equals(contents)) return;
  mkdirSync(dirname(path), { recursive: true });
  const next = `${path}.${process.pid}.tmp`;
  writeFileSync(next, contents);
  renameSync(next, path);
}

/** `dist` holds nothing but the build; what an earlier one left there is nobody's. */
function removeLeftovers() {
  const dist = join(root, 'dist');
  for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && !built.has(path)) rmSync(path);
  }
}
