import type { Runtime } from '../../../agents/kit/hook-shim.ts';
import { agentsWith } from '../../../agents/registry.ts';
import { type Check, type Diagnosis, diagnose, repairStore } from '../../../app/setup/doctor.ts';
import { mend } from '../../../app/setup/mend.ts';
import { ExitCode } from '../../../base/errors.ts';
import { plural, printable } from '../../../base/text/printable.ts';
import { type Finding, ok } from '../../../install/verify.ts';
import { painter } from '../../words/table.ts';
import { type Context, command } from '../command.ts';

export const declareDoctor = command({
  name: 'doctor',
  about: 'Check that releases are really held; exit code 1 if not',
  options: [
    ['--fix', 'write again what was installed and is changed or gone'],
    ['--repair', 'quarantine a damaged database, and rebuild runs and lanes'],
  ],
  examples: [
    ['lanehold doctor', 'the verdict, then a line per check'],
    ['lanehold doctor --fix', 'after an upgrade of Node, or when settings were overwritten'],
    ['lanehold doctor --json', 'the same for scripts'],
  ],
  async run(context, { fix = false, repair = false }) {
    if (fix) await runFix(context);
    if (repair) await runRepair(context);
    return runDoctor(context);
  },
});

/** @param checks the checks, in this order. */
export async function runDoctor(context: Context, checks?: readonly Check[]): Promise<number> {
  const diagnosis = await diagnose(context, checks);
  const exitCode = diagnosis.ok ? ExitCode.done : ExitCode.failed;
  return context.print(diagnosis, await diagnosisText(context, diagnosis), exitCode);
}

export async function runFix(context: Context, runtime?: Runtime): Promise<void> {
  const { done, failed } = await mend(context, runtime);
  if (done.length + failed.length === 0) context.progress('there was nothing to mend');
  for (const line of done) context.progress(printable(line));
  for (const line of failed) context.progress(`failed: ${printable(line)}`);
}

export async function runRepair(context: Context): Promise<void> {
  const { quarantined, rebuilt } = await repairStore(context);
  context.progress(
    quarantined === undefined
      ? 'the database is not damaged: nothing to repair'
      : `set the damaged database aside as ${quarantined}; features and evidence in it are lost`,
  );
  for (const { run, lanes, unproven, remarks } of rebuilt) {
    context.progress(`built run ${run} again, with lanes ${lanes.join(', ')}: all on hold`);
    for (const key of unproven) {
      const verify = `lanehold orchestrate verify ${key} --run ${run}`;
      context.progress(`validate what was done: \`${verify}\``);
    }
    for (const remark of remarks) context.progress(remark);
  }
}

export async function diagnosisText(
  context: Context,
  diagnosis: Pick<Diagnosis, 'agents'> & { readonly findings: readonly Finding[] },
): Promise<string> {
  const { findings, agents } = diagnosis;
  const paint = await painter(context, 'stdout');
  const count = (state: string) => findings.filter((it) => it.state === state).length;
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
  const shown = context.verbose ? findings : inShort(findings, agents);
  const first = shown.toSorted(
    (one, other) => ORDER.indexOf(one.state) - ORDER.indexOf(other.state),
  );
  const lines = first.flatMap(({ state, fact, hint }) => [
    `${marks[state]}: ${printable(fact)}`,
    ...(hint === undefined ? [] : [`  ${paint.hint('hint:')} ${printable(hint)}`]),
  ]);
  return [verdict, ...lines].join('\n');
}

const ORDER: readonly Finding['state'][] = ['broken', 'warning', 'ok'];

/** The findings with one line for each healthy agent, and one for all agents whose hooks fail open. */
function inShort(findings: readonly Finding[], agents: Diagnosis['agents']): readonly Finding[] {
  const isWell = ({ agent, state, hint }: Finding) =>
    agent !== undefined && state === 'ok' && hint === undefined;
  const short = agentsWith('hooks').flatMap(({ name: agent, title }) => {
    const own = findings.filter((it) => it.agent === agent && isWell(it));
    const facts = own.filter(({ check }) => IN_SHORT.includes(check)).map(({ fact }) => fact);
    const told = facts.map((it) => (it.startsWith(title) ? it.slice(title.length) : it));
    const words = told.map((it) => it.replace(/^[ :]+/, '')).join('; ');
    return words ? [ok('agent', `${title}: ${words}`)] : [];
  });
  return [...findings.filter((it) => !isWell(it)), ...short, ...openOnFailure(agents)];
}

function openOnFailure(agents: Diagnosis['agents']): Finding[] {
  const gaps = agents.flatMap(({ title, installed, enforcement }) => {
    const gap = enforcement.gaps.find((it) => it.startsWith('lets '));
    return gap !== undefined && installed.length > 0 ? [{ title, gap }] : [];
  });
  return [...Map.groupBy(gaps, ({ gap }) => gap)].map(([gap, those]) => {
    const titles = those.map(({ title }) => title);
    const each = titles.length === 1 ? '' : ': each';
    return ok('agent', `${titles.join(', ')}${each} ${gap}`);
  });
}

const IN_SHORT = ['plugin', 'settings', 'trust', 'alive', 'skills', 'statusline'];
