/** What Node and Python load first on a disk that does not say what was read: they append it to a file. */

/** Modules are read by ways of the loader's own. A Node whose loader cannot be asked writes nothing. */
export const PRELOAD_FOR_NODE = `import fs from 'node:fs';
import module from 'node:module';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
const { openSync, writeSync } = fs;
const log = module.registerHooks && openSync(process.env.LANEHOLD_READS, 'a');
const note = (file) => {
  const text = file.toString();
  const path = text.startsWith('file:') ? fileURLToPath(text.replace(/[?#].*/, '')) : resolve(text);
  if (log && typeof file !== 'number' && !text.startsWith('node:')) writeSync(log, path + '\\n');
};
for (const from of [fs, fs.promises])
  for (const name of ['open', 'openSync', 'readFile', 'readFileSync', 'copyFile', 'copyFileSync']) {
    const original = from[name];
    const noting = function (file, ...more) {
      note(file);
      return original.call(this, file, ...more);
    };
    if (original) from[name] = Object.assign(noting, original);
  }
module.syncBuiltinESMExports();
module.registerHooks?.({ load: (url, context, next) => (note(url), next(url, context)) });
`;

export const PRELOAD_FOR_PYTHON = `import os, sys
log = os.open(os.environ["LANEHOLD_READS"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
def note(event, args):
    if event == "open" and isinstance(args[0], (str, bytes)):
        os.write(log, os.fsencode(os.path.abspath(args[0])) + b"\\n")
sys.addaudithook(note)
`;
