/**
 * Joins the modules that esbuild has split into one expression: a function of `require`, `__dirname` and an array in
 * which it marks the modules that have run. Each is a function in it, which runs when it is first needed, so that V8's
 * compiled code has nothing of the others.
 *
 * Exports become the properties of an object, so no module may change a variable that it exports: see
 * `fixed-exports.ts`.
 */
import { basename } from 'node:path';
import { init, parse } from 'es-module-lexer';

await init;

/**
 * @param {readonly {path: string, text: string}[]} outputs minified.
 * @param {string} first path of the one that begins.
 */
export function joined(outputs, first) {
  const imported = outputs.flatMap(({ text }) => parse(text)[0].map(({ n: name }) => name));
  const names = new Set([`./${basename(first)}`, ...imported]);
  // esbuild also writes modules that nothing imports.
  const modules = outputs.filter(({ path }) => names.has(`./${basename(path)}`));
  const places = new Map(modules.map(({ path }, index) => [`./${basename(path)}`, index]));
  const needed = (name) =>
    places.has(name) ? `need(${places.get(name)})` : `require(${JSON.stringify(name)})`;
  const functions = modules.map(({ text }) => asFunction(text, needed));
  return `(function(require,__dirname,ran){"use strict";const made=[],need=at=>made[at]??=(ran[at]=1,modules[at]()),
modules=[${functions.join(',\n')}];return ${needed(`./${basename(first)}`)}})`;
}

function asFunction(text, needed) {
  const [imports, exports] = parse(text);
  let [head, body] = ['', text.slice(0, exports[0]?.ss)];
  for (const { n: name, ss: start, se: end, d: lazyAt } of imports.toReversed()) {
    const statement = text.slice(start, end);
    const isLazy = lazyAt >= 0;
    const code = isLazy ? `Promise.resolve().then(()=>${needed(name)})` : '';
    body = body.slice(0, start) + code + body.slice(end).replace(isLazy ? '' : /^;/, '');
    if (!isLazy) head = `${binding(statement)}${needed(name)};${head}`;
  }
  return `()=>{${head}${body.trimEnd()};return{${exports.map((it) => property(it, text))}}}`;
}

/** @param {string} statement `import{a as b}from"c"`, or one without names. */
function binding(statement) {
  if (/^import"/.test(statement)) return '';
  const [, names] = /^import\{(.+)\}from"/.exec(statement) ?? [];
  if (names === undefined) throw new Error(`cannot join modules with \`${statement}\``);
  return `const{${names.replaceAll(' as ', ':')}}=`;
}

/** A default export is an expression, and the last of a module. */
const property = ({ n: name, ln: local, e: end }, text) =>
  `${name}:${local ?? text.slice(end).replace(/;\s*$/, '')}`;
