/**
 * `npm run demo`: plays a run of six lanes by stand-ins for workers, from its goal to a pull request, with the page
 * open. It takes half a minute, in a temporary folder; on a terminal the page stays until Ctrl-C.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { definedOnly } from '../../src/base/environment.ts';
import { sixLanes } from '../../test/fronts/page/six-lanes.ts';
import type { LaneProject } from '../../test/support/lane-project.ts';
import { CLI_PROGRAM } from '../../test/support/sandbox.ts';
import {
  forgeIsMissing,
  type StandInForge,
  standInForge,
} from '../../test/support/stand-in-forge.ts';
import { cleaningUp } from './interrupt.ts';

const LOOK_MS = 4_000;

const started = performance.now();
const cleanUps: (() => void)[] = [];
const onEnd = (cleanUp: () => void) => void cleanUps.unshift(cleanUp);
const tell = (line: string): void => {
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  process.stdout.write(`${seconds.padStart(4)} s  ${line}\n`);
};

/** In the visitor's own home, where the browser has its profile. */
async function openPage({ repo, env }: LaneProject): Promise<ChildProcess> {
  const own = { ...process.env, ...env, HOME: process.env.HOME };
  const args = [CLI_PROGRAM, 'ui', ...process.argv.slice(2)];
  const page = spawn(process.execPath, args, {
    cwd: repo,
    env: definedOnly(own),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  page.stdout.pipe(process.stdout, { end: false });
  onEnd(() => page.kill('SIGINT'));
  await once(page.stdout, 'data');
  return page;
}

async function play(): Promise<ChildProcess> {
  const missing = await forgeIsMissing();
  let forge: StandInForge | undefined;
  let page: ChildProcess | undefined;
  const { project, run } = await sixLanes(onEnd, async (begun) => {
    // Of the shop's features one cannot be verified; here all can.
    const features = readFileSync(join(begun.repo, 'lanehold.json'), 'utf8');
    begun.box.write(join(begun.repo, 'lanehold.json'), features.replace('"false"', '"true"'));
    begun.box.commit(begun.repo, 'Let the checkout be verified');
    // A link is recognised: what is to be typed then says `lanehold`, and not where it lies.
    const program = join(begun.box.root, 'bin/lanehold');
    rmSync(program);
    symlinkSync(CLI_PROGRAM, program);
    if (missing === undefined) forge = await standInForge(begun.box, begun.repo, onEnd);
    Object.assign(begun.env, forge?.env);
    tell('A shop, and the page of `lanehold ui`:');
    page = await openPage(begun);
    await pause(LOOK_MS);
    tell('Six lanes work beside each other');
  });
  tell('One has landed, one conflicts with it, one removed a test, one fails, one asks, one works');
  await pause(LOOK_MS);
  if (run.states().mail === 'asks') {
    tell('The question is answered; the lane that worked comes to its end');
    await project.lanehold('orchestrate', 'answer', 'mail', '--', 'orders@shop.example');
  }
  project.raise('report-goes-on');
  const rest = ['mail', 'report'];
  await run.looksUntil('the lanes to be verified', () =>
    rest.every((key) => run.states()[key] === 'verified'),
  );
  await project.lanehold('orchestrate', 'integrate', '--lane', ...rest);
  tell(missing === undefined ? 'Both are to leave as a pull request' : `Both land: ${missing}`);
  const way = missing === undefined ? ['--pr'] : [];
  const land = async () => {
    const { stdout } = await project.lanehold('orchestrate', 'land', ...way);
    process.stdout.write(stdout.replaceAll(/^(?=.)/gm, '        '));
    return stdout;
  };
  const [, verify] = / feature verify (.*)/.exec(await land()) ?? [];
  if (verify !== undefined) {
    tell('What leaves is verified');
    await project.lanehold('feature', 'verify', ...verify.split(' '));
    await land();
  }
  const [pull] = forge?.pulls ?? [];
  if (pull !== undefined) forge?.check(pull.number, 'tests', 'SUCCESS');
  await pause(LOOK_MS);
  tell('What is left needs you: the page says it first');
  return page as ChildProcess;
}

await cleaningUp(
  () => {
    for (const cleanUp of cleanUps.splice(0)) cleanUp();
  },
  async () => {
    const page = await play();
    if (process.stdin.isTTY !== true) {
      tell('The demo ends here, and the page with it: on a terminal it stays until Ctrl-C');
      return;
    }
    tell('The page stays until Ctrl-C');
    await once(page, 'exit');
  },
);
