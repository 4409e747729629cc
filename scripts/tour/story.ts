import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { shellWord } from '../../src/base/text/shell-quote.ts';
import { type Agent, claudeCode } from '../demo/agent.ts';
import type { DemoProject } from '../demo/demo-project.ts';
import { type Narrator, StepFailure } from './narrator.ts';

export interface Tour {
  readonly demo: DemoProject;
  readonly agent: Agent;
  readonly narrator: Narrator;
}

interface Step {
  readonly title: string;
  run(tour: Tour): Promise<void>;
}

const SOURCE = 'src/checkout/total.js';
const PUSH = 'git push origin main';
const VERIFY = 'lanehold feature verify checkout';

export async function setUp(demo: DemoProject, narrator: Narrator): Promise<Tour> {
  demo.write(
    SOURCE,
    'export const total = (prices) => prices.reduce((sum, price) => sum + price, 0);\n',
  );
  demo.write(
    'src/checkout/check.js',
    `import { total } from './total.js';

const charged = total([20, 22]);
console.log(\`a cart of 20 and 22 costs \${charged}\`);
process.exitCode = charged === 42 ? 0 : 1;
`,
  );
  demo.write('package.json', '{ "name": "shop", "private": true, "type": "module" }\n');
  return { demo, agent: claudeCode(demo), narrator };
}

export const STEPS: readonly Step[] = [
  {
    title: 'A person says what the checkout is and what proves it',
    run: async (tour) => {
      const smoke = 'node src/checkout/check.js';
      const add = ['feature', 'add', 'checkout', '--files', 'src/checkout/**', '--smoke', smoke];
      await person(tour, 'lanehold', [...add, '--shared']);
      const registry = readFileSync(join(tour.demo.project, 'lanehold.json'), 'utf8');
      expect(registry.includes(smoke), 'lanehold.json should name the smoke test');
      await person(tour, 'git', ['add', '--all']);
      await person(tour, 'git', ['commit', '--quiet', '--message', 'Start the shop']);
      await person(tour, 'git', ['push', '--quiet', '--set-upstream', 'origin', 'main']);
      await reached(tour);
    },
  },
  {
    title: 'The agent edits a file of it and is told once what that means',
    run: async (tour) => {
      const told = await edit(tour, 'sum + price', 'sum + price * 0.9');
      expect(/checkout/.test(told), 'the agent should be told of the feature it touched');
      expect(!told.trim().includes('\n'), 'it should be told in one line');
      const again = await edit(tour, '0.9', '0.8');
      expect(again === '', `a second edit should add nothing, yet it added: ${again}`);
    },
  },
  {
    title: 'It commits and pushes: held',
    run: async (tour) => {
      await done(tour, "git commit --quiet --all --message 'Take a fifth off'");
      await held(tour);
    },
  },
  {
    title: 'It runs what the denial names: the smoke test fails, the hold stays',
    run: async (tour) => {
      const attempt = await shell(tour, VERIFY);
      if (attempt.held) throw new StepFailure('verification should not be refused');
      expect(attempt.code !== 0, 'verification should fail');
      expect(attempt.output.includes('costs 33.6'), 'it should show what the smoke test said');
      await held(tour);
    },
  },
  {
    title: 'It repairs the code and verifies: the push goes through',
    run: async (tour) => {
      await edit(tour, ' * 0.8', ' * 1');
      await done(tour, VERIFY);
      await done(tour, "git commit --quiet --all --message 'Charge the full price'");
      await done(tour, PUSH);
      await reached(tour);
    },
  },
  {
    title: 'One changed byte, and what was verified is no longer what leaves: held',
    run: async (tour) => {
      await edit(tour, ', 0)', ', 1)');
      await done(tour, "git commit --quiet --all --message 'Start from one'");
      await held(tour);
    },
  },
  {
    title: 'A person waives it, with a reason: this content may leave',
    run: async (tour) => {
      const reason = 'the shop is closed today';
      await person(tour, 'lanehold', ['feature', 'waive', 'checkout', '--reason', reason]);
      await done(tour, PUSH);
      await reached(tour);
    },
  },
  {
    title: 'The next edit ends the waiver: held again',
    run: async (tour) => {
      await edit(tour, ', 1)', ', 2)');
      await done(tour, "git commit --quiet --all --message 'Start from two'");
      await held(tour);
    },
  },
];

/** A person runs a command in a terminal of their own, out of sight of the agent's hooks. */
async function person({ demo, narrator }: Tour, program: string, args: string[]): Promise<void> {
  narrator.command([program, ...args.map(shellWord)].join(' '));
  const { code } = await demo.run(program, args, { onLine: (line) => narrator.output(line) });
  expect(code === 0, `\`${program} ${args[0]}\` ended with ${code}`);
}

async function edit({ agent, narrator }: Tour, from: string, to: string): Promise<string> {
  narrator.command(`(edit) ${SOURCE}: ${from} -> ${to === '' ? '(nothing)' : to}`);
  const told = await agent.edit(SOURCE, from, to);
  if (told !== '') narrator.toAgent(told);
  return told;
}

async function shell(tour: Tour, command: string): ReturnType<Agent['shell']> {
  tour.narrator.command(command);
  const attempt = await tour.agent.shell(command, (line) => tour.narrator.output(line));
  if (attempt.held) tour.narrator.toAgent(attempt.reason);
  return attempt;
}

/** The agent runs a command, it is let through, and it succeeds. */
async function done(tour: Tour, command: string): Promise<void> {
  const attempt = await shell(tour, command);
  expect(!attempt.held, `\`${command}\` should not be held`);
  expect(!attempt.held && attempt.code === 0, `\`${command}\` should succeed`);
}

/** The agent pushes and is refused, with the way out, and the remote has not moved. */
async function held(tour: Tour): Promise<void> {
  const before = await tour.demo.remoteHead();
  const attempt = await shell(tour, PUSH);
  expect(attempt.held, 'the push should be held');
  const reason = attempt.held ? attempt.reason : '';
  expect(reason.includes('checkout'), 'the denial should name the feature');
  expect(reason.includes('lanehold feature verify'), 'the denial should name the way out');
  expect(reason.trim().split('\n').length < 10, 'the denial should stay under ten lines');
  expect((await tour.demo.remoteHead()) === before, 'the remote should not have moved');
  tour.narrator.fact('the remote has not moved');
}

/** The remote's branch is at the commit that was pushed. */
async function reached({ demo, narrator }: Tour): Promise<void> {
  const head = await demo.git('rev-parse', 'HEAD');
  expect((await demo.remoteHead()) === head, 'the remote should be at the pushed commit');
  narrator.fact(`the remote is at ${head.slice(0, 7)}, the commit that was pushed`);
}

function expect(condition: boolean, what: string): void {
  if (!condition) throw new StepFailure(what);
}
