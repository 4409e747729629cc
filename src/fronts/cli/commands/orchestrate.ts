import type { Command } from 'commander';
import { assertMayOrchestrate } from '../../../app/lanes/coordinator.ts';
import * as handoffs from '../../../app/lanes/handoffs.ts';
import { explainIntegration, integrateRun, isComplete } from '../../../app/lanes/integration.ts';
import * as runs from '../../../app/lanes/runs.ts';
import {
  amountOf,
  countOf,
  defined,
  durationOf,
  eventNumberOf,
  given,
} from '../../../app/values.ts';
import { runEvents } from '../../../app/view/lanes.ts';
import { ExitCode, UsageError } from '../../../base/errors.ts';
import { plural } from '../../../base/text/printable.ts';
import { renderBoard, screenOf } from '../../words/board.ts';
import * as words from '../../words/lanes.ts';
import { command, group, INTERRUPTED, interruptible } from '../command.ts';
import { LANE, ON, plan, READY, resume, retry, verify, WAIT_EXIT_CODES } from './lane.ts';
import { logs, RUN } from './lane-content.ts';
import { answer, ask, report, tell } from './lane-messages.ts';

const BUDGET = { group: 'Budget:' } as const;

const init = command({
  name: 'init',
  about: 'Begin a run: a goal that lanes will work on, from one commit',
  args: [['<goal>', 'what is to be reached, in a sentence or a page']],
  options: [
    ['--name <name>', 'a short name; by default made of the goal'],
    ['--base <ref>', 'the commit that the lanes start from', { default: 'HEAD' }],
    ['--fetch', 'fetch that first: the base is a branch of a remote, such as `origin/main`'],
    ['--target <branch>', 'the branch that `land` moves; the one checked out by default'],
    ['--parallel <count>', 'how many lanes work at once, with their validations'],
    ['--attempts <count>', 'how often work that was lost is started by itself'],
    ON,
    ['--run-turns <count>', 'cap for the whole run', BUDGET],
    ['--run-time <duration>', 'cap for the whole run', BUDGET],
    ['--run-tokens <count>', 'cap for the whole run', BUDGET],
    ['--run-usd <amount>', 'cap for the whole run', BUDGET],
  ],
  examples: [
    ["lanehold orchestrate init 'Move billing to the new API'", 'from HEAD, onto this branch'],
    ["lanehold orchestrate init 'Split the store' --base v2 --target next", 'from elsewhere'],
    [
      "lanehold orchestrate init 'Add orders' --base origin/main --fetch",
      'from what the remote has now',
    ],
  ],
  async run(context, goal, options) {
    const { name, base, fetch = false, target } = options;
    const begun = await runs.beginRun(context, {
      goal,
      name,
      base,
      fetch,
      target,
      on: options.on,
      parallel: given(countOf, options.parallel),
      attempts: given(countOf, options.attempts),
      runBudget: defined({
        turns: given(countOf, options.runTurns),
        seconds: given((it) => Math.ceil(durationOf(it) / 1000), options.runTime),
        tokens: given(countOf, options.runTokens),
        usd: given(amountOf, options.runUsd),
      }),
    });
    const { run, ahead } = begun;
    const branch = run.targetRef.replace('refs/heads/', '');
    const text = [
      `Began run ${run.name} at ${run.baseSha.slice(0, 12)}${fetch ? ` of ${base}` : ''}, to land on ${branch}`,
      ...(ahead > 0
        ? [`Lanes start without ${plural(ahead, 'commit')} of ${branch}: \`integrate\` merges them`]
        : []),
      "Next: lanehold orchestrate lane add KEY --desc 'TASK' --touches 'GLOB' --validate 'COMMAND'",
    ];
    return context.print(begun, text.join('\n'));
  },
});

