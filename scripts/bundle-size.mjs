#!/usr/bin/env node
/**
 * Fails if the hook is larger than its start-up budget allows, an installation than a disk should bear, or the page
 * than a browser should have to load.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { root } from './checkout.mjs';

/**
 * Every tool call of every agent first reads this file, and compiled code of it where possible. Raise
 * the limit only after a run of `npm run bench` shows that the budgets still hold.
 */
const HOOK_LIMIT_KB = 1_020;
const HOOK = 'hooks/lanehold-hook-main.cjs';
/** 27 MB of it is better-sqlite3, with the native part for each platform and its source. */
const INSTALLED_LIMIT_MB = 40;

/** As a browser gets it compressed: at once, and when a diff or a graph is opened. */
const PAGE_LIMITS_KB = { atOnce: 90, later: 150 };
const PAGE = join(root, 'dist/page');

check(HOOK, readFileSync(join(root, HOOK)).length / 1000, HOOK_LIMIT_KB, 'kB');
check('installed', installedBytes() / 1e6, INSTALLED_LIMIT_MB, 'MB');
const atOnce = loadedAtOnce();
const later = filesIn(PAGE).filter((it) => !atOnce.has(basename(it)));
check('page', zipped([...atOnce].map((it) => join(PAGE, it))), PAGE_LIMITS_KB.atOnce, 'kB');
check('page, later', zipped(later), PAGE_LIMITS_KB.later, 'kB');

/** Names of files that the page's HTML names, and of those that they import before anything is opened. */
function loadedAtOnce() {
  const names = new Set(['index.html']);
  for (const name of names) {
    const text = readFileSync(join(PAGE, name), 'utf8');
    for (const [, found] of text.matchAll(
      /(?:href=|src=|from|import)\s*"(?:\.\/)?([\w-]+\.(?:js|css))"/g,
    )) {
      names.add(found);
    }
  }
  return names;
}

/** @param {string[]} paths */
function zipped(paths) {
  return paths.reduce((sum, path) => sum + gzipSync(readFileSync(path)).length, 0) / 1000;
}

function check(name, size, limit, unit) {
  console.log(`${name}: ${size.toFixed(0)} ${unit} of ${limit} ${unit}`);
  if (size <= limit) return;
  console.error('hint: find what came in with `npx esbuild --analyze`, and leave it out');
  process.exitCode = 1;
}

/** What `npm install --global lanehold` puts on the disk of a machine like this one. */
function installedBytes() {
  const options = { cwd: root, encoding: 'utf8', maxBuffer: 16 * 1024 * 1024 };
  const packed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], options);
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const folders = Object.entries(packages)
    .filter(([path, { dev }]) => path !== '' && !dev)
    .map(([path]) => join(root, path))
    .filter((it) => existsSync(it));
  const names = [JSON.parse(packed)].flat().flatMap(({ files }) => files.map(({ path }) => path));
  const files = [...names.map((it) => join(root, it)), ...folders.flatMap(filesIn)];
  return files.reduce((sum, file) => sum + statSync(file).blocks * 512, 0);
}

/** @param {string} folder */
function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((it) => it.isFile())
    .map((it) => join(it.parentPath, it.name));
}
