import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

test('adapters bring nothing but themselves to the start of a hook', async () => {
  const { metafile } = await build({
    absWorkingDir: join(import.meta.dirname, '../..'),
    entryPoints: ['src/agents/registry.ts'],
    bundle: true,
    metafile: true,
    platform: 'node',
    write: false,
  });
  const outside = Object.keys(metafile.inputs).filter((file) => !file.startsWith('src/agents/'));
  expect(outside).toEqual(['src/errors.ts']);
  const builtins = Object.values(metafile.inputs).flatMap(({ imports }) =>
    imports.filter(({ external }) => external).map(({ path }) => path),
  );
  expect(new Set(builtins)).toEqual(new Set(['node:path']));
});
