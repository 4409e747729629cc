/**
 * Converts modules to CommonJS. esbuild splits only ESM output, which starts measurably slower and
 * whose imports ignore `NODE_PATH`.
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
    // `require` for lazy imports: `import()` would first start the ESM loader.
    supported: { 'dynamic-import': false },
    ...options,
  });
  return code;
}
