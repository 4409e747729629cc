/** What sessions hear of the open runs of their project, through the built hook. */
import { existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { handoffStore } from '../../../src/store/handoffs.ts';
import { newId } from '../../../src/store/ids.ts';
import { laneEventStore, laneReportStore } from '../../../src/store/lane-events.ts';
import { laneStore, runStore } from '../../../src/store/lanes.ts';
import { hasOpenRun } from '../../../src/store/projects.ts';
import { command } from '../../support/command.ts';
import { laneWorker } from '../../support/lane-worker.ts';
import { beforeCompact, promptSubmit, sessionStart, stop } from '../../support/payloads.ts';

async function project(wish: Parameters<typeof laneWorker>[0] = {}) {
  const worker = await laneWorker(wish);
  const { box, repo, context, lane, run, attempt } = worker;
  const reports = laneReportStore(context.store);
  const told = async (
    event: Parameters<typeof box.hook>[0],
    payload: object,
    env: Readonly<Record<string, string>> = {},
  ): Promise<string> => {
    const ran = await box.hook(event, { ...payload }, { env });
    expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
    return ran.stdout === '' ? '' : JSON.parse(ran.stdout).hookSpecificOutput.additionalContext;
  };
  const as = (payload: object, session: string) => ({ ...payload, session_id: session });
  return {
    ...worker,
    told,
    as,
    /** The part about runs. */
    start: async (session = 'session-1', source = 'startup'): Promise<string> => {
      const text = await told('session-start', as(sessionStart(repo, source), session));
      const at = text.search(/^# .*run/im);
      return at === -1 ? '' : text.slice(at);
    },
    prompt: (session = 'session-1') => told('prompt-submit', as(promptSubmit(repo), session)),
    ask(body: string): string {
      const id = newId(context.now());
      context.store.write(() => {
        const who = { laneId: lane('api').id, attemptId: attempt, by: 'agent x' };
        reports.add({ id, kind: 'ask', body, ...who }, context.now());
        laneEventStore(context.store).add(
          {
            runId: run.id,
            laneId: who.laneId,
            type: 'report',
            data: { report: id, kind: 'ask' },
            by: 'x',
          },
          context.now(),
        );
      });
      return id;
    },
    close: () =>
      context.store.write(() => runStore(context.store).setIntent(run.id, 'closed', null)),
  };
}

describe('a session that starts', () => {
  test('is told all of an open run, the next time only what is new', async () => {
    const { start, ask, run } = await project();
    const whole = await start();
    expect(whole).toContain(`Handoff of run ${run.name}`);
    expect(whole).toContain('Move billing to the new API');
    expect(whole.length).toBeLessThanOrEqual(6_000);
    expect(await start('session-1', 'resume')).toBe('');
    ask('May the old route go away?');
    const news = await start('session-1', 'resume');
    expect(news).toContain('since event');
    expect(news).toContain('May the old route go away?');
    expect(news).not.toContain('Move billing to the new API');
    expect(await start('session-2')).toContain('Handoff of run');
  });

  test('after a compaction or a fresh start in the same window it is told all again', async () => {
    const { start } = await project();
    await start();
    for (const source of ['compact', 'clear']) {
      expect(await start('session-1', source)).toContain('Handoff of run');
    }
  });

  test('with nothing open hears nothing of runs', async () => {
    const { start, close, prompt, ask } = await project();
    ask('what?');
    close();
    expect(await start()).toBe('');
    expect(await prompt()).toBe('');
  });

  test('in a lane hears its task and nothing else', async () => {
    const { told, tree, marks, box, repo } = await project({ touches: ['src/api/**'] });
    await command(box, repo, ['feature', 'add', 'all', '--files', '**', '--smoke', 'true']);
    for (const source of ['startup', 'compact']) {
      const said = await told('session-start', sessionStart(tree, source), marks);
      expect(said.split('\n')).toEqual([
        `lanehold: you work on lane api of run billing, in ${tree} and nowhere else.`,
        'What for (written by its author): A piece of work',
        "The run's goal: Move billing to the new API",
        'You may write: src/api/**. When you end, lanehold judges it by: sh check.sh',
        expect.stringContaining('lanehold orchestrate ask'),
      ]);
    }
  });

  test('of a broken run still says what is held', async () => {
    const { told, box, repo, context } = await project();
    await command(box, repo, ['feature', 'add', 'all', '--files', '**', '--smoke', 'true']);
    box.write(join(repo, 'README.md'), 'changed\n');
    context.store.db.prepare("UPDATE lanes SET spec = 'no JSON'").run();
    expect(await told('session-start', sessionStart(repo))).toMatch(
      /^lanehold: 1 feature is changed/,
    );
  });
});

describe('before a compaction', () => {
  test('the handoff of each open run is kept, of a closed one not', async () => {
    const { told, repo, context, run, close } = await project();
    const kept = () => handoffStore(context.store).last(run.id);
    expect(await told('before-compact', beforeCompact(repo))).toBe('');
    expect(kept()).toMatchObject({ agent: 'claude-code', session: 'session-1' });
    expect(kept()?.lines).toContainEqual(expect.objectContaining({ about: 'lane api: state' }));
    const { id } = kept() ?? {};
    close();
    await told('before-compact', beforeCompact(repo));
    expect(kept()?.id).toBe(id);
  });

  test('of a worker nothing is', async () => {
    const { told, tree, marks, context, run } = await project();
    await told('before-compact', beforeCompact(tree), marks);
    expect(handoffStore(context.store).last(run.id)).toBeUndefined();
  });
});

describe('a prompt', () => {
  test('says in one line what waits, each thing once in a session', async () => {
    const { prompt, ask, end } = await project();
    expect(await prompt()).toBe('');
    ask('May the old\nroute go away?');
    const line =
      'lanehold: the worker of lane api asks "May the old\\nroute go away?" (`lanehold orchestrate answer api \'ANSWER\'`)';
    expect(await prompt()).toBe(line);
    expect(await prompt()).toBe('');
    expect(await prompt('session-2')).toBe(line);
    ask('And the new one?');
    expect(await prompt()).toContain('And the new one?');
    expect(await prompt()).toBe('');
    end();
    expect(await prompt()).toBe('');
  });

  test('says nothing of a lane that was cancelled', async () => {
    const { prompt, ask, box, repo, context, run } = await project();
    ask('May it go?');
    const lanes = laneStore(context.store);
    const [lane] = lanes.ofRun(run.id);
    context.store.write(() => lanes.setIntent(lane?.id ?? '', 'cancelled'));
    expect(await prompt()).toBe('');
    const { stdout } = await command(box, repo, ['orchestrate', 'status']);
    expect(stdout).not.toContain('May it go?');
  });

  test('says that a lane failed, and why', async () => {
    const { prompt, end } = await project();
    end('rejected', 'scope: 2 files');
    expect(await prompt()).toBe(
      'lanehold: lane api: failed (rejected: scope: 2 files) (`lanehold orchestrate logs api`)',
    );
    expect(await prompt()).toBe('');
  });

  test('stays one line whatever waits', async () => {
    const { prompt, ask } = await project();
    for (let n = 0; n < 9; n += 1) ask(`question ${n} ${'?'.repeat(5_000)}`);
    const said = await prompt();
    expect(said.split('\n')).toHaveLength(1);
    expect(said.length).toBeLessThan(1_000);
    expect(said).toContain('and 6 more: `lanehold orchestrate status`');
  });

  test('does not repeat what the start of the session has told', async () => {
    const { prompt, ask, start } = await project();
    ask('May it go?');
    expect(await start()).toContain('May it go?');
    expect(await prompt()).toBe('');
  });

  test('of a worker brings it its news, not those of the coordinator', async () => {
    const { told, tree, marks, ask, context } = await project();
    const id = ask('May it go?');
    expect(await told('prompt-submit', promptSubmit(tree), marks)).toBe('');
    context.store.write(() => laneReportStore(context.store).answer(id, 'Yes', 'x', context.now()));
    expect(await told('prompt-submit', promptSubmit(tree), marks)).toContain('"May it go?": Yes');
  });
});

describe('hooks keep lanes going', () => {
  const stamp = (home: string) =>
    statSync(join(home, 'runs/lanes/reconcile'), { throwIfNoEntry: false })?.mtimeMs;

  test('at the start, with a prompt and at the end of a turn, where a run is open', async () => {
    const { box, repo, told, close } = await project();
    const moments = [
      ['session-start', sessionStart(repo)],
      ['prompt-submit', promptSubmit(repo)],
      ['stop', stop(repo)],
    ] as const;
    for (const [event, payload] of moments) {
      rmSync(join(box.laneholdHome, 'runs/lanes/reconcile'), { force: true });
      await told(event, payload);
      expect([event, stamp(box.laneholdHome) !== undefined]).toEqual([event, true]);
    }
    expect(existsSync(join(box.laneholdHome, 'logs/hook.log'))).toBe(false);
    close();
    rmSync(join(box.laneholdHome, 'runs/lanes/reconcile'));
    for (const [event, payload] of moments) await told(event, payload);
    expect(stamp(box.laneholdHome)).toBeUndefined();
  });

  test('but not from inside a worker, whose marks would go on', async () => {
    const { box, tree, told, marks } = await project();
    await told('session-start', sessionStart(tree), marks);
    await told('stop', stop(tree), marks);
    await told('prompt-submit', promptSubmit(tree), marks);
    expect(stamp(box.laneholdHome)).toBeUndefined();
  });
});

test('one statement tells whether a run is open', async () => {
  const { context, run, close } = await project();
  expect(hasOpenRun(context.store, run.projectId)).toBe(true);
  expect(hasOpenRun(context.store, run.projectId + 1)).toBe(false);
  close();
  expect(hasOpenRun(context.store, run.projectId)).toBe(false);
});
