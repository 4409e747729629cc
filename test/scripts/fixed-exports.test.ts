import { expect, test } from 'vitest';
import { assertFixedExports } from '../../scripts/fixed-exports.ts';

const check = (text: string) => () => assertFixedExports([{ path: '/dist/part.cjs', text }]);

test.each([
  'var a=1;function f(){a=2}export{a}',
  'var a=1;var f=()=>{a++};export{a as b}',
  'var a=1;class X{m(){--a}}export{a}',
  'var a,b;function f(){[a,b]=[1,2]}export{b}',
  'var a;function f(){({a}={a:1})}export{a}',
  'var a;function f(){for(a of[1]);}export{a}',
  'var a;var f=()=>a??=3;export{a}',
])('a module whose export changes later is refused: %s', (text) => {
  expect(check(text)).toThrow(/changes `[ab]`, which part\.cjs exports\nhint: /);
});

test.each([
  'var a=1;a=2;export{a}',
  'var a={};function f(){a.b=2;a[0]=1;return a==1||-a}export{a}',
  'var a=1,c;function f(){c=a}export{a}',
  'var a=1;function f(){for(const c of a)c(a)}export{a}',
])('a module whose exports stay is taken: %s', (text) => {
  expect(check(text)).not.toThrow();
});
