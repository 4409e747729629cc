/** All known formats. Each reads every line, since one log may contain output of several tools. */
import { cargo } from './cargo.ts';
import { ctest } from './ctest.ts';
import type { Format } from './format.ts';
import { goTest } from './go-test.ts';
import { deno, jest, mocha, playwright, vitest } from './javascript.ts';
import { junitXml } from './junit-xml.ts';
import { gradle, surefire } from './jvm.ts';
import { nodeDot, nodeSpec } from './node-test.ts';
import { phpunit } from './phpunit.ts';
import { prove } from './prove.ts';
import { pytest, unittest } from './python.ts';
import { minitest, rspec } from './ruby.ts';
import {
  bun,
  coverage,
  dotnet,
  eslint,
  exunit,
  runners,
  typescript,
  xctest,
} from './single-lines.ts';
import { tap } from './tap.ts';

export const FORMATS: readonly Format[] = [
  tap,
  prove,
  nodeSpec,
  nodeDot,
  vitest,
  jest,
  mocha,
  pytest,
  unittest,
  goTest,
  cargo,
  rspec,
  minitest,
  phpunit,
  surefire,
  gradle,
  junitXml,
  ctest,
  playwright,
  deno,
  bun,
  dotnet,
  xctest,
  exunit,
  typescript,
  eslint,
  coverage,
  runners,
];
