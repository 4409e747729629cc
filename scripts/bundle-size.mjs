#!/usr/bin/env node
/** Fails when the hook's bundle has grown past what its start-up budget carries. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { root } from './checkout.mjs';

/**
 * Every tool call of every agent reads and parses this file before it does anything. Raise it
 * together with a run of `npm run bench` that shows the budgets still hold.
 */
const LIMIT_KB = 400;

const bytes = readFileSync(join(root, 'hooks/lanehold-hook.cjs'));
const kb = bytes.length / 1000;
const size = `hooks/lanehold-hook.cjs: ${kb.toFixed(1)} kB of ${LIMIT_KB} kB (${(gzipSync(bytes).length / 1000).toFixed(1)} kB compressed)`;
if (kb > LIMIT_KB) {
  console.error(
    `${size}\nhint: find what came in with \`npx esbuild --analyze\`, or load it lazily`,
  );
  process.exitCode = 1;
} else {
  console.log(size);
}
