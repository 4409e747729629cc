#!/usr/bin/env node
/** Fails when the hook has grown past what its start-up budget carries. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './checkout.mjs';

/**
 * Every tool call of every agent reads parts of this file before it does anything, though compiled
 * already where it can. Raise the figure together with a run of `npm run bench` that shows the
 * budgets still hold.
 */
const LIMIT_KB = 600;
const FILE = 'hooks/lanehold-hook-main.cjs';

const kb = readFileSync(join(root, FILE)).length / 1000;
console.log(`${FILE}: ${kb.toFixed(0)} kB of ${LIMIT_KB} kB`);
if (kb > LIMIT_KB) {
  console.error('hint: find what came in with `npx esbuild --analyze`, and leave it out');
  process.exitCode = 1;
}