const spawn = command({
  name: 'spawn',
  about: 'Start workers on lanes; those that have to wait start by themselves in time',
  args: [['[keys...]', 'the lanes']],
  options: [
    RUN,
    ['--ready', 'every lane that was not started yet'],
    ON,
    ['--wait', 'until none of them is at work any more'],
  ],
  examples: [
    ['lanehold orchestrate spawn api ui', 'these two'],
    ['lanehold orchestrate spawn --ready --wait', 'all, and come back when they are done'],
  ],
  notes: WAIT_EXIT_CODES,
  async run(context, keys, { run, ready = false, on, wait = false }) {
    if (keys.length === 0 && !ready) {
      throw new UsageError('no lane was named', { hint: 'name lanes, or give --ready for all' });
    }
    const spawned = await runs.spawnLanes(context, { run, keys, ready, on, wait });
    return context.print(spawned, words.spawnedText(spawned), words.waitExitCode(spawned));
  },
});

const status = command({
  name: 'status',
  about: 'Show the state of each lane, what waits for whom, and the command that helps',
  options: [RUN, ['--watch', 'go on and show what changes; on a terminal with keys, until q']],
  examples: [
    ['lanehold orchestrate status', 'where every lane is, in each open run'],
    ['lanehold orchestrate status --watch', 'keep looking'],
    ['lanehold orchestrate status --json', 'everything, for programs'],
  ],
  async run(context, { run, watch }) {
    const found = await runs.runStatus(context, { run });
    if (found.kind === 'over') {
      const { name, intent } = found.data.last;
      const text = [
        `No run is open; the last one, ${name}, is ${intent}`,
        `hint: \`lanehold orchestrate status --run ${name}\` shows how it ended`,
      ];
      return context.print(found.data, text.join('\n'));
    }
    if (watch) {
      const { watchView } = await import('../watch-board.ts');
      const shown = found.kind === 'several' ? undefined : found.run;
      await watchView(context, { run: run ?? shown }, ({ board }) => board);
      return ExitCode.done;
    }
    const screen = await screenOf(context);
    const all = [];
    for (const it of found.kind === 'several' ? found.boards : [found]) {
      const board = await it.read(await it.tend());
      const events = context.json ? await runEvents(context, board) : [];
      all.push({ data: { ...board, events }, text: renderBoard(board, screen) });
    }
    const [first, ...others] = all.map(({ data }) => data);
    const data = others.length === 0 ? first : { runs: [first, ...others] };
    return context.print(data, all.map(({ text }) => text).join('\n\n'));
  },
});

const sync = command({
  name: 'sync',
  about: 'Check every lane, take over those whose supervisor is gone, start what can start',
  options: [
    RUN,
    ['--wait', 'until no lane is at work any more'],
    ['--team', 'go on until no other machine has a lane, as a process beside others'],
  ],
  examples: [
    ['lanehold orchestrate sync', 'after a crash or a reboot'],
    ['lanehold orchestrate sync --wait', 'and come back when everything has ended'],
  ],
  notes: WAIT_EXIT_CODES,
  async run(context, { run, wait = false, team = false }) {
    if (team) {
      const { showRuns } = await import('../../../app/team/sync.ts');
      await runs.followTeamRuns(context, () => showRuns(context));
      return ExitCode.done;
    }
    const synced = await runs.syncRun(context, { run, wait });
    return context.print(synced, words.syncedText(synced), words.waitExitCode(synced));
  },
});

