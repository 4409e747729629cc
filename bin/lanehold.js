#!/usr/bin/env node
// Syntax and builtins that Node 18 knows: an old Node has to get as far as saying what is missing,
// and must never reach a native module, which would end it without a word.
import { existsSync, realpathSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';

const inPackage = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

const cli = inPackage('dist/cli.cjs');
const ownNode = inPackage('node_modules/node/bin/node');
const [major, minor] = process.versions.node.split('.').map(Number);
const isOld = major < 22 || (major === 22 && minor < 12);

if (!isOld) await runHere();
else if (isAnotherNode(ownNode)) await continueWith(ownNode);
else {
  explain(
    `lanehold needs Node 22.12 or newer, this is ${process.versions.node}`,
    'install a newer Node from https://nodejs.org and run the same command again',
    2,
  );
}

async function runHere() {
  if (!existsSync(cli)) {
    explain('lanehold is not built yet', 'run `npm start`, or `npm run build`', 1);
    return;
  }
  module.enableCompileCache?.();
  if (process.argv[2] === 'statusline') await printStatusline();
  const { main } = module.createRequire(import.meta.url)('../dist/cli.cjs');
  process.exitCode = await main();
}

/**
 * Ends here if it can: it is started after each turn of an agent, and the whole command line takes several times
 * as long.
 */
async function printStatusline() {
  const { main } = module.createRequire(import.meta.url)('../dist/statusline.cjs');
  await main(process.argv.slice(3));
}

/** False for the Node that runs this, or two old ones would start each other for ever. */
function isAnotherNode(path) {
  return existsSync(path) && realpathSync(path) !== realpathSync(process.execPath);
}

/** A terminal interrupts both processes, so that signal is only kept from ending this one first. */
async function continueWith(node) {
  const { spawn } = await import('node:child_process');
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
    explain(`${node} does not start: ${error.message}`, 'run `npm ci`', 1),
  );
  child.on('exit', (exitCode, signal) => {
    for (const name of Object.keys(handlers)) process.removeListener(name, handlers[name]);
    if (signal) process.kill(process.pid, signal);
    else process.exitCode = exitCode;
  });
}

function explain(fact, hint, exitCode) {
  process.stderr.write(`error: ${fact}\nhint: ${hint}\n`);
  process.exitCode = exitCode;
}
