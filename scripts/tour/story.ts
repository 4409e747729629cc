import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Agent, claudeCode } from '../stage/agent.ts';
import type { Stage } from '../stage/stage.ts';
import { type Narrator, StepFailure } from './narrator.ts';

export interface Scene {
  readonly stage: Stage;
  readonly agent: Agent;
  readonly narrator: Narrator;
}

interface Step {
  readonly title: string;
  play(scene: Scene): Promise<void>;
}

const SOURCE = 'src/checkout/total.js';
const PUSH = 'git push origin main';
const VERIFY = 'lanehold feature verify checkout';

export async function setUp(stage: Stage, narrator: Narrator): Promise<Scene> {
  stage.write(
    SOURCE,
    'export const total = (prices) => prices.reduce((sum, price) => sum + price, 0);\n',
  );
  stage.write(
    'src/checkout/check.js',
    `import { total } from './total.js';

const charged = total([20, 22]);
console.log(\`a cart of 20 and 22 costs \${charged}\`);
process.exitCode = charged === 42 ? 0 : 1;
`,
  );
  stage.write('package.json', '{ "name": "shop", "private": true, "type": "module" }\n');
  return { stage, agent: claudeCode(stage), narrator };
}

export const STEPS: readonly Step[] = [
  {
    title: 'A person says what the checkout is and what proves it',
    play: async (scene) => {
      const smoke = 'node src/checkout/check.js';
      const add = ['feature', 'add', 'checkout', '--files', 'src/checkout/**', '--smoke', smoke];
      await person(scene, 'lanehold', [...add, '--shared']);
      const registry = readFileSync(join(scene.stage.project, 'lanehold.json'), 'utf8');
      expect(registry.includes(smoke), 'lanehold.json should name the smoke test');
      await person(scene, 'git', ['add', '--all']);
      await person(scene, 'git', ['commit', '--quiet', '--message', 'Start the shop']);
      await person(scene, 'git', ['push', '--quiet', '--set-upstream', 'origin', 'main']);
      await reached(scene);
    },
  },
  {
    title: 'The agent edits a file of it and is told once what that means',
    play: async (scene) => {
      const told = await edit(scene, 'sum + price', 'sum + price * 0.9');
      expect(/checkout/.test(told), 'the agent should be told of the feature it touched');
      expect(!told.trim().includes('\n'), 'it should be told in one line');
      const again = await edit(scene, '0.9', '0.8');
      expect(again === '', `a second edit should add nothing, yet it added: ${again}`);
    },
  },
  {
    title: 'It commits and pushes: held',
    play: async (scene) => {
      await done(scene, "git commit --quiet --all --message 'Take a fifth off'");
      await held(scene);
    },
  },
  {
    title: 'It runs what the denial names: the smoke test fails, the hold stays',
    play: async (scene) => {
      const attempt = await shell(scene, VERIFY);
      if (attempt.held) throw new StepFailure('verification should not be refused');
      expect(attempt.code !== 0, 'verification should fail');
      expect(attempt.output.includes('costs 33.6'), 'it should show what the smoke test said');
      await held(scene);
    },
  },
  {
    title: 'It repairs the code and verifies: the push goes through',
    play: async (scene) => {
      await edit(scene, ' * 0.8', ' * 1');
      await done(scene, VERIFY);
      await done(scene, "git commit --quiet --all --message 'Charge the full price'");
      await done(scene, PUSH);
      await reached(scene);
    },
  },
  {
    title: 'One changed byte, and what was verified is no longer what leaves: held',
    play: async (scene) => {
      await edit(scene, ', 0)', ', 1)');
      await done(scene, "git commit --quiet --all --message 'Start from one'");
      await held(scene);
    },
  },
  {
    title: 'A person waives it, with a reason: this content may leave',
    play: async (scene) => {
      const reason = 'the shop is closed today';
      await person(scene, 'lanehold', ['feature', 'waive', 'checkout', '--reason', reason]);
      await done(scene, PUSH);
      await reached(scene);
    },
  },
  {
    title: 'The next edit ends the waiver: held again',
    play: async (scene) => {
      await edit(scene, ', 1)', ', 2)');
      await done(scene, "git commit --quiet --all --message 'Start from two'");
      await held(scene);
    },
  },
];

/** A person runs a command in a terminal of their own, out of sight of the agent's hooks. */
async function person({ stage, narrator }: Scene, program: string, args: string[]): Promise<void> {
  narrator.command([program, ...args.map(quoted)].join(' '));
  const { code } = await stage.run(program, args, { onLine: (line) => narrator.output(line) });
  expect(code === 0, `\`${program} ${args[0]}\` ended with ${code}`);
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word}'`;
}

async function edit({ agent, narrator }: Scene, from: string, to: string): Promise<string> {
  narrator.command(`(edit) ${SOURCE}: ${from} -> ${to === '' ? '(nothing)' : to}`);
  const told = await agent.edit(SOURCE, from, to);
  if (told !== '') narrator.toAgent(told);
  return told;
}

async function shell(scene: Scene, command: string): ReturnType<Agent['shell']> {
  scene.narrator.command(command);
  const attempt = await scene.agent.shell(command, (line) => scene.narrator.output(line));
  if (attempt.held) scene.narrator.toAgent(attempt.reason);
  return attempt;
}

/** The agent runs a command, it is let through, and it succeeds. */
async function done(scene: Scene, command: string): Promise<void> {
  const attempt = await shell(scene, command);
  expect(!attempt.held, `\`${command}\` should not be held`);
  expect(!attempt.held && attempt.code === 0, `\`${command}\` should succeed`);
}

/** The agent pushes and is refused, with the way out, and the remote has not moved. */
async function held(scene: Scene): Promise<void> {
  const before = await scene.stage.remoteHead();
  const attempt = await shell(scene, PUSH);
  expect(attempt.held, 'the push should be held');
  const reason = attempt.held ? attempt.reason : '';
  expect(reason.includes('checkout'), 'the denial should name the feature');
  expect(reason.includes('lanehold feature verify'), 'the denial should name the way out');
  expect(reason.trim().split('\n').length < 10, 'the denial should stay under ten lines');
  expect((await scene.stage.remoteHead()) === before, 'the remote should not have moved');
  scene.narrator.fact('the remote has not moved');
}

/** The remote's branch is at the commit that was pushed. */
async function reached({ stage, narrator }: Scene): Promise<void> {
  const head = await stage.git('rev-parse', 'HEAD');
  expect((await stage.remoteHead()) === head, 'the remote should be at the pushed commit');
  narrator.fact(`the remote is at ${head.slice(0, 7)}, the commit that was pushed`);
}

function expect(condition: boolean, what: string): void {
  if (!condition) throw new StepFailure(what);
}
