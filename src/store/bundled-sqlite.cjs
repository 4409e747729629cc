/**
 * What `better-sqlite3` is in the hook: its JavaScript comes with the bundle, and only what it was
 * compiled to is loaded from where it is installed. Looking up the package and its fifteen files
 * would take longer than all that is then done with the database.
 */
'use strict';
const { existsSync, readFileSync } = require('node:fs');
const { dirname, join } = require('node:path');

/** Of the package that the bundle was made of. */
const { version } = require('better-sqlite3/package.json');

module.exports = installed() ?? require('better-sqlite3');

/** @returns {Function | undefined} `undefined` where it is not this version, or not where it should be. */
function installed() {
  const folder = packageFolder(__dirname);
  if (folder === undefined) return undefined;
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  if (manifest.version !== version) return undefined;
  const { bindingIn } = require('better-sqlite3/lib/binding.js');
  const Database = require('better-sqlite3/lib/database.js')(bindingIn(folder), true);
  Database.SqliteError = require('better-sqlite3/lib/sqlite-error.js');
  return Database;
}

/** @param {string} start absolute; itself and what is above it are searched, as Node does. */
function packageFolder(start) {
  for (let folder = start; ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', 'better-sqlite3');
    if (existsSync(join(candidate, 'package.json'))) return candidate;
    if (dirname(folder) === folder) return undefined;
  }
}
