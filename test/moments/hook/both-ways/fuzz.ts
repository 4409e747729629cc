/**
 * Events of three sessions in two projects by chance, with what others do meanwhile: played once with a Node for each
 * event, and once with each event answered in either way, while the resident process is stopped and killed.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { seededRandom } from '../../../support/seeded-random.ts';
import { differences } from './records.ts';
import { type Session, sessionOf } from './stories.ts';
import { kill, makePlace, makeWorld, REGISTRY, type Way, type World } from './world.ts';

export interface FuzzReport {
  readonly seed: number;
  readonly actions: number;
  /** Events that the resident process was asked first. */
  readonly warm: number;
  readonly differences: readonly string[];
  /** Processes that were there at the end and had no part in it. */
  readonly left: number;
}

type Chance = ReturnType<typeof chanceOf>;

function chanceOf(seed: number) {
  const random = seededRandom(seed);
  const below = (end: number): number => Math.floor(random() * end);
  return {
    below,
    one: <T>(all: readonly [T, ...T[]]): T => all[below(all.length)] ?? all[0],
    /** True so many times in a hundred. */
    is: (percent: number): boolean => below(100) < percent,
  };
}

/** What a play is asked to do; all that is by chance is in here already. */
type Action = (play: Play) => Promise<unknown>;

interface Play {
  readonly world: World;
  /** The way of the event that comes next. */
  readonly way: () => Way;
  readonly session: (at: number) => Session;
  readonly folder: (at: number) => string;
}

const COMMANDS = [
  ...['ls -la', 'git status', 'npm test', 'git push origin main', 'git push', 'git push --tags'],
  ...['git push origin HEAD:refs/heads/side', 'git commit -am x && git push', 'npm publish'],
  ...['cd ../other && git push', 'git -C ../other push origin main', 'gh pr create --fill'],
  ...['eval "$X"', 'rm -rf .git/hooks', 'git stash && git push', "sh -c 'git push'"],
  ...["lanehold feature waive cart --reason 'no'", 'git push --no-verify', 'echo "git push"'],
] as const;

const PROMPTS = [
  ...['Change the cart', 'Are the refunds in cents?', 'Thanks!', 'Go on.', 'What did we do?'],
  ...['Look at src/cart/add.ts', 'Verify the checkout, then push'],
] as const;

const FILES = ['src/cart/add.ts', 'src/checkout/pay.ts', 'README.md', 'src/new.ts'] as const;

const REGISTRIES: readonly [object, ...object[]] = [
  REGISTRY,
  { features: { all: { files: ['src/**'], smoke: ['true'] } } },
  { ...REGISTRY, gate: { kinds: { push: 'ask' } } },
  { features: { ...REGISTRY.features, docs: { files: ['*.md'], smoke: ['false'] } } },
];

const HOUR_MS = 3_600_000;

function eventBy(chance: Chance): Action {
  const at = chance.below(3);
  const command = chance.one(COMMANDS);
  const prompt = chance.one(PROMPTS);
  const file = chance.one(FILES);
  const text = `${chance.below(4)}\n`;
  const status = chance.one(['pending', 'in_progress', 'completed']);
  const events: readonly [Action, ...Action[]] = [
    ({ session }) => session(at).run(command),
    ({ session }) => session(at).run(command),
    ({ session }) => session(at).prompt(prompt),
    async ({ session, world, folder }) => {
      await session(at).beforeEdit(file);
      world.write(join(folder(at), file), text);
      await session(at).afterEdit(file);
    },
    ({ session }) => session(at).afterEdit(file),
    ({ session }) => session(at).stop({ stop_hook_active: text === '0\n' }),
    async ({ session }) => {
      await session(at).compact();
      await session(at).start('compact');
    },
    ({ session }) => session(at).start(chance.is(50) ? 'startup' : 'resume'),
    ({ session }) => session(at).end(),
    ({ session }) =>
      session(0).call('PostToolUse', 'TodoWrite', { todos: [{ content: file, status }] }),
    ({ session }) => session(1).failed(command),
  ];
  return chance.one(events);
}

