#!/usr/bin/env node
/**
 * Installs the checkout's dependencies if they are missing or are not those of package-lock.json.
 *
 * Runs on the machine's own Node (20 or newer) with nothing installed: `node:` modules only.
 */
import { spawn } from 'node:child_process';
import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ended, ownNode, root } from './checkout.mjs';

const folder = join(root, 'node_modules');
/** Interval of the message that the installation still runs. */
const HEARTBEAT_MS = 5000;

/** @returns {Promise<number>} 0, or the exit code of npm. */
export async function ensureInstalled() {
  const reason = whyInstall();
  if (!reason) return 0;
  console.error(`${reason}: installing what package-lock.json names (npm ci, up to a minute)`);
  const started = Date.now();
  const seconds = () => Math.round((Date.now() - started) / 1000);
  const heartbeat = setInterval(
    () => console.error(`  still installing, ${seconds()} s`),
    HEARTBEAT_MS,
  );
  try {
    const code = await npmCi();
    if (code === 0) console.error(`installed in ${seconds()} s`);
    else console.error(`npm ci failed with exit code ${code}; its words are above`);
    return code;
  } finally {
    clearInterval(heartbeat);
  }
}

/** @returns {string | undefined} what is wrong with the installation, if anything. */
function whyInstall() {
  const present = lstatSync(folder, { throwIfNoEntry: false });
  if (!present) return 'no node_modules';
  // A link leads to the folder of another checkout, which npm would empty while it is in use.
  if (present.isSymbolicLink()) return undefined;
  if (!existsSync(ownNode)) return 'node_modules is incomplete';
  return differsFromLock() ? 'node_modules is not what package-lock.json names' : undefined;
}

/**
 * Compares npm's own record of the installation, which it writes last, with the lock file by version
 * and digest. Unlike file times it stays right after a branch switch, and unlike a marker file it
 * includes an `npm ci` that was run by hand.
 */
function differsFromLock() {
  const record = join(folder, '.package-lock.json');
  if (!existsSync(record)) return true;
  const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  const found = JSON.parse(readFileSync(record, 'utf8')).packages;
  return Object.entries(wanted).some(([path, { version, integrity, optional, devOptional }]) => {
    if (path === '') return false;
    const installed = found[path];
    // Packages for other platforms are optional and not installed.
    if (!installed) return !(optional || devOptional);
    return installed.version !== version || installed.integrity !== integrity;
  });
}

/** @returns {Promise<number>} */
function npmCi() {
  // `npm run` puts the checkout's Node first, and `npm ci` is about to delete it.
  const path = (process.env.PATH ?? '').split(delimiter).filter((dir) => !dir.startsWith(folder));
  return ended(
    spawn('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: root,
      env: { ...process.env, PATH: path.join(delimiter) },
      // npm's output goes to stderr: stdout belongs to the command that needs the installation.
      stdio: ['ignore', process.stderr, process.stderr],
      shell: process.platform === 'win32',
    }),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = await ensureInstalled();
