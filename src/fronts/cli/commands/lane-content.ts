/** Commands that show a lane's worktree, changes, saved trees, and the output of its worker. */
import * as content from '../../../app/lanes/lane-content.ts';
import { openLaneWorktree } from '../../../app/lanes/lane-trees.ts';
import { laneLog, takeOverLane } from '../../../app/lanes/lanes.ts';
import { compareLanes } from '../../../app/lanes/tries.ts';
import { countOf, given } from '../../../app/values.ts';
import { ExitCode, UsageError } from '../../../base/errors.ts';
import { runAttached } from '../../../base/process/run.ts';
import { plural, printable, printableLine } from '../../../base/text/printable.ts';
import { logText } from '../../words/lane-log.ts';
import { comparisonText, toldText } from '../../words/lanes.ts';
import { canAnswer, command, typedOrInput } from '../command.ts';
import { followLog, logCopier } from '../lane-log.ts';

/** The option of every command below `orchestrate`. */
export const RUN = ['--run <name>', 'the run, where several are open'] as const;
export const KEY = [['<key>', 'the lane']] as const;

export const compare = command({
  name: 'compare',
  about: 'Show tries of a task, or lanes, beside each other',
  args: [['<keys...>', 'the task of the tries, or lanes']],
  options: [RUN],
  examples: [
    ['lanehold orchestrate lane compare parser', 'state, changes, tests and cost of each try'],
    ['lanehold orchestrate lane compare parser --json', 'with the files and tests by name'],
  ],
  run: async (context, keys, { run }) =>
    context.print(await compareLanes(context, { run, keys }), comparisonText),
});

export const open = command({
  name: 'open',
  about: "Print the folder of a lane's worktree, to look at it or to work in it",
  args: KEY,
  options: [RUN],
  examples: [
    ['lanehold orchestrate lane open api', 'where it is'],
    ['cd "$(lanehold orchestrate lane open api)"', 'go there'],
  ],
  run: async (context, key, { run }) =>
    context.print(await openLaneWorktree(context, { run, key }), (it) => it.worktree),
});

export const attach = command({
  name: 'attach',
  about: "Follow a lane's worker, or go on with its session yourself",
  args: KEY,
  options: [['--take-over', "stop the worker, and open its agent's session in this terminal"], RUN],
  examples: [
    ['lanehold orchestrate lane attach api', 'what it says and does, until Ctrl-C'],
    ['lanehold orchestrate lane attach api --take-over', 'talk to its agent'],
  ],
  notes: "\n\nA lane that was taken over is blocked until 'lane block KEY --clear'.",
  async run(context, key, { run, takeOver = false }) {
    if (!takeOver) {
      await followLog(context, await laneLog(context, { run, key }), 'readable');
      return ExitCode.done;
    }
    if (!canAnswer(context)) {
      throw new UsageError('an agent can only be talked to in a terminal', {
        hint: `type it there, or follow the worker: lanehold orchestrate lane attach ${key}`,
      });
    }
    const { program, args, worktree: cwd } = await takeOverLane(context, { run, key });
    const exitCode = runAttached(program, args, { cwd, env: context.env });
    context.progress(`Judge what is there: lanehold orchestrate verify ${key}`);
    context.progress(`Let the worker go on: lanehold orchestrate lane block ${key} --clear`);
    return exitCode;
  },
});

