#!/usr/bin/env node
/** `npm start`: from a fresh clone to the tour, on a machine with only Node 20, npm and git. */
import { inTurn, runOnOwnNode } from './checkout.mjs';
import { ensureInstalled } from './ensure-installed.mjs';
import { sayHowToUse } from './on-path.mjs';

await inTurn(
  ensureInstalled,
  () => runOnOwnNode(['scripts/build.mjs']),
  () => runOnOwnNode(['scripts/tour/main.ts']),
  sayHowToUse,
);
