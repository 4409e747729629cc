/**
 * The checkout the scripts work on, and how they start programs in it.
 *
 * Runs on the machine's own Node (20 or newer) with nothing installed: `node:` modules only.
 */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The Node 24 that `npm ci` installs in the checkout; everything except the installation uses it. */
export const ownNode = join(
  root,
  'node_modules/node/bin',
  process.platform === 'win32' ? 'node.exe' : 'node',
);

/**
 * Runs a script of the checkout on the checkout's Node, with this terminal, until it ends.
 *
 * Ctrl-C reaches the whole foreground group, so the script handles it itself; other signals reach
 * only this process and are passed on.
 *
 * @param {readonly string[]} args script and arguments, relative to the checkout.
 * @returns {Promise<number>} the exit code; 128 + number if a signal ended it, as in shells.
 */
export async function runOnOwnNode(args) {
  const child = spawn(ownNode, args, { cwd: root, stdio: 'inherit' });
  const leave = () => undefined;
  const handOn = (signal) => child.kill(signal);
  process.on('SIGINT', leave).on('SIGTERM', handOn).on('SIGHUP', handOn);
  try {
    return await ended(child);
  } finally {
    process.off('SIGINT', leave).off('SIGTERM', handOn).off('SIGHUP', handOn);
  }
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @returns {Promise<number>}
 */
export function ended(child) {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(code ?? 128 + constants.signals[signal]));
  });
}

/**
 * Runs the parts of a command in order and ends with the exit code of the first that fails.
 *
 * @param {...(() => number | Promise<number>)} parts
 */
export async function inTurn(...parts) {
  for (const part of parts) {
    const code = await part();
    if (code !== 0) {
      process.exitCode = code;
      return;
    }
  }
}
