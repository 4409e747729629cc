import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createContext, type GlobalOptions } from '../../src/fronts/cli/command.ts';
import { hookScriptFile } from '../../src/install/hook-script.ts';
import { bufferedHost } from '../support/buffered-host.ts';
import { removeTree } from '../support/remove-tree.ts';

/** Code of a hook program whose answer has the mark that the entry script asks for. */
export const answering = (code: string): string => `
const mark = process.argv[2].slice('--mark='.length);
while (process.argv[2]?.startsWith('--')) process.argv.splice(2, 1);
process.on('exit', (code) => require('node:fs').writeSync(1, mark + '=' + code));
${code}`;

/** A HOME, a project and a hook program of the test's own; gone when the test is. */
export function sandbox() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "lanehold 'sandbox' ")));
  onTestFinished(() => removeTree(root));
  const home = join(root, 'home');
  const project = join(root, 'project');
  mkdirSync(home);
  mkdirSync(project);

  function put(path: string, content: string | Uint8Array): string {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    return file;
  }

  const hook = put('package/hooks/lanehold-hook.cjs', answering('process.stdin.resume();\n'));
  return {
    root,
    home,
    project,
    put,
    runtime: { node: process.execPath, hook },
    start: {
      node: process.execPath,
      hook,
      script: hookScriptFile({ root: join(home, '.lanehold') }),
    },
    settings: join(home, '.claude/settings.json'),
    laneholdHome: join(home, '.lanehold'),
    /** A context in the project, and what is said through it. */
    context(globals: GlobalOptions = {}, env: Readonly<Record<string, string | undefined>> = {}) {
      const { host, said } = bufferedHost([], {
        env: { HOME: home, PATH: process.env.PATH, ...env },
        cwd: () => project,
      });
      return { context: createContext(host, globals), said };
    },
  };
}

export type Sandbox = ReturnType<typeof sandbox>;
