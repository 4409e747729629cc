/**
 * The first lines of the hook program, in syntax that every Node parses: turns on Node's compile
 * cache (most of what a short process does is reading its own source) and loads the rest.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

// An import of the whole module would touch each of its members, and some load others.
const nodeModule: { enableCompileCache?: (folder: string) => unknown } = require('node:module');

function enableCache(): void {
  const home =
    process.env.LANEHOLD_HOME || (process.env.HOME && join(process.env.HOME, '.lanehold'));
  if (!home || nodeModule.enableCompileCache === undefined) return;
  const cache = join(home, 'cache');
  try {
    if (!existsSync(cache)) mkdirSync(cache, { recursive: true, mode: 0o700 });
    nodeModule.enableCompileCache(cache);
  } catch (error) {
    // Without a place to write, the cache is not worth a word.
    if (!(error instanceof Error)) throw error;
  }
}

enableCache();
require(join(__dirname, 'lanehold-hook-main.cjs'));
