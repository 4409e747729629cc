/**
 * How a checkout becomes the command `lanehold`: a link in the user's own folder for programs, so that
 * nobody needs root as `npm link` may.
 *
 * Runs on the machine's own Node (20 or newer) with nothing installed: `node:` modules only.
 */
import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from './checkout.mjs';

const program = join(root, 'bin/lanehold.js');

/** @returns {number} 0 */
export function sayHowToUse() {
  const line = linkCommand(process.env);
  const before = line
    ? `To have this checkout as \`lanehold\`:\n\n  ${line}\n\n${forGood(line)}Then, in`
    : 'Next, in';
  console.log(`\n${before} a repository of yours:\n\n  lanehold init\n`);
  return 0;
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {string | undefined} a command for sh, bash and zsh, if `lanehold` is not yet this checkout.
 */
function linkCommand({ PATH = '', HOME = homedir() }) {
  const folders = PATH.split(delimiter);
  if (folders.some((folder) => leadsHere(join(folder, 'lanehold')))) return undefined;
  const link = `mkdir -p ~/.local/bin && ln -sf '${program.replaceAll("'", "'\\''")}' ~/.local/bin/lanehold`;
  const isOnPath = folders.includes(join(HOME, '.local/bin'));
  return isOnPath ? link : `${link} && export PATH="$HOME/.local/bin:$PATH"`;
}

const forGood = (line) =>
  line.includes('export')
    ? '`export` counts for this terminal only; the start-up file of your shell keeps it.\n'
    : '';

function leadsHere(path) {
  try {
    return realpathSync(path) === realpathSync(program);
  } catch {
    return false;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) sayHowToUse();
