/**
 * esbuild splits only what it writes as ESM, which starts measurably slower, and whose imports do not
 * look where `NODE_PATH` says.
 */
import { transform } from 'esbuild';

export const TARGET = 'node22.12';

/**
 * @param {string} text of one module that esbuild has written.
 * @param {import('esbuild').TransformOptions} options
 */
export async function commonJs(text, options = {}) {
  const { code } = await transform(text, {
    loader: 'js',
    target: TARGET,
    format: 'cjs',
    // `require` where a module is loaded late: `import()` would start the other module loader first.
    supported: { 'dynamic-import': false },
    ...options,
  });
  return code;
}
