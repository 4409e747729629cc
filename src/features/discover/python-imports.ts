/** Imports of Python, as its own `ast` finds them where a Python is there, followed to files. */
import { posix } from 'node:path';
import { onPath } from '../../base/files/executable.ts';
import { run } from '../../base/process/run.ts';
import { parsedJson } from '../../base/text/json.ts';
import { type Imports, MOST_PARSED, type Sources } from './imports.ts';
import { asObject } from './manifest.ts';
import { baseName, parent, within } from './source-tree.ts';

/** Reads `{path: text}` and writes `{path: [[level, module, name], …]}`; it imports nothing of the project. */
const READ_IMPORTS = `
import ast, json, sys, warnings
warnings.simplefilter('ignore')
found = {}
for path, text in json.loads(sys.stdin.buffer.read()).items():
    try:
        nodes = list(ast.walk(ast.parse(text)))
    except Exception:
        continue
    found[path] = []
    for node in nodes:
        if isinstance(node, ast.Import):
            found[path] += [[0, it.name, ''] for it in node.names]
        elif isinstance(node, ast.ImportFrom):
            found[path] += [[node.level, node.module or '', it.name] for it in node.names]
print(json.dumps(found))
`;

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

export async function pythonImports({ paths, readFile, root, env }: Sources): Promise<Imports> {
  const modules = paths.filter((path) => path.endsWith('.py')).slice(0, MOST_PARSED);
  const python = onPath('python3', env) ?? onPath('python', env);
  if (modules.length === 0 || python === undefined) return new Map();
  const input = JSON.stringify(Object.fromEntries(modules.map((it) => [it, readFile(it) ?? ''])));
  // Without the user's site packages and variables, and without the project on its path.
  const outcome = await run(python, ['-I', '-S', '-c', READ_IMPORTS], {
    cwd: root,
    env,
    input,
    maxOutputBytes: MAX_OUTPUT_BYTES,
  });
  const text = outcome.kind === 'exited' && outcome.exitCode === 0 ? outcome.stdout : '';
  const found = asObject(parsedJson(text.toString()));
  const resolve = resolver(paths);
  return new Map(
    Object.entries(found).map(([path, imports]) => [
      path,
      [...new Set((imports as Found[]).flatMap((it) => resolve(it, path) ?? []))],
    ]),
  );
}

/** `from ..a.b import c` is `[2, 'a.b', 'c']`. */
type Found = readonly [level: number, module: string, name: string];

function resolver(paths: readonly string[]) {
  const tracked = new Set(paths);
  const projects = paths.filter((it) =>
    /^(?:pyproject\.toml|setup\.(?:py|cfg))$/.test(baseName(it)),
  );
  const roots = ['', ...projects.map(parent)].flatMap((it) => [it, within(it, 'src')]);
  return ([level, module, name]: Found, from: string): string | undefined => {
    const steps = [...module.split('.'), name].filter((it) => it !== '' && it !== '*');
    const up = '../'.repeat(Math.max(0, level - 1));
    const bases = level === 0 ? roots : [posix.join(parent(from), up)];
    // `a.b.c` may be a module, or a name in one.
    for (let length = steps.length; length > 0; length -= 1) {
      for (const base of bases) {
        const file = posix.join(base, ...steps.slice(0, length));
        const path = [`${file}.py`, `${file}/__init__.py`].find((it) => tracked.has(it));
        if (path !== undefined) return path;
      }
    }
    return undefined;
  };
}
