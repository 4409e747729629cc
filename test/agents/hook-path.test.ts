import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

/** What a hook loads of the agents: every definition, with the adapter in it. */
async function loaded(): Promise<readonly { file: string; imports: readonly string[] }[]> {
  const { metafile } = await build({
    absWorkingDir: join(import.meta.dirname, '../..'),
    entryPoints: ['src/agents/registry.ts'],
    bundle: true,
    splitting: true,
    format: 'esm',
    outdir: 'nowhere',
    metafile: true,
    platform: 'node',
    write: false,
  });
  const { inputs } = metafile;
  const seen = new Map<string, readonly string[]>();
  const visit = (file: string): void => {
    if (seen.has(file)) return;
    const all = inputs[file]?.imports ?? [];
    const taken = all.filter(({ kind }) => kind !== 'dynamic-import');
    seen.set(
      file,
      taken.filter(({ external }) => external).map(({ path }) => path),
    );
    for (const { external, path } of taken) if (!external) visit(path);
  };
  visit('src/agents/registry.ts');
  return [...seen].map(([file, imports]) => ({ file, imports }));
}

test('definitions and adapters bring nothing but themselves to the start of a hook', async () => {
  const all = await loaded();
  const files = all.map(({ file }) => file);
  expect(files).toContain('src/agents/claude-code/hooks.ts');
  expect(files.filter((file) => !file.startsWith('src/agents/'))).toEqual([
    'src/base/text/json.ts',
    'src/base/errors.ts',
  ]);
  expect(files.filter((file) => /\/(?:install|worker)\.ts$/.test(file))).toEqual([]);
  expect(new Set(all.flatMap(({ imports }) => imports))).toEqual(new Set(['node:path']));
});
