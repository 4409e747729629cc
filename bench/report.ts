import type { Budget } from './moments.ts';

/** What one moment cost in one repository with one store; times in ms. */
export interface Figures {
  readonly moment: string;
  readonly files: number;
  readonly features: number;
  readonly rows: number;
  readonly wallMs: number;
  readonly bareMs: number;
  readonly ratio: number;
  readonly budget: Budget | undefined;
  readonly phases: Record<string, number> | undefined;
}

/** How much more a hook may cost with a hundred times the history. */
const GROWTH_LIMIT = 0.3;

/** The figures in one line, and where the time goes in another. */
export function asText(figures: Figures): string[] {
  const { moment, files, rows, wallMs, bareMs, ratio, phases } = figures;
  const line = [
    moment.padEnd(40),
    `${count(files)} files`.padStart(13),
    `${count(rows)} rows`.padStart(13),
    `${wallMs.toFixed(1)} ms`.padStart(9),
    `node ${bareMs.toFixed(1)} ms`.padStart(13),
    `${ratio.toFixed(2)} x`.padStart(8),
    verdict(figures).padStart(15),
  ].join('  ');
  return [line.trimEnd(), `    ${phases ? spending(phases) : 'phases not available'}`];
}

/** `start` is Node's own share and the reading of the program; `rest` is what no phase names. */
function spending({ total = 0, ...named }: Record<string, number>): string {
  const rest = total - Object.values(named).reduce((sum, ms) => sum + ms, 0);
  const parts = Object.entries({ ...named, rest }).map(([name, ms]) => `${name} ${ms.toFixed(1)}`);
  return `${parts.join(' + ')} = ${total.toFixed(1)} ms by the program's own clock`;
}

function verdict(figures: Figures): string {
  const { budget } = figures;
  if (budget === undefined) return '';
  const limit = 'ratio' in budget ? `${budget.ratio} x` : `${budget.ms} ms`;
  return `of ${limit} ${isWithin(figures) ? 'ok' : 'OVER'}`;
}

function isWithin({ budget, ratio, wallMs }: Figures): boolean {
  if (budget === undefined) return true;
  return 'ratio' in budget ? ratio <= budget.ratio : wallMs <= budget.ms;
}

/** What the larger store costs over the smaller one, per moment and repository. */
export function growthLines(figures: readonly Figures[]): string[] {
  const groups = Map.groupBy(figures, ({ moment, files }) => `${moment}, ${count(files)} files`);
  return [...groups].flatMap(([name, [small, large]]) => {
    if (!small || !large) return [];
    const more = large.wallMs / small.wallMs - 1;
    const percent = `${more < 0 ? '-' : '+'}${Math.abs(more * 100).toFixed(0)} %`;
    const limit = `of +${GROWTH_LIMIT * 100} % ${more <= GROWTH_LIMIT ? 'ok' : 'OVER'}`;
    return [
      `growth: ${name}, ${count(small.rows)} to ${count(large.rows)} rows: ${percent} ${limit}`,
    ];
  });
}

export function summary(figures: readonly Figures[]): string {
  const budgeted = figures.filter(({ budget }) => budget !== undefined);
  const within = budgeted.filter(isWithin).length;
  return `${within} of ${budgeted.length} figures with a budget are within it`;
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}
