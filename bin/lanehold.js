#!/usr/bin/env node
// Syntax and builtins that Node 18 knows: an old Node has to get as far as saying what is missing,
// and must never reach a native module, which would end it without a word.
// CommonJS, because that starts quicker.
const { existsSync, realpathSync, writeSync } = require('node:fs');
const { enableCompileCache } = require('node:module');
const { dirname, join } = require('node:path');

const cli = join(__dirname, '../dist/cli.cjs');
const [major, minor] = process.versions.node.split('.').map(Number);
const isOld = major < 22 || (major === 22 && minor < 12);

if (isOld) runElsewhere();
else void runHere();

async function runHere() {
  const [command, ...rest] = process.argv.slice(2);
  if (command === '--version' && rest.length === 0) {
    writeSync(1, `${require('../package.json').version}\n`);
    return;
  }
  if (!existsSync(cli)) {
    explain('lanehold is not built yet', 'run `npm start`, or `npm run build`', 1);
    return;
  }
  enableCompileCache?.();
  process.exitCode = await require('../dist/cli.cjs').main();
}

/** Goes on with the Node of a checkout, or with one that npm has installed beside this package. */
function runElsewhere() {
  const nodes = ['../node_modules/node/bin/node', '../../node/bin/node'];
  // The first in any case: two old ones would start each other for ever.
  const node = nodes.map((it) => join(__dirname, it)).find((it) => existsSync(it));
  if (node && realpathSync(node) !== realpathSync(process.execPath)) continueWith(node);
  else {
    const fact = `lanehold needs Node 22.12 or newer, this is ${process.versions.node}`;
    explain(fact, howToGetNode(), 2);
  }
}

/** A terminal interrupts both processes, so that signal is only kept from ending this one first. */
function continueWith(node) {
  const { spawn } = require('node:child_process');
  let child;
  const handlers = {
    SIGINT: () => undefined,
    SIGTERM: () => child.kill('SIGTERM'),
    SIGHUP: () => child.kill('SIGHUP'),
  };
  // Before it starts: a signal that comes first must not end this process alone.
  for (const signal of Object.keys(handlers)) process.on(signal, handlers[signal]);
  child = spawn(node, process.argv.slice(1), { stdio: 'inherit' });
  child.on('error', (error) =>
    explain(
      `${node} does not start: ${error.message}`,
      node.startsWith(dirname(__dirname)) ? 'run `npm ci`' : howToGetNode(),
      1,
    ),
  );
  child.on('exit', (exitCode, signal) => {
    for (const name of Object.keys(handlers)) process.removeListener(name, handlers[name]);
    if (signal) process.kill(process.pid, signal);
    else process.exitCode = exitCode;
  });
}

/** Where npm has installed this for everything, a Node beside it changes no other program. */
function howToGetNode() {
  const [, prefix] = /^(.+)\/lib\/node_modules\/[^/]+$/.exec(dirname(__dirname)) || [];
  if (!prefix) return 'install Node 24 from https://nodejs.org and run the same command again';
  const quoted = /^[\w./-]+$/.test(prefix) ? prefix : `'${prefix.replace(/'/g, "'\\''")}'`;
  return `install one for lanehold alone: npm install --global --prefix ${quoted} --no-bin-links node@24`;
}

function explain(fact, hint, exitCode) {
  process.stderr.write(`error: ${fact}\nhint: ${hint}\n`);
  process.exitCode = exitCode;
}
