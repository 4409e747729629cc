import type { Command } from 'commander';
import { ExitCode, ExplainedError } from '../../errors.ts';
import type { Installer } from '../../install/targets.ts';
import type { Finding } from '../../install/verify.ts';
import { plural } from '../../text/count.ts';
import { printable } from '../../text/printable.ts';
import type { Context } from '../context.ts';
import { examples } from '../render/examples.ts';

interface DoctorOptions {
  readonly repair?: boolean;
}

/** One look at something; finds at least one thing to say. */
export type Check = (context: Context) => Promise<readonly Finding[]>;

export function declareDoctor(parent: Command, context: () => Context): void {
  parent
    .command('doctor')
    .description('Check that releases are really held here (exit code 1 if something is broken)')
    .option('--repair', 'set a damaged database aside, and build runs and lanes again')
    .addHelpText(
      'after',
      examples(
        ['lanehold doctor', 'the verdict, then a line per check'],
        ['lanehold doctor --json', 'the same for scripts'],
      ),
    )
    .action(async (options: DoctorOptions) => {
      if (options.repair) await repairStore(context());
      process.exitCode = await runDoctor(context());
    });
}

/** @param checks what to look at, in this order. */
export async function runDoctor(
  context: Context,
  checks: readonly Check[] = CHECKS,
): Promise<ExitCode> {
  const findings: Finding[] = [];
  for (const check of checks) findings.push(...(await check(context)));
  const broken = findings.filter(({ state }) => state === 'broken').length;
  context.print({ ok: broken === 0, findings }, await renderFindings(context, findings));
  return broken === 0 ? ExitCode.done : ExitCode.failed;
}

const CHECKS: readonly Check[] = [
  checkNode,
  checkStore,
  checkLanes,
  checkSwitchesHere,
  checkInstallations,
  checkGitHook,
  checkAgent,
];

export async function repairStore(context: Context): Promise<void> {
  const { env, now, progress } = context;
  const { exclusively } = await import('../../install/lock.ts');
  const { homeOf } = await import('../../store/home.ts');
  const { quarantineDamaged } = await import('../../store/quarantine.ts');
  const home = homeOf(env);
  const kept = await exclusively(home, () => quarantineDamaged(home, now()));
  if (kept === undefined) progress('the database is not damaged: nothing to repair');
  else progress(`set the damaged database aside as ${kept}; features and evidence in it are lost`);
  await rebuildRuns(context);
}

/** Also where the database was deleted: a new one knows none of the runs that left traces. */
async function rebuildRuns({ env, now, progress }: Context): Promise<void> {
  const [{ openStore }, { homeOf }, { rebuildLanes }] = await Promise.all([
    import('../../store/open.ts'),
    import('../../store/home.ts'),
    import('../../lanes/rebuild/rebuild.ts'),
  ]);
  const store = await openStore(homeOf(env));
  for (const { run, lanes, unproven, remarks } of await rebuildLanes({ store, env, now })) {
    progress(`built run ${run} again, with lanes ${lanes.join(', ')}: all on hold`);
    for (const key of unproven) {
      progress(`validate what was done: \`lanehold orchestrate verify ${key} --run ${run}\``);
    }
    for (const remark of remarks) progress(remark);
  }
  store.close();
}

async function checkNode(): Promise<Finding[]> {
  return [{ check: 'node', state: 'ok', fact: `Node ${process.versions.node}` }];
}

async function checkStore({ env }: Context): Promise<readonly Finding[]> {
  const { guarded } = await import('../../install/verify.ts');
  const { homeOf } = await import('../../store/home.ts');
  const { assertIntact } = await import('../../store/quarantine.ts');
  return guarded('store', async () => {
    const home = homeOf(env);
    await assertIntact(home);
    return [{ check: 'store', state: 'ok', fact: `the database opens: ${home.database}` }];
  });
}

/** Nothing to say where no run is open; of a database that does not open `checkStore` tells. */
async function checkLanes({ env, now }: Context): Promise<readonly Finding[]> {
  const { guarded } = await import('../../install/verify.ts');
  const check = 'lanes';
  return guarded(check, async () => {
    const [{ openStore }, { homeOf }, { laneProblems }, { runStore }] = await Promise.all([
      import('../../store/open.ts'),
      import('../../store/home.ts'),
      import('../../lanes/problems.ts'),
      import('../../store/runs.ts'),
    ]);
    const store = await openStore(homeOf(env)).catch(unlessExplained);
    if (store === undefined) return [];
    try {
      const problems = await laneProblems({ store, env, now });
      if (problems.length > 0) return problems.map((it) => ({ check, ...it }));
      const open = runStore(store).openEverywhere().length;
      if (open === 0) return [];
      return [
        { check, state: 'ok', fact: `${plural(open, 'open run')}, and nothing amiss in them` },
      ];
    } finally {
      store.close();
    }
  });
}

function unlessExplained(error: unknown): undefined {
  if (!(error instanceof ExplainedError)) throw error;
}