const integrate = command({
  name: 'integrate',
  about: 'Merge verified lanes and validate the result, beside every checkout (3: not all of them)',
  options: [
    RUN,
    ['--lane <key...>', 'only these, with what they start from; also what was refused before'],
    ['--accept <key...>', 'also these, whose flags you, a person, have looked at'],
    ['--rebase', 'put lanes onto the target as it is now, without what was taken out of it'],
    ['--explain', 'only tell what the last integration has tried, and why lanes were refused'],
    ['--take-over', 'go on here with a run of the team whose own machine is gone'],
  ],
  examples: [
    ['lanehold orchestrate integrate', 'every lane that is verified'],
    ['lanehold orchestrate integrate --lane api', 'that one, once more'],
    ['lanehold orchestrate integrate --accept api', 'all, and api with what it is flagged for'],
    ['lanehold orchestrate integrate --rebase', 'after you have rewritten the target'],
    ['lanehold orchestrate integrate --explain', 'merges, validations and bisection, step by step'],
  ],
  run: (context, { run, lane, accept, rebase, takeOver, explain = false }) =>
    interruptible(async (signal) => {
      if (explain) {
        return context.print(
          await explainIntegration(context, { run }),
          words.integrationStepsText,
        );
      }
      try {
        const wish = { run, lanes: lane, accept, rebase, takeOver, signal };
        const report = await integrateRun(context, wish);
        const exitCode = isComplete(report) ? ExitCode.done : ExitCode.held;
        return context.print(report, words.integrationText(report), exitCode);
      } catch (error) {
        if (!signal.aborted) throw error;
        const text = 'Interrupted: what was not integrated is as it was';
        return context.print({ interrupted: true }, text, INTERRUPTED);
      }
    }),
});

const land = command({
  name: 'land',
  about: 'Move your branch forward to the integration, if nothing of yours is in the way',
  options: [
    RUN,
    ['--merge', "the lanes' commits and their merges; the default, if `lanes.land` is not set"],
    ['--squash', 'one commit for each lane, with its task as the message'],
    ['--rebase', "the lanes' own commits, in a line without merges"],
    ['--pr', 'no branch of yours: open a pull request, or bring it up to date'],
    READY,
    [
      '--push',
      'and push it through the gate; where the remote refuses that, as a branch of its own',
    ],
    ['--target <branch>', 'where your branch was renamed: lands there from now on'],
  ],
  examples: [
    ['lanehold orchestrate land', 'by fast-forward; exit code 3: not now, and why'],
    ['lanehold orchestrate land --push', 'and bring it to the remote; exit code 3: held, and why'],
    ['lanehold orchestrate land --squash', 'the same content, in one commit for each lane'],
    ['lanehold orchestrate land --pr', 'as a draft; see `lane pr` for one pull request per lane'],
  ],
  async run(context, { run, target, ready = false, push = false, ...options }) {
    const ways = (['merge', 'squash', 'rebase', 'pr'] as const).filter((it) => options[it]);
    const [way = ready ? 'pr' : undefined, second] = ways;
    if (second !== undefined) {
      throw new UsageError(`--${way} and --${second} do not go together`, {
        hint: 'give one of them',
      });
    }
    if (target !== undefined) await runs.retargetRun(context, { run, target });
    const landed = await runs.landRun(context, { run, way, ready, push });
    const pushed = 'pushed' in landed ? landed.pushed?.state : undefined;
    const isHeld = pushed === undefined ? landed.verdict === 'held' : pushed === 'held';
    const exitCode = isHeld ? ExitCode.held : ExitCode.done;
    return context.print(landed, words.landText(landed), exitCode);
  },
});

const pause = command({
  name: 'pause',
  about: 'Stop all workers of the run, keep what they did, start nothing by itself',
  options: [RUN, ['--reason <text>', 'why']],
  examples: [["lanehold orchestrate pause --reason 'lunch'", 'until `resume`']],
  async run(context, { run, reason = null }) {
    const changed = await runs.changeRun(context, { run, intent: 'paused', reason });
    return context.print(changed, `Run ${changed.run.name} is paused`);
  },
});

const cancel = command({
  name: 'cancel',
  about: 'End the run and all its lanes for good; what they did is kept',
  options: [RUN],
  examples: [['lanehold orchestrate cancel --run billing', 'that one']],
  async run(context, { run }) {
    const changed = await runs.changeRun(context, { run, intent: 'cancelled' });
    return context.print(changed, `Run ${changed.run.name} is cancelled`);
  },
});

