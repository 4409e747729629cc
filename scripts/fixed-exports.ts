/** Finds modules whose exports change, which `joined-parts.mjs` cannot join. */
import { basename } from 'node:path';
import type { SyntaxNode } from '@lezer/common';
import { parser } from '@lezer/javascript';
import { init, parse } from 'es-module-lexer';

await init;

const FUNCTIONS = /^(?:Function|Arrow|Method)/;
const CHANGES = /^(?:Assignment|Postfix|Unary)Expression$|^For(?:Of|In)Spec$/;

/**
 * Exports are read when a module has run to its end, so its functions may not change them later.
 *
 * @param modules by esbuild, without short names: then no name inside of a
 *   function hides one outside of it.
 * @throws {Error} that names the variable.
 */
export function assertFixedExports(
  modules: readonly { readonly path: string; readonly text: string }[],
): void {
  for (const { path, text } of modules) {
    const exported = new Set(parse(text)[1].map(({ ln: local }) => local));
    let depth = 0;
    parser.parse(text).iterate({
      enter({ name, node }) {
        if (FUNCTIONS.test(name)) depth += 1;
        if (depth === 0 || !CHANGES.test(name)) return;
        const changed = changedNames(node, text).find((it) => exported.has(it));
        if (changed) throw new Error(explanation(changed, path, text.slice(node.from, node.to)));
      },
      leave({ name }) {
        if (FUNCTIONS.test(name)) depth -= 1;
      },
    });
  }
}

/** The names in `a=1`, `[a,b]=c`, `a++`, `--a` and `for(a of b)`; none in `a.b=1`, which changes no variable. */
function changedNames(node: SyntaxNode, text: string): readonly string[] {
  const { name, from, firstChild, lastChild } = node;
  if (name === 'UnaryExpression' && !/^(?:\+\+|--)/.test(text.slice(from, from + 2))) return [];
  const ofLoop = name.startsWith('For') ? firstChild?.nextSibling : firstChild;
  const target = name === 'UnaryExpression' ? lastChild : ofLoop;
  if (!target || !/^(?:VariableName|ArrayPattern|ObjectPattern)$/.test(target.name)) return [];
  return text.slice(target.from, target.to).match(/[\w$]+/g) ?? [];
}

const explanation = (name: string, path: string, change: string): string =>
  `the hook's modules cannot be joined: \`${change.slice(0, 80)}\` changes \`${name}\`, which ${basename(path)} exports
hint: export a function that returns it, or put it into an object`;
