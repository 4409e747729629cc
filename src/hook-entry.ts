/**
 * The first lines of the hook program, in syntax that every Node parses: turns on Node's compile
 * cache (most of what a short process does is reading its own source) and loads the rest. Should
 * there be no rest, it is the last one who can hold a release.
 */
import { existsSync, mkdirSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { RELEASE_WORDS } from './text/release-words.ts';

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

/** With half of the package gone, only what carries a release word is refused. */
function holdReleases(error: unknown): void {
  if (process.env.LANEHOLD_DISABLE === '1' || process.argv[2] !== 'before-tool') return;
  const input = readFileSync(0, 'utf8');
  const command = input.slice(Math.max(0, input.indexOf('"tool_input"')));
  if (!RELEASE_WORDS.some((word) => command.includes(word))) return;
  const fact = error instanceof Error ? error.message.split('\n', 1)[0] : String(error);
  writeSync(
    2,
    `lanehold holds this command: its program is incomplete (${fact}); repair it with \`npm install -g lanehold && lanehold install\`\n`,
  );
  process.exitCode = 2;
}

enableCache();
try {
  require(join(__dirname, 'lanehold-hook-main.cjs'));
} catch (error) {
  holdReleases(error);
}