const handoff = command({
  name: 'handoff',
  about: 'Print all that is needed to go on with the run, or check an earlier handoff',
  options: [
    RUN,
    ['--write <file>', 'write it to this file as well'],
    ['--since <event>', 'only what has changed after this event'],
    ['--max-chars <count>', 'no longer than this; with --since 6000 by default'],
    ['--check [file]', 'list the lines of the last handoff, or of a file, that are no longer true'],
  ],
  examples: [
    ['lanehold orchestrate handoff', 'everything, questions first'],
    ['lanehold orchestrate handoff --since 42', 'what came after event 42'],
    ['lanehold orchestrate handoff --check', 'is it still true? exit code 3 if not'],
  ],
  async run(context, { run, write, since, maxChars, check }) {
    if (check !== undefined && since !== undefined) {
      throw new UsageError('--check and --since do not go together', { hint: 'give one of them' });
    }
    const ids = context.verbose ? ('full' as const) : ('short' as const);
    const wish = { run, ids, maxChars: given(countOf, maxChars) };
    const cursor = given(eventNumberOf, since);
    if (check !== undefined) {
      const checked = await handoffs.checkHandoff(context, {
        run,
        file: check === true ? undefined : check,
      });
      const exitCode = checked.ok ? ExitCode.done : ExitCode.held;
      return context.print(checked, words.checkedText(checked), exitCode);
    }
    const { data, text } =
      cursor === undefined
        ? await handoffs.wholeHandoff(context, wish)
        : await handoffs.newsSince(context, { ...wish, cursor });
    if (write !== undefined) {
      // Under --json the file is JSON, too.
      const content = context.json ? `${JSON.stringify(data, null, 2)}\n` : text;
      context.progress(`wrote ${handoffs.writeHandoff(context, write, content)}`);
    }
    return context.print(data, text.trimEnd(), ExitCode.done, 'as it is');
  },
});

const gc = command({
  name: 'gc',
  about: 'Remove worktrees, refs and output of runs that are over; branches stay',
  options: [
    RUN,
    ['--drop', 'with --run: also commits that only the refs of this run keep'],
    [
      '--older-than <duration>',
      'removes the output of attempts after this time',
      { default: '30d' },
    ],
    ['--dry-run', 'only say what would be removed'],
  ],
  examples: [
    ['lanehold orchestrate gc --dry-run', 'what would be removed, and what would stay'],
    ['lanehold orchestrate gc --run billing --drop', 'give up all that is left of it'],
  ],
  async run(context, { run, drop = false, olderThan, dryRun = false }) {
    if (drop && run === undefined) {
      throw new UsageError('--drop needs a name', { hint: 'say which run with --run' });
    }
    const wish = {
      run,
      refs: drop ? ('drop' as const) : ('keep-unmerged' as const),
      mode: dryRun ? ('dry-run' as const) : ('remove' as const),
      olderThanMs: durationOf(olderThan),
    };
    return context.print(await runs.collectGarbage(context, wish), words.collectedText);
  },
});

function verbOf(action: Command): string {
  const { parent } = action;
  return parent === null || parent.name() === 'orchestrate' ? action.name() : verbOf(parent);
}

export const declareOrchestrate = group({
  name: 'orchestrate',
  about: 'Split broad work into lanes that agents work on at once',
  examples: [
    ["lanehold orchestrate init 'Move billing to the new API'", 'begin a run'],
    [
      "lanehold orchestrate lane add api --desc 'Add GET /orders' --touches 'src/api/**' --validate 'npm test'",
      'add a lane',
    ],
    ['lanehold orchestrate spawn --ready', 'start what can start'],
    ['lanehold orchestrate status', 'the state of every lane'],
    ['lanehold orchestrate integrate && lanehold orchestrate land', 'bring it to your branch'],
  ],
  commands: [
    init,
    plan,
    LANE,
    spawn,
    status,
    logs,
    sync,
    retry,
    verify,
    integrate,
    land,
    pause,
    resume,
    cancel,
    ask,
    answer,
    tell,
    report,
    handoff,
    gc,
  ],
  before: (action, context) => assertMayOrchestrate(verbOf(action), context),
});
