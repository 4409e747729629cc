/** Whether what should be held really is: what is broken first, each with its command; what is kept, what could go. */
import type { JSX } from 'preact';
import type { HealthView } from '../../src/app/view/health.ts';
import { COPY, useKeys } from '../base/keys.ts';
import { useOnce } from '../base/once.ts';
import { Empty, Facts, Head, Missing, Nothing, Section } from '../parts/layout.tsx';
import { Glyph } from '../parts/state.tsx';
import { bytes, Command, plural, Rich, Time } from '../parts/text.tsx';
import type { ViewProps } from './props.ts';

type Finding = HealthView['findings'][number];
type Team = NonNullable<HealthView['team']>;

const ORDER = { broken: 0, warning: 1, ok: 2 } as const;
const GLYPHS = { broken: 'broken', warning: 'stale', ok: 'ok' } as const;

const LASTS = 'each hook is started once and has to answer';

export function Health(_: ViewProps): JSX.Element {
  const { data, problem, isAsking, again } = useOnce<HealthView>('health');
  useKeys([{ shown: 'r', does: 'check again', press: { r: again } }, COPY]);
  if (data === null) {
    return problem === null ? (
      <Head title="Checking…" sub={LASTS} />
    ) : (
      <Missing title="Health" problem={problem} />
    );
  }

  const findings = data.findings.toSorted((one, other) => ORDER[one.state] - ORDER[other.state]);
  const amiss = findings.filter(({ state }) => state !== 'ok');
  const fine = findings.filter(({ state }) => state === 'ok');
  return (
    <>
      <Head
        title={titleOf(findings)}
        sub={
          <>
            checked <Time at={data.at} />
          </>
        }
      >
        <button type="button" class="btn" disabled={isAsking} onClick={again}>
          {isAsking ? 'Checking…' : 'Check again'} <kbd>r</kbd>
        </button>
      </Head>
      <div class="two">
        <div class="stack">
          {amiss.length === 0 ? (
            <Empty
              title="Every hook answers, every store opens."
              why="Checks run when you open this view, not by themselves."
              command="lanehold doctor"
            />
          ) : (
            <Section id="amiss" title="To be mended">
              <Findings findings={amiss} />
            </Section>
          )}
          <Agents agents={data.agents} findings={findings} />
          {data.team !== null && <Machines team={data.team} />}
          <Section
            id="fine"
            title="In order"
            right={plural(fine.length, 'check')}
            command="lanehold doctor"
          >
            <details class="same">
              <summary>{plural(fine.length, 'check')} found nothing</summary>
              <Findings findings={fine} />
            </details>
          </Section>
        </div>
        <div class="stack">
          <Kept view={data} />
          <CouldGo view={data} />
        </div>
      </div>
    </>
  );
}

function titleOf(findings: readonly Finding[]): string {
  const count = (state: Finding['state']) => findings.filter((it) => it.state === state).length;
  if (count('broken') > 0)
    return `${plural(count('broken'), 'thing')} of ${findings.length} broken`;
  return count('warning') > 0 ? `Nothing is broken, ${count('warning')} to look at` : 'All is well';
}

function Findings({ findings }: { findings: readonly Finding[] }): JSX.Element {
  return (
    <ol class="tries">
      {findings.map((it) => (
        <li key={`${it.check} ${it.fact}`} data-commands="">
          <Glyph state={GLYPHS[it.state]} word={it.state} />
          <span class="cap">
            <Rich text={it.fact} />
          </span>
          <span class="meta num">{it.agent ?? it.check}</span>
          {(it.hint !== undefined || it.commands.length > 0) && (
            <div class="more block">
              {it.commands.slice(0, 1).map((command) => (
                <Command key={command} text={command} />
              ))}
              {it.hint !== undefined && !isCommandAlone(it) && (
                <p class="cap">
                  <Rich text={it.hint} />
                </p>
              )}
            </div>
          )}
        </li>
      ))}
    </ol>
  );
}

/** A hint that says nothing beside the command under it. */
const isCommandAlone = ({ hint, commands }: Finding): boolean =>
  commands.length === 1 && hint === `run \`${commands[0]}\``;

