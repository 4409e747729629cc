import * as trees from '../../../app/lanes/lane-trees.ts';
import * as lanes from '../../../app/lanes/lanes.ts';
import { planLanes } from '../../../app/lanes/plan.ts';
import { changeRun, openPullRequests } from '../../../app/lanes/runs.ts';
import { pickLane } from '../../../app/lanes/tries.ts';
import { specOf } from '../../../app/lanes/written-spec.ts';
import { countOf, given } from '../../../app/values.ts';
import { ExitCode, UsageError } from '../../../base/errors.ts';
import { plural, printableLine } from '../../../base/text/printable.ts';
import * as words from '../../words/lanes.ts';
import { type Context, command, group, type OptionsOf, typedOrInput } from '../command.ts';
import { attach, checkpoints, compare, diff, KEY, open, RUN, restore } from './lane-content.ts';

export const WAIT_EXIT_CODES = `

With --wait the exit code is 0 if every lane that was waited for is verified,
integrating, integrated or landed, and 1 if one is in any other state: failed,
conflict, culprit, stale, asks, parked, blocked, cancelled meanwhile, or unable
to start. The last line names those lanes and the next command. Lanes that were
not started, or that were cancelled before, do not count.`;

const PULL_NOTES = `

It goes through the gate as any push (exit code 3: held, and the way out), and
\`gh\` or \`glab\` opens it with your own login. Checks and reviews are watched
until it is merged or closed: \`lanehold orchestrate status\` shows them.`;

export const ON = [
  '--on <place>',
  '`any` machine of the team, `cap:gpu` for one that has this, a machine by its name, or `here`',
] as const;

const SPEC_OPTIONS = [
  ['--desc <text>', 'the task; `-` reads it from the input'],
  ['--notes <text>', 'more for the worker: decisions, traps, where to look'],
  ['--agent <name>', '`current`, `opposite`, an agent or a worker of the settings'],
  ['--model <name>', 'as the agent names it'],
  ['--effort <level>', 'as the agent names it'],
  ['--touches <glob...>', 'files that it may write; nothing else is accepted'],
  ['--reads <glob...>', 'files that it builds on'],
  ['--needs <key...>', 'lanes whose verified work it starts from'],
  ['--validate <command>', 'passes when the work is right; runs at the root of the worktree'],
  ['--validate-cwd <folder>', 'runs it there instead'],
  ['--validate-timeout <duration>', 'ends it after this time; 30m by default'],
  ['--setup <command>', 'run once in a new worktree, such as `npm ci`'],
  ['--timeout <duration>', 'stops the worker after this time'],
  ['--turns <count>', 'cap of this lane'],
  ['--tokens <count>', 'cap of this lane, cache reads included'],
  ['--usd <amount>', 'cap of this lane'],
  ['--ports <count>', 'free ports for it, as LANEHOLD_PORT_0 and so on'],
  ['--priority <number>', 'higher starts first'],
  ['--overlap', 'may run beside lanes that touch the same files'],
  ['--removes-tests', 'tests may go: the task says so'],
  ['--changes-behaviour <what>', 'what the task changes of that which tests demand'],
  ON,
  RUN,
] as const;

async function specWish(context: Context, key: string, options: OptionsOf<typeof SPEC_OPTIONS>) {
  const desc = options.desc && (await typedOrInput(context, options.desc));
  return { run: options.run, key, ...specOf({ ...options, desc }) };
}

const add = command({
  name: 'add',
  about: 'Add a lane: a task, the files it may touch, and the command that proves it',
  args: [['<key>', 'a short name, such as `api`']],
  options: [
    ...SPEC_OPTIONS,
    ['--template <name>', 'of `lanes.templates`: says what is not said here'],
    [
      '--branch <name>',
      'has the work already: it is validated, and only a `retry` starts a worker',
      { conflicts: 'template' },
    ],
    [
      '--tries <count>',
      'so many lanes with this task, `<key>.1` and so on; one of them is wanted',
      { conflicts: 'branch' },
    ],
    ['--agents <names>', 'who works on the tries in turn, with commas between them'],
    ['--first', 'the first try that is verified is picked, and the others are cancelled'],
    ['--spawn', 'start it as soon as it can'],
  ],
  examples: [
    [
      "lanehold orchestrate lane add api --desc 'Add GET /orders' --touches 'src/api/**' --validate 'npm test'",
      'one lane',
    ],
    [
      "lanehold orchestrate lane add ui --desc - --needs api --agent opposite --validate 'npm test' --spawn < task.md",
      'starts from what `api` verified',
    ],
    [
      'lanehold orchestrate lane add billing --template package --spawn',
      'as `lanes.templates.package` of lanehold.json describes it',
    ],
    [
      "lanehold orchestrate lane add search --branch ada/search --validate 'npm test' --spawn",
      'what is on that branch, judged like the others; the branch itself stays as it is',
    ],
    [
      "lanehold orchestrate lane add parser --desc 'Rewrite it' --validate 'npm test' --tries 3 --agents current,opposite --spawn",
      'three lanes, `parser.1` to `parser.3`, of which you pick one',
    ],
  ],
  async run(context, key: string, options) {
    const { spawn: start = false, template, branch } = options;
    const wish = { ...(await specWish(context, key, options)), start, template, branch };
    const agents = options.agents?.split(',').map((it) => it.trim()) ?? [];
    const count = given(countOf, options.tries) ?? agents.length;
    const picks = options.first ? 'first' : 'person';
    if (count < 2 && (count > 0 || options.first)) {
      throw new UsageError('one try is no choice', { hint: 'give --tries 2, or two --agents' });
    }
    const tries = count > 1 ? ({ count, agents, picks } as const) : undefined;
    const added = await lanes.createLane(context, { ...wish, tries });
    return context.print(added, words.addedText(added, start ? 'started' : 'planned'));
  },
});