async function checkSwitchesHere(context: Context): Promise<readonly Finding[]> {
  const { installers } = await import('../../install/targets.ts');
  const { checkSwitches, guarded } = await import('../../install/verify.ts');
  return guarded('switches', async () => checkSwitches(context, await installers()));
}

/** Every settings file that has hooks of ours: recorded ones, and those that count here. */
async function checkInstallations(context: Context): Promise<readonly Finding[]> {
  const { readManifest } = await import('../../install/manifest.ts');
  const { installers } = await import('../../install/targets.ts');
  const { guarded } = await import('../../install/verify.ts');
  const { homeOf } = await import('../../store/home.ts');
  return guarded('settings', async () => {
    const manifest = readManifest(homeOf(context.env));
    const findings: Finding[] = [];
    for (const installer of await installers()) {
      const ours = manifest.filter(({ agent }) => agent === installer.name);
      const recorded = ours.map(({ file }) => file);
      for (const file of new Set([...installer.settingsFilesInForce(context), ...recorded])) {
        const isRecorded = recorded.includes(file);
        findings.push(...(await checkInstallation(context, installer, { file, isRecorded })));
      }
    }
    if (findings.some(({ check, state }) => check === 'hook' || state === 'broken'))
      return findings;
    const fact = 'no hooks are installed: nothing is held';
    return [
      ...findings,
      { check: 'settings', state: 'broken', fact, hint: 'run `lanehold install`' },
    ];
  });
}

async function checkInstallation(
  { env }: Context,
  installer: Installer,
  { file, isRecorded }: { readonly file: string; readonly isRecorded: boolean },
): Promise<readonly Finding[]> {
  const { checkEntries, checkHookRuns, guarded, installedHooks } = await import(
    '../../install/verify.ts'
  );
  const { hookProgram } = await import('../../install/targets.ts');
  const findings = await guarded('settings', async () => {
    const found = installedHooks(installer, file);
    if (found.length > 0) {
      return [
        ...checkEntries(installer, { file, found, hook: hookProgram() }),
        ...(await checkHookRuns(installer, found, env)),
      ];
    }
    if (!isRecorded) return [];
    const fact = `the hooks that were installed in ${file} are gone`;
    const hint = 'run `lanehold install` again, or `lanehold uninstall`';
    return [{ check: 'settings', state: 'broken', fact, hint }];
  });
  // A file that we never wrote to may be as it likes: hooks elsewhere count all the same.
  const isOurs = isRecorded || findings.some(({ check }) => check === 'hook');
  return isOurs ? findings : findings.map((it) => ({ ...it, state: 'warning' }));
}

/** The second line; that there is none is no fault, that it is gone is one. */
async function checkGitHook(context: Context): Promise<readonly Finding[]> {
  const { projectPlace } = await import('../../git/project.ts');
  if (projectPlace(context.cwd).kind === 'folder') return [];
  const { guarded } = await import('../../install/verify.ts');
  const { gitHookLook, verdict } = await import('./git-hook-status.ts');
  const check = 'git-hook';
  return guarded(check, async () => {
    const look = await gitHookLook(context);
    const hint = 'run `lanehold git-hook install`';
    switch (look.state) {
      case 'installed':
        return look.remark === undefined
          ? [{ check, state: 'ok', fact: `the git hook holds pushes: ${look.file}` }]
          : [
              {
                check,
                state: 'warning',
                fact: `the git hook holds pushes, but ${look.remark}`,
                hint,
              },
            ];
      case 'absent':
        return [
          { check, state: 'ok', fact: 'no git hook here, only the hooks of agents hold', hint },
        ];
      case 'broken':
      case 'replaced':
      case 'passed-over':
        return [{ check, state: 'broken', fact: `git hook ${verdict(look)}`, hint }];
    }
  });
}

async function checkAgent(context: Context): Promise<Finding[]> {
  const { installers } = await import('../../install/targets.ts');
  const { checkClient } = await import('../../install/verify.ts');
  const checks = (await installers()).map((it) => checkClient(it, context));
  return (await Promise.all(checks)).flat();
}

async function renderFindings(context: Context, findings: readonly Finding[]): Promise<string> {
  const { painter } = await import('../render/colour.ts');
  const paint = await painter(context, 'stdout');
  const count = (state: Finding['state']) => findings.filter((it) => it.state === state).length;
  const broken = count('broken');
  const warnings = count('warning');
  const verdict =
    broken > 0
      ? paint.bad(`broken: ${plural(broken, 'check')} failed`)
      : paint.good(warnings > 0 ? `works, with ${plural(warnings, 'warning')}` : 'works');
  const marks = {
    ok: paint.good('ok'),
    warning: paint.warn('warning'),
    broken: paint.bad('broken'),
  };
  const lines = findings.flatMap(({ state, fact, hint }) => [
    `${marks[state]}: ${printable(fact)}`,
    ...(hint === undefined ? [] : [`  ${paint.hint('hint:')} ${printable(hint)}`]),
  ]);
  return [verdict, ...lines].join('\n');
}