const SCOPES: Readonly<Record<string, string>> = {
  user: 'for this user',
  project: 'for this project',
  plugin: 'as a plugin',
};

interface AgentsProps {
  readonly agents: HealthView['agents'];
  readonly findings: readonly Finding[];
}

function Agents({ agents, findings }: AgentsProps): JSX.Element {
  return (
    <Section id="agents" title="Agents" right={agents.length || null} command="lanehold doctor">
      {agents.length === 0 ? (
        <Nothing>No agent is found on this machine.</Nothing>
      ) : (
        <ul class="tries">
          {agents.map(({ agent, title, enforcement, installed, plugins }) => {
            const isThere = installed.length + plugins.length > 0;
            const isBroken = findings.some((it) => it.agent === agent && it.state === 'broken');
            const holds = isThere && !isBroken && enforcement.holds;
            const where = [...installed, ...plugins.map(() => 'plugin')];
            return (
              <li key={agent}>
                <Glyph state={holds ? 'ok' : isBroken ? 'broken' : 'unknown'} />
                <b class="strong">{title}</b>
                <span class="meta num">
                  {where.map((it) => SCOPES[it] ?? it).join(', ') || 'not installed'}
                </span>
                <p class="more">
                  {holds
                    ? 'What leaves is held in its sessions'
                    : 'Nothing is held in its sessions'}
                </p>
                {holds && enforcement.gaps.length > 0 && (
                  <details class="more">
                    <summary>What is not held there</summary>
                    <ul class="gaps">
                      {enforcement.gaps.map((it) => (
                        <li key={it}>
                          <Rich text={it} />
                        </li>
                      ))}
                    </ul>
                  </details>
                )}
                {!isThere && (
                  <div class="more block">
                    <Command text={`lanehold install --agent ${agent}`} />
                  </div>
                )}
              </li>
            );
          })}
        </ul>
      )}
    </Section>
  );
}

/** The machines of the team, as they were at the last contact with the board. */
function Machines({ team: { at, machines } }: { team: Team }): JSX.Element {
  return (
    <Section
      id="machines"
      title="Machines of the team"
      right={
        <>
          as of <Time at={at} />
        </>
      }
      command="lanehold team status"
    >
      <ul class="tries">
        {machines.map(({ name, self, lends, slots, taken, seenAt, works }) => (
          <li key={name}>
            <Glyph state={lends === 'off' ? 'unknown' : taken > 0 ? 'running' : 'ok'} />
            <b class="strong">{name}</b>
            <span class="meta num">
              {self ? 'this machine' : 'seen'} {!self && <Time at={seenAt} />}
            </span>
            <p class="more">
              {LENT[lends](`${taken} of ${plural(slots, 'slot')}`)}
              {works.length > 0 && `, works on ${works.join(', ')}`}
            </p>
          </li>
        ))}
      </ul>
    </Section>
  );
}

const LENT = {
  off: () => 'Not lent',
  on: (taken: string) => `${taken} taken`,
  draining: (taken: string) => `${taken} taken, takes no more`,
} as const;

const NAMES: Readonly<Record<string, string>> = {
  database: 'Database',
  runs: 'Output of workers and tests',
  worktrees: 'Worktrees of lanes',
  logs: 'Logs',
  backups: 'Backups',
  notes: 'Notes',
};

const sumOf = (days: readonly number[]): number => days.reduce((sum, it) => sum + it, 0);

interface GrownProps {
  readonly what: string;
  readonly days: readonly number[];
  readonly words: (amount: number) => string;
}

