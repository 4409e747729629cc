import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cliCommand, type DemoProject } from '../../scripts/demo/demo-project.ts';
import type { Driver } from '../e2e/driver.ts';
import type { Turn } from '../e2e/model.ts';
import { cloneFolder, PLUGIN_ID } from '../e2e/plugin-folders.ts';
import { PUSH, SOURCE, setUpProject, succeed } from '../e2e/project.ts';
import {
  changeTurns,
  checkDenial,
  checkNoGaps,
  install,
  runTurns,
  wayOut,
} from '../e2e/stories.ts';
import type { Story } from '../e2e/story.ts';
import { PLAIN_TOOLS_MODEL, startResponsesServer } from './responses-server.ts';

const COMPACT_TOKENS = 100_000;
const KEY_VARIABLE = 'E2E_MODEL_KEY';

const shell = (command: string) => ({ name: 'exec_command', input: { cmd: command } });
const configFile = ({ home }: DemoProject): string => join(home, '.codex/config.toml');

export const CODEX: Driver = {
  agent: 'codex',
  script: 'e2e:codex',
  client: { spec: '@openai/codex@0.169.0', program: 'codex', variable: 'LANEHOLD_E2E_CODEX' },
  startModel: startResponsesServer,
  prepare: (demo, { url }) => {
    const file = configFile(demo);
    const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
    if (text.includes(KEY_VARIABLE)) return;
    mkdirSync(join(demo.home, '.codex'), { recursive: true });
    writeFileSync(file, settings(url) + text);
  },
  headless: (_, { url }, { prompt, goesOn }) => ({
    args: [
      ...['exec', ...(goesOn ? ['resume', '--last'] : []), ...optionsWith(url)],
      // Hooks that are changed by hand would be skipped; a story of its own shows what trust does.
      ...['--dangerously-bypass-hook-trust', prompt],
    ],
    env: { [KEY_VARIABLE]: 'not-a-key' },
    input: '',
  }),
  shell,
  answering: ({ url }) => ['exec', ...optionsWith(url), '-'],
  compaction: { fullTokens: COMPACT_TOKENS },
  edit: (demo, file, from, to) => {
    const lines = readFileSync(join(demo.project, file), 'utf8').split('\n');
    const line = (lines.find((it) => /\d000/.test(it)) ?? '').replace(/\d000/, from);
    const hunk = ['@@', `-${line}`, `+${line.replace(from, to)}`];
    const patch = ['*** Begin Patch', `*** Update File: ${file}`, ...hunk, '*** End Patch', ''];
    return [{ use: [{ name: 'apply_patch', input: { patch: patch.join('\n') } }] }];
  },
  switchOff: (demo) => {
    mkdirSync(join(demo.home, '.codex'), { recursive: true });
    appendFileSync(configFile(demo), '\n[features]\nhooks = false\n');
  },
  switchedOffSaid: /features\.hooks/,
  ownFiles: /^\.codex\/(?!(?:config\.toml|hooks\.json)$)|^\.(?:cache|local)(?:\/|$)/,
  workerInstall: ['--trust'],
  worker: { model: PLAIN_TOOLS_MODEL, permissions: 'full' },
  stories: [untrusted(), subAgentInCodeMode(), plugin()],
};

function optionsWith(url: string): readonly string[] {
  return [
    '--skip-git-repo-check',
    '--dangerously-bypass-approvals-and-sandbox',
    ...['-c', `model_auto_compact_token_limit=${COMPACT_TOKENS}`],
    ...['-c', `model_providers.here.base_url="${url}/v1"`],
  ];
}

function settings(url: string): string {
  return `# what the user wrote stays
model = "${PLAIN_TOOLS_MODEL}"
model_provider = "here"
check_for_update_on_startup = false

[model_providers.here]
name = "here"
base_url = "${url}/v1"
wire_api = "responses"
env_key = "${KEY_VARIABLE}"
request_max_retries = 0
stream_max_retries = 0
supports_websockets = false

[analytics]
enabled = false
`;
}

/** Such a model is given one tool that runs scripts, and its sub-agents as well. */
const SCRIPTING_MODEL = 'gpt-6.1-sol';