export const diff = command({
  name: 'diff',
  about: 'Show what a lane has changed until now, or comment on a line of it',
  args: [...KEY, ['[comment...]', 'with --comment: what is said; `-` reads it from the input']],
  options: [
    ['--stat', 'one line for each file'],
    ['--unseen', 'only what has changed since you marked it as seen'],
    ['--seen', 'mark what is shown as seen'],
    ['--comment <file:line>', "tell the lane's worker of this line", { conflicts: 'stat' }],
    RUN,
  ],
  examples: [
    ['lanehold orchestrate lane diff api', 'all of it'],
    ['lanehold orchestrate lane diff api --stat', 'which files, and how much'],
    ['lanehold orchestrate lane diff api --unseen --seen', 'what is new, and remember it as seen'],
    [
      "lanehold orchestrate lane diff api --comment src/api.ts:12 'This may be null'",
      'its worker gets it with the line',
    ],
  ],
  async run(context, key, comment = [], { run, stat = false, unseen, seen, comment: at }) {
    if (at !== undefined) {
      const text = await typedOrInput(context, comment.join(' '));
      const told = await content.commentOnLine(context, { run, key, at, text });
      return context.print(told, toldText(told));
    }
    if (comment.length > 0) {
      throw new UsageError('it is not said what the comment is on', {
        hint: `lanehold orchestrate lane diff ${key} --comment FILE:LINE 'TEXT'`,
      });
    }
    const found = await content.laneDiff(context, { run, key, stat, unseen, seen });
    const text = printable(found.diff).trimEnd();
    const since = unseen ? ' since you marked it as seen' : '';
    const shown = text === '' ? `Lane ${key} has changed nothing${since}` : text;
    return context.print(found, shown, ExitCode.done, 'as it is');
  },
});

export const checkpoints = command({
  name: 'checkpoints',
  about: 'List the moments at which the whole tree of a lane was saved',
  args: KEY,
  options: [RUN],
  examples: [['lanehold orchestrate lane checkpoints api', 'the oldest first']],
  async run(context, key, { run }) {
    const listed = await content.laneCheckpoints(context, { run, key });
    const lines = listed.checkpoints.map(
      ({ id, at, files, reason }) =>
        `${id}  ${at}  ${plural(files, 'file')}  ${printableLine(reason, 80)}`,
    );
    return context.print(listed, lines.join('\n') || `Nothing of lane ${key} was saved yet`);
  },
});

export const restore = command({
  name: 'restore',
  about: 'Write what a lane had at a checkpoint into a new folder',
  args: [...KEY, ['[checkpoint]', 'as `lane checkpoints` names it; `last` by default']],
  options: [
    ['--to <folder>', 'where; it must not be there yet', { required: true }],
    ['--late', 'what another machine of the team brought after its claim was over'],
    RUN,
  ],
  examples: [
    ['lanehold orchestrate lane restore api last --to ../api-before', 'after a `git reset --hard`'],
    [
      'lanehold orchestrate lane restore api --late --to ../api-late',
      'what a lost machine had done',
    ],
  ],
  async run(context, key, named, { run, to, late = false }) {
    if (late && named !== undefined) {
      throw new UsageError('name a checkpoint, or give --late');
    }
    const checkpoint = late ? 'late' : (named ?? 'last');
    const restored = await content.restoreCheckpoint(context, { run, key, checkpoint, to });
    const { files, folder } = restored;
    return context.print(
      restored,
      `Wrote ${plural(files, 'file')} to ${printableLine(folder, 400)}`,
    );
  },
});

export const logs = command({
  name: 'logs',
  about: 'Show what the worker of a lane said and did, and the end of its validation',
  args: KEY,
  options: [
    RUN,
    ['-f, --follow', 'go on until the attempt has ended, or Ctrl-C'],
    ['--attempt <number>', 'not the last attempt but this one'],
    ['--raw', 'all that the worker printed, as it printed it, without secrets'],
  ],
  examples: [
    ['lanehold orchestrate logs api', 'the end of it, made readable'],
    ['lanehold orchestrate logs api -f', 'watch it at work'],
    ['lanehold orchestrate logs api --attempt 1 --raw', 'everything of an earlier attempt'],
  ],
  async run(context, key, { run, follow, attempt, raw = false }) {
    const wish = { run, key, attempt: given(countOf, attempt) };
    const found = await laneLog(context, wish);
    if (follow) await followLog(context, found, raw ? 'raw' : 'readable');
    else if (raw) {
      logCopier(context, found.log, 'raw')(true);
    } else {
      const excerpt = found.excerpt();
      return context.print(excerpt, logText(excerpt, context.now()), ExitCode.done, 'as it is');
    }
    return ExitCode.done;
  },
});