const pick = command({
  name: 'pick',
  about: 'Take one try of a task; the others are cancelled, and stay as they are',
  args: [
    ['<key>', 'the task'],
    ['<try>', 'its number, or its key'],
  ],
  options: [RUN],
  examples: [['lanehold orchestrate lane pick parser 2', '`parser.2` may be integrated']],
  async run(context, key, pick, { run }) {
    const picked = await pickLane(context, { run, key, pick });
    return context.print(picked, words.pickedText);
  },
});

export const plan = command({
  name: 'plan',
  about: 'Add the lanes of a plan: a list in Markdown, or JSON',
  args: [['<file>', 'its path; `-` reads it from the input']],
  options: [['--dry-run', 'show the lanes and what overlaps, and add nothing'], RUN],
  examples: [
    ['lanehold orchestrate plan PLAN.md --dry-run', 'what it would be'],
    ['lanehold orchestrate plan PLAN.md && lanehold orchestrate spawn --ready', 'add, and start'],
  ],
  notes: `

A lane is an item with a key, and what is known of it below:
  - api: Move the client to the new API
    - touches: src/api/**, src/client.ts
    - validate: npm test -- api
  - ui: Show the new fields
    - needs: api
The others are the options of 'lane add': reads, notes, agent, setup, overlap …`,
  async run(context, file, { run, dryRun = false }) {
    const text = file === '-' ? { text: await typedOrInput(context, file) } : {};
    const report = await planLanes(context, { run, file, dryRun, ...text });
    return context.print(report, words.planText(report));
  },
});

const edit = command({
  name: 'edit',
  about: 'Change what a lane is asked to do; earlier words are kept',
  args: KEY,
  options: SPEC_OPTIONS,
  examples: [
    ["lanehold orchestrate lane edit api --validate 'npm test -- api'", 'another validation'],
  ],
  async run(context, key, options) {
    const edited = await lanes.changeLane(context, await specWish(context, key, options));
    const { specRev, state } = edited.lane;
    return context.print(edited, `Lane ${key} is at revision ${specRev}, ${state}`);
  },
});

const widen = command({
  name: 'widen',
  about: 'Let a lane touch more files, and verify again what it has done',
  args: KEY,
  options: [RUN, ['--touches <glob...>', 'the files that are added']],
  examples: [
    ["lanehold orchestrate lane widen api --touches 'docs/api/**'", 'accept that as well'],
  ],
  async run(context, key, { run, touches = [] }) {
    if (touches.length === 0) {
      throw new UsageError('nothing was named to widen by', { hint: "give --touches 'docs/**'" });
    }
    const { data, text } = await trees.widenLane(context, { run, key, touches });
    if (text !== undefined) return context.print(data, text, verifiedExitCode(data));
    const all = printableLine(data.lane.spec.touches.join(', '), 400);
    return context.print(data, `Lane ${key} may touch ${all}`);
  },
});

const block = command({
  name: 'block',
  about: 'Hold a lane back for a reason, or no longer',
  args: KEY,
  options: [
    RUN,
    ['--reason <text>', 'why', { default: 'no reason given' }],
    ['--clear', 'no longer'],
  ],
  examples: [
    ["lanehold orchestrate lane block ui --reason 'waits for the designs'", 'not yet'],
    ['lanehold orchestrate lane block ui --clear', 'it may start'],
  ],
  async run(context, key, { run, clear, reason: written }) {
    const reason = clear ? null : written;
    const blocked = await lanes.holdLaneBack(context, { run, key, reason });
    const text =
      reason === null
        ? `Lane ${key} is no longer blocked`
        : `Blocked lane ${key}: ${printableLine(reason, 400)}`;
    return context.print(blocked, text);
  },
});

