#!/usr/bin/env node
/** Fails if the hook is larger than its start-up budget allows. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './checkout.mjs';

/**
 * Every tool call of every agent first reads this file, and compiled code of it where possible. Raise
 * the limit only after a run of `npm run bench` shows that the budgets still hold.
 */
const LIMIT_KB = 950;
const FILE = 'hooks/lanehold-hook-main.cjs';

const kb = readFileSync(join(root, FILE)).length / 1000;
console.log(`${FILE}: ${kb.toFixed(0)} kB of ${LIMIT_KB} kB`);
if (kb > LIMIT_KB) {
  console.error('hint: find what came in with `npx esbuild --analyze`, and leave it out');
  process.exitCode = 1;
}
