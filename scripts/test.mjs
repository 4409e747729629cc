#!/usr/bin/env node
/**
 * `npm test [-- <vitest arguments>]`: from a fresh clone to a line `N passed, N failed, N skipped`.
 * Builds each time: tests start the built program, and the build leaves alone what has not changed.
 */
import { inTurn, runOnOwnNode } from './checkout.mjs';
import { ensureInstalled } from './ensure-installed.mjs';

await inTurn(
  ensureInstalled,
  () => runOnOwnNode(['scripts/build.mjs']),
  () => runOnOwnNode(['node_modules/vitest/vitest.mjs', 'run', ...process.argv.slice(2)]),
);