const cancel = command({
  name: 'cancel',
  about: 'End the work on a lane for good; what it did is kept',
  args: KEY,
  options: [RUN],
  examples: [['lanehold orchestrate lane cancel ui', 'stop its worker']],
  async run(context, key, { run }) {
    const cancelled = await lanes.endLane(context, { run, key });
    const { worktree, branch } = cancelled.lane;
    const kept = worktree === null ? '' : `; its work is on branch ${printableLine(branch, 300)}`;
    return context.print(cancelled, `Cancelled lane ${key}${kept}`);
  },
});

export const READY = ['--ready', 'ask reviewers at once; a draft by default'] as const;

const pr = command({
  name: 'pr',
  about: "Push a verified lane's branch, and open a pull request or bring it up to date",
  args: KEY,
  options: [READY, RUN],
  examples: [
    ['lanehold orchestrate lane pr api', 'a draft, after those of the lanes that it needs'],
    ['lanehold orchestrate lane pr api --ready', 'for review; a draft that is there is marked'],
  ],
  notes: PULL_NOTES,
  async run(context, key, { run, ready = false }) {
    const report = await openPullRequests(context, { run, key, ready });
    const exitCode = report.verdict === 'held' ? ExitCode.held : ExitCode.done;
    return context.print(report, words.landText(report), exitCode);
  },
});

const adopt = command({
  name: 'adopt',
  about: 'Make an existing worktree and its branch a lane',
  args: [['<key>', 'a short name for it']],
  options: [
    ...SPEC_OPTIONS,
    ['--worktree <folder>', 'a linked worktree of the repository, on a branch', { required: true }],
  ],
  examples: [
    [
      "lanehold orchestrate lane adopt spike --worktree ../spike --desc 'Try another parser' --validate 'npm test'",
      "a subagent's tree, judged like every other lane",
    ],
  ],
  async run(context, key, options) {
    const wish = { ...(await specWish(context, key, options)), worktree: options.worktree };
    const adopted = await trees.adoptLane(context, wish);
    const { worktree, branch } = adopted.lane;
    const folder = printableLine(worktree ?? '', 400);
    const text = [
      `Adopted ${folder} on branch ${printableLine(branch, 300)} as lane ${key}`,
      adopted.uncommitted > 0 &&
        `Not committed yet: ${plural(adopted.uncommitted, 'file')}; verify commits what is there`,
      `Verify it: lanehold orchestrate verify ${key}`,
    ];
    return context.print(adopted, text.filter(Boolean).join('\n'));
  },
});

export const LANE = group({
  name: 'lane',
  about: 'Add lanes and change them: one bounded piece of the work each',
  commands: [
    add,
    compare,
    pick,
    edit,
    widen,
    block,
    cancel,
    open,
    attach,
    diff,
    checkpoints,
    restore,
    adopt,
    pr,
  ],
});

export const verify = command({
  name: 'verify',
  about: "Validate what is in a lane's worktree, without a worker",
  args: KEY,
  options: [RUN],
  examples: [['lanehold orchestrate verify api', 'after you repaired something in its worktree']],
  async run(context, key, { run }) {
    const { data, text = '' } = await trees.verifyLane(context, { run, key });
    return context.print(data, text, verifiedExitCode(data));
  },
});

function verifiedExitCode({ lane }: { readonly lane: { readonly state: string } }): ExitCode {
  return lane.state === 'verified' ? ExitCode.done : ExitCode.held;
}

export const retry = command({
  name: 'retry',
  about: 'Work on a lane again, from where it was left',
  args: KEY,
  options: [
    RUN,
    ['--agent <name>', 'let another agent do it'],
    ['--notes <text>', 'what its worker is told; `-` reads it from the input'],
    ON,
    ['--wait', 'until it is not at work any more'],
  ],
  examples: [
    ['lanehold orchestrate retry api', 'the worker is told why it was refused'],
    ["lanehold orchestrate retry api --notes 'Use the v2 client'", 'and this as well'],
    ['lanehold orchestrate retry api --agent opposite', 'another agent goes on'],
  ],
  notes: WAIT_EXIT_CODES,
  async run(context, key, { run, agent, notes: written, on, wait = false }) {
    const notes = written && (await typedOrInput(context, written));
    const retried = await lanes.retryLane(context, { run, key, agent, notes, on, wait });
    return context.print(retried, words.retriedText(retried), words.waitExitCode(retried));
  },
});

export const resume = command({
  name: 'resume',
  about: 'Let a paused run go on, or a parked lane, without waiting for its time',
  args: [['[key]', 'only this lane']],
  options: [RUN, ['--agent <name>', 'let another agent go on with the lane']],
  examples: [
    ['lanehold orchestrate resume', 'the whole run'],
    ['lanehold orchestrate resume api --agent opposite', 'one lane, by another agent'],
  ],
  async run(context, key, { run, agent }) {
    if (key === undefined) {
      const changed = await changeRun(context, { run, intent: 'active' });
      return context.print(changed, `Run ${changed.run.name} goes on`);
    }
    return context.print(
      await lanes.resumeLane(context, { run, key, agent, wait: false }),
      words.retriedText,
    );
  },
});
