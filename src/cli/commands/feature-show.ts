import type { Command } from 'commander';
import type { Feature } from '../../config/feature.ts';
import { ExitCode } from '../../errors.ts';
import { plural } from '../../text/count.ts';
import type { Context } from '../context.ts';
import { examples } from '../render/examples.ts';
import { openFeatures } from '../workspace.ts';

export function declareFeatureShow(parent: Command, context: () => Context): void {
  parent
    .command('show')
    .argument('<name>')
    .description('Show one feature: its files, its smoke tests, and whether it is verified')
    .addHelpText(
      'after',
      examples(
        ['lanehold feature show checkout', 'what it is and where it stands'],
        ['lanehold feature show checkout --verbose', 'with every file and the fingerprint'],
      ),
    )
    .action(async (name: string) => {
      process.exitCode = await runFeatureShow(context(), name);
    });
}

export async function runFeatureShow(context: Context, name: string): Promise<ExitCode> {
  const { workspace, registry } = await openFeatures(context);
  const [{ assessContents }, { featureContent }, { explain }, { reasonText }, { age }] =
    await Promise.all([
      import('../../features/assess.ts'),
      import('../../features/fingerprint.ts'),
      import('../../features/reason.ts'),
      import('../../gate/denial.ts'),
      import('../../text/time.ts'),
    ]);
  const now = context.now();
  const moment = { now, maxAgeMs: registry.policy.maxAgeMs };
  const subject = { kind: 'worktree' } as const;
  const content = featureContent(name, registry.features);
  const [it] = await assessContents(
    workspace,
    subject,
    [{ definedBy: 'subject', content }],
    moment,
  );
  if (it === undefined) return ExitCode.failed;
  const { feature, status, entries, fingerprint } = it;
  const [explained] = await explain(workspace, subject, [it], moment);
  const origin = registry.local.has(name) ? 'local' : 'shared';
  const state = status.valid
    ? `${status.by.kind === 'passed' ? 'verified' : status.by.kind} ${age(status.by.at, now)}`
    : `not verified: ${explained ? reasonText(explained.reason, now) : 'unknown'}`;
  const paths = entries.map((entry) => entry.path);
  const lines = [
    `${name}: ${state}`,
    ...describe(feature),
    `registered   ${origin === 'local' ? 'on this machine only' : 'in lanehold.json'}`,
    `content      ${plural(paths.length, 'file')}, dependencies included`,
    ...(context.verbose
      ? [`fingerprint  ${fingerprint}`, ...paths.map((path) => `  ${path}`)]
      : []),
  ];
  context.print(
    { ...feature, origin, state: status.valid ? 'verified' : 'not-verified', fingerprint, paths },
    lines.join('\n'),
  );
  return ExitCode.done;
}

function describe({ description, files, smoke, dependsOn }: Feature): string[] {
  return [
    ...(description === '' ? [] : [`about        ${description}`]),
    `files        ${files.join('  ')}`,
    ...smoke.map(({ command, cwd, timeoutMs }) => {
      const where = cwd === '' ? '' : ` in ${cwd}`;
      return `smoke test   ${command}${where} (at most ${timeoutMs / 1000} s)`;
    }),
    ...(dependsOn.length === 0 ? [] : [`depends on   ${dependsOn.join(', ')}`]),
  ];
}
