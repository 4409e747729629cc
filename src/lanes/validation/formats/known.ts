/** All known formats. Each reads every line, since one log may contain output of several tools. */
import { cargo } from './cargo.ts';
import { ctest } from './ctest.ts';
import { deno } from './deno.ts';
import type { Format } from './format.ts';
import { goTest } from './go-test.ts';
import { gradle } from './gradle.ts';
import { jest } from './jest.ts';
import { junitXml } from './junit-xml.ts';
import { mocha } from './mocha.ts';
import { nodeDot, nodeSpec } from './node-test.ts';
import { phpunit } from './phpunit.ts';
import { playwright } from './playwright.ts';
import { prove } from './prove.ts';
import { pytest } from './pytest.ts';
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
import { surefire } from './surefire.ts';
import { tap } from './tap.ts';
import { unittest } from './unittest.ts';
import { vitest } from './vitest.ts';

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