function outsideBy(chance: Chance): Action {
  const at = chance.below(3);
  const file = chance.one(FILES);
  const text = `${chance.below(4)}\n`;
  const registry = chance.one(REGISTRIES);
  const hours = chance.one([-30, -1, 1, 30]);
  const feature = chance.one(['cart', 'checkout', 'all']);
  const git =
    (...args: readonly string[]): Action =>
    async ({ world, folder }) =>
      world.note(
        'git',
        attempted(() => world.git(folder(at), ...args)),
      );
  const lanehold =
    (...args: readonly string[]): Action =>
    ({ world, folder }) =>
      world.lanehold(folder(at), ...args);
  const all: readonly [Action, ...Action[]] = [
    async ({ world, folder }) => world.write(join(folder(at), file), text),
    async ({ world, folder }) => world.commit(folder(at), `by another ${text}`),
    async ({ world, folder }) => world.commit(folder(at), `by another ${text}`),
    git('stash', '--include-untracked'),
    git('stash', 'pop'),
    git('checkout', '--quiet', '-B', 'side'),
    git('checkout', '--quiet', '--force', 'main'),
    git('reset', '--quiet', '--hard', 'HEAD~1'),
    git('push', '--quiet', '--force', 'origin', 'HEAD:refs/heads/main'),
    async ({ world, folder }) => world.register(folder(at), registry),
    async ({ folder }) => rmSync(join(folder(at), file), { force: true }),
    lanehold('feature', 'verify', feature),
    lanehold('feature', 'verify', feature),
    lanehold('feature', 'waive', feature, '--reason', 'no time'),
    lanehold('note', 'add', `project/gotchas/${feature}`, `Of ${feature}`, '--when', 'refunds'),
    lanehold('guard', 'add', file, 'Keep it small', ...(chance.is(30) ? ['--deny'] : [])),
    lanehold('git-hook', 'install'),
    async ({ world }) => world.setClockBack(hours * HOUR_MS),
    ({ world, folder, way }) => world.push(folder(at), ['origin', 'HEAD:main'], { way: way() }),
  ];
  return chance.one(all);
}

/** What git refuses is refused both times. */
function attempted(work: () => string): string {
  try {
    return work();
  } catch {
    return 'refused';
  }
}

/** What happens to the resident process between two events, and must make no difference. */
function harmBy(chance: Chance): Action {
  const signal = chance.one(['SIGKILL', 'SIGKILL', 'SIGSTOP', 'SIGTERM'] as const);
  return async ({ world }) => {
    const { pid } = world.resident() ?? {};
    if (pid !== undefined) kill(pid, signal);
  };
}

function actionsOf(seed: number, count: number): readonly Action[] {
  const chance = chanceOf(seed);
  return Array.from({ length: count }, () => {
    if (chance.is(6)) return harmBy(chance);
    return chance.is(70) ? eventBy(chance) : outsideBy(chance);
  });
}

const AGENTS = ['claude-code', 'codex'];

export async function fuzz(seed: number, count: number): Promise<FuzzReport> {
  const place = makePlace();
  try {
    const told: string[][] = [];
    let left = 0;
    let warm = 0;
    for (const isMixed of [false, true]) {
      const world = await makeWorld(place, { agents: AGENTS, way: isMixed ? 'warm' : 'cold' });
      try {
        const chance = chanceOf(seed + 1_000_000);
        const way = (): Way => {
          const next = isMixed && chance.is(50) ? 'warm' : 'cold';
          if (next === 'warm') warm += 1;
          return next;
        };
        const folder = (at: number): string => (at === 1 ? world.other : world.shop);
        const session = (at: number): Session => {
          const agent = AGENTS[at === 2 ? 1 : 0] ?? '';
          return sessionOf(world, `session-${at}`, { agent, cwd: folder(at), nextWay: way });
        };
        for (const act of actionsOf(seed, count)) await act({ world, way, session, folder });
        told.push(world.told());
      } finally {
        left += await world.end();
      }
    }
    const [cold = [], mixed = []] = told;
    return { seed, actions: count, warm, differences: differences(cold, mixed), left };
  } finally {
    place.remove();
  }
}