/** A bar for each day, today's at the right end. */
function Grown({ what, days, words }: GrownProps): JSX.Element {
  const most = Math.max(1, ...days);
  const sum = words(sumOf(days));
  return (
    <li>
      <span>{what}</span>
      <span class="num">{sum}</span>
      <svg
        class="days"
        viewBox={`0 0 ${days.length} 10`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${what}: ${sum}, ${words(days.at(-1) ?? 0)} of it today`}
      >
        {days.map((it, at) =>
          it === 0 ? null : (
            <rect
              key={at}
              x={at + 0.1}
              width={0.8}
              y={10 - Math.max(1, (10 * it) / most)}
              height={Math.max(1, (10 * it) / most)}
            />
          ),
        )}
      </svg>
    </li>
  );
}

function Kept({ view: { sizes, events, home, prune } }: { view: HealthView }): JSX.Element {
  const most = Math.max(1, ...sizes.map((it) => it.bytes));
  const days = (text: string) => text.replace(/d$/, ' days');
  return (
    <Section id="kept" title="What is kept" command="lanehold prune --dry-run">
      <p class="mono path muted">{home}</p>
      <ul class="sizes">
        {sizes.map((it) => (
          <li key={it.what} title={it.path}>
            <span>{NAMES[it.what] ?? it.what}</span>
            <span class="num">
              {it.isWhole ? '' : 'over '}
              {bytes(it.bytes)}
            </span>
            {it.bytes > 0 && <span class="size" style={{ width: `${(100 * it.bytes) / most}%` }} />}
          </li>
        ))}
      </ul>
      <h3>Written in the last {events.length} days</h3>
      <ul class="sizes grown">
        {sumOf(events) > 0 && (
          <Grown
            what="Events in the database"
            days={events}
            words={(it) => it.toLocaleString('en')}
          />
        )}
        {sizes.map(
          ({ what, days }) =>
            days !== null &&
            sumOf(days) > 0 && (
              <Grown key={what} what={NAMES[what] ?? what} days={days} words={bytes} />
            ),
        )}
      </ul>
      <h3>How long it is kept</h3>
      <Facts
        facts={[
          ['Events', `for ${days(prune.kept.keepEvents)}`],
          ['Summaries', `for ${days(prune.kept.keepSummaries)}`],
          ['Suggestions', `for ${days(prune.kept.keepSuggestions)}`],
        ]}
      />
    </Section>
  );
}

const OLD = {
  events: 'Events',
  summaries: 'Summaries of sessions',
  suggestions: 'Suggestions',
  records: 'Records of what was told',
};

function CouldGo({ view: { gc, prune } }: { view: HealthView }): JSX.Element {
  const removed = gc?.removed ?? [];
  const sum = removed.reduce((all, it) => all + it.bytes, 0);
  const old = (['events', 'summaries', 'suggestions', 'records'] as const).filter(
    (it) => prune[it] > 0,
  );
  return (
    <Section id="free" title="What could go" right={sum > 0 ? bytes(sum) : null}>
      {removed.length === 0 && old.length === 0 ? (
        <Nothing>
          Nothing now{gc !== null && gc.kept.length > 0 && `: ${keptText(gc.kept)}`}.
        </Nothing>
      ) : (
        <ul class="msgs">
          {removed.map((it) => (
            <li key={`${it.run} ${it.what} ${it.name}`}>
              <p class="guard">
                <span class="mono path">{it.name}</span>
                <span class="num">{it.bytes > 0 ? bytes(it.bytes) : it.what}</span>
              </p>
              <p class="meta">run {it.run}</p>
            </li>
          ))}
          {old.map((it) => (
            <li key={it}>
              <p class="guard">
                <span>{OLD[it]} older than they are kept</span>
                <span class="num">{prune[it].toLocaleString('en')}</span>
              </p>
            </li>
          ))}
        </ul>
      )}
      <div class="block more-line" data-commands="">
        <Command text={`lanehold orchestrate gc${removed.length > 0 ? '' : ' --dry-run'}`} />
        <Command text={`lanehold prune${old.length > 0 ? '' : ' --dry-run'}`} />
      </div>
    </Section>
  );
}

function keptText(kept: NonNullable<HealthView['gc']>['kept']): string {
  const reasons = [...new Set(kept.map(({ why }) => why))].filter((it) => it !== undefined);
  const what = `${plural(kept.length, 'thing')} of runs ${kept.length === 1 ? 'is' : 'are'} kept`;
  return `${what}: ${reasons.slice(0, 2).join('; ')}`;
}