function subAgentInCodeMode(): Story {
  const script = (command: string): Turn => ({
    use: [
      {
        name: 'exec',
        input: {
          text: `text(JSON.stringify(await tools.exec_command({ cmd: ${JSON.stringify(command)} })))`,
        },
      },
    ],
  });
  const spawn = { task_name: 'pusher', message: 'Push it.', fork_turns: 'none' };
  // Parent and child ask for their turns in no fixed order.
  const turn = (shown: string): Turn => {
    if (shown.includes('NEW_TASK')) return script(PUSH);
    if (shown.includes('Script ')) return { say: 'I tried.' };
    if (shown.includes('Do the task.')) return { use: [{ name: 'spawn_agent', input: spawn }] };
    if (!shown.includes('/root/pusher')) return { say: 'Done.' };
    return { use: [{ name: 'wait_agent', input: { timeout_ms: 30_000 } }] };
  };
  return {
    name: 'a push by a sub-agent, in code mode',
    run: async (client, demo, check) => {
      const driver: Driver = {
        ...CODEX,
        headless: (...given) => {
          const run = CODEX.headless(...given);
          return { ...run, args: ['exec', '-m', SCRIPTING_MODEL, ...run.args.slice(1)] };
        },
      };
      const start = await setUpProject(demo);
      await install(driver, demo);
      demo.write(SOURCE, 'export const port = 4000;\n');
      await demo.git('commit', '--quiet', '--all', '--message', 'Change the port');
      const ran = await runTurns(
        driver,
        client,
        demo,
        Array.from({ length: 9 }, () => turn),
      );
      const shown = ran.shown.join('\n---\n');
      check(
        'the sub-agent is told that it is held',
        shown.includes('lanehold holds `git push`'),
        shown,
      );
      check('nothing reached the remote', ran.remote.at(-1) === start, shown);
      await checkNoGaps(check, demo);
    },
  };
}

/** The client skips hooks that nobody has trusted, without a word. */
function untrusted(): Story {
  const trusting = (demo: DemoProject) => {
    const [program, ...args] = cliCommand();
    const options = ['--agent', 'codex', '--user', '--yes', '--no-git-hook', '--trust'];
    return succeed(demo, program, [...args, 'install', ...options]);
  };
  return {
    name: 'hooks that nobody has trusted, and then somebody has',
    run: async (client, demo, check) => {
      const driver: Driver = {
        ...CODEX,
        headless: (project, model, asked) => ({
          ...CODEX.headless(project, model, asked),
          args: ['exec', ...optionsWith(model.url), asked.prompt],
        }),
      };
      const start = await setUpProject(demo);
      await install(driver, demo);
      const doctor = await demo.run('lanehold', ['doctor']);
      check('doctor says that they are not trusted', /trust/.test(doctor.stdout), doctor.stdout);
      check('and fails', doctor.code !== 0, doctor.stdout);
      await trusting(demo);
      const change = changeTurns(driver, demo);
      const push: Turn = { use: [driver.shell(PUSH)] };
      const held = await runTurns(driver, client, demo, [...change, push, { say: 'Done.' }]);
      checkDenial(check, held, change.length + 1);
      check('nothing left', held.remote.at(-1) === start, held.shown.at(-1));
      const after = await demo.run('lanehold', ['doctor']);
      check('doctor is content', after.code === 0, after.stdout);
    },
  };
}

/** Installed and removed by the client's own commands. */
function plugin(): Story {
  return {
    name: 'a plugin alone: held, verified, pushed, removed',
    run: async (client, demo, check) => {
      const start = await setUpProject(demo);
      const codex = (...args: string[]) => succeed(demo, client, ['plugin', ...args]);
      await codex('marketplace', 'add', cloneFolder(demo));
      await codex('add', PLUGIN_ID);
      const before = await demo.run('lanehold', ['doctor']);
      const isAsked = /does not trust the hooks/.test(before.stdout) && before.code !== 0;
      check('doctor says that they are not trusted, and fails', isAsked, before.stdout);
      const change = changeTurns(CODEX, demo);
      const turn = (command: string): Turn => ({ use: [CODEX.shell(command)] });
      const ran = await runTurns(CODEX, client, demo, [
        ...change,
        turn(PUSH),
        (shown) => turn(wayOut(shown)),
        { say: 'Done.' },
      ]);
      checkDenial(check, ran, change.length + 1);
      check('nothing left before', ran.remote[change.length + 1] === start);
      const head = await demo.git('rev-parse', 'HEAD');
      check('one command verifies, and pushes', ran.remote.at(-1) === head, ran.shown.at(-1));
      const left = await succeed(demo, 'lanehold', ['uninstall', '--dry-run']);
      const isNamed = left.includes(`codex plugin remove ${PLUGIN_ID}`);
      check('uninstall names the command that removes it', isNamed, left);
      await codex('remove', PLUGIN_ID);
      const after = await demo.run('lanehold', ['doctor']);
      const isGone = after.stdout.includes('its plugin was removed') && after.code === 1;
      check('once it is removed, doctor says so', isGone, after.stdout);
    },
  };
}
