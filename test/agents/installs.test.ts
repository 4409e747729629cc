/** What holds for the files of every agent that can be installed, over prepared homes. */
import {
  chmodSync,
  cpSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import type { InstallFile } from '../../src/agents/install.ts';
import { type Shim, shimInLine } from '../../src/agents/kit/hook-shim.ts';
import { OWN_FILE_MARK } from '../../src/agents/kit/own-file.ts';
import { installHooks, uninstallHooks } from '../../src/app/setup/installation.ts';
import { attempt } from '../../src/base/errors.ts';
import { packageRoot } from '../../src/base/files/package.ts';
import { sha256 } from '../../src/base/text/sha256.ts';
import { shellQuoted } from '../../src/base/text/shell-quote.ts';
import { hookScriptFile } from '../../src/install/hook-script.ts';
import { installers } from '../../src/install/targets.ts';
import { type Sandbox, sandbox } from '../install/sandbox.ts';

vi.mock(import('../../src/base/files/package.ts'), { spy: true });

const ROOT = resolve(import.meta.dirname, '../..');
const ALL = await installers();

/** The end of the path of what the hooks of the sandbox start; its start may have to be quoted. */
const HOOK = 'package/hooks/lanehold-hook.cjs';

/** Every file, folder and link below the home of the user, but for lanehold's own. */
function snapshot({ home }: Sandbox): Record<string, string> {
  const paths = readdirSync(home, { recursive: true, encoding: 'utf8' }).sort();
  const others = paths.filter((path) => !/^\.lanehold(?:\/|$)/.test(path));
  return Object.fromEntries(others.map((path) => [path, describedAt(join(home, path))]));
}

function describedAt(path: string): string {
  const stats = lstatSync(path);
  if (stats.isSymbolicLink()) return `-> ${readlinkSync(path)}`;
  return stats.isDirectory() ? 'folder' : `${stats.mode & 0o777} ${readFileSync(path, 'utf8')}`;
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** Without the modes of files. */
const texts = (all: Readonly<Record<string, string>>) =>
  Object.entries(all).map(([path, told]) => [path, told.replace(/^\d+ /, '')]);

/** With other lines of ours; what is no JSON without its last line. */
function asOlder(text: string, olderLine: (line: string) => string): string {
  if (!text.startsWith('{')) return `${text.trimEnd().split('\n').slice(0, -1).join('\n')}\n`;
  const strings = text.match(/"(?:[^"\\]|\\.)*"/g) ?? [];
  return strings.reduce((older, it) => {
    const line: string = JSON.parse(it);
    return older.replace(it, () => JSON.stringify(shimInLine(line) ? olderLine(line) : line));
  }, text);
}

function shimOf(line: string): Shim {
  const shim = shimInLine(line);
  if (shim === undefined) throw new Error(`not ours: ${line}`);
  return shim;
}

const OLDER_LINES: Readonly<Record<string, (line: string) => string>> = {
  'with a copy of the script': (line) => {
    const { node, hook, given } = shimOf(line);
    const words = ['node=$1 hook=$2 refusal=$3\nshift 3', 'lanehold', node, hook, '{}', ...given];
    return `/bin/sh -c ${words.map(shellQuoted).join(' ')}`;
  },
  'that refuses nothing itself': (line) => {
    const { node, hook, script, settings, given } = shimOf(line);
    const launch = `node=$1 hook=$2 script=$3 settings=$4; shift 4; [ -f "$script" ] && exec /bin/sh "$script" "$node" "$hook" "$settings" "$@"; [ -f "$hook" ] && [ -x "$node" ] && exec "$node" "$hook" "$@"; exit 0`;
    if (line.startsWith('/bin/sh')) {
      const words = [launch, 'lanehold', node, hook, script, settings, ...given];
      return `/bin/sh -c ${words.map(shellQuoted).join(' ')}`;
    }
    const start = [node, hook, ...given].map(shellQuoted).join(' ');
    const all = [script, node, hook, settings, ...given, 'lanehold'].map(shellQuoted).join(' ');
    return `[ -f ${shellQuoted(script)} ] || { [ -f ${shellQuoted(hook)} ] && [ -x ${shellQuoted(node)} ] && exec ${start}; exit 0; }; exec /bin/sh ${all}`;
  },
};

/** An earlier version has recorded it. */
function asOlderRecord({ laneholdHome }: Sandbox): void {
  const file = join(laneholdHome, 'manifest.json');
  const { installations, ...rest } = JSON.parse(readFileSync(file, 'utf8'));
  const older = installations.map((it: { target: string }) => ({
    ...it,
    version: '0.0.1',
    after: sha256(readFileSync(it.target, 'utf8')),
  }));
  writeFileSync(file, JSON.stringify({ ...rest, installations: older }));
}

function nearestFolder(path: string): string {
  return existsSync(path) ? path : nearestFolder(dirname(path));
}

/**
 * Root may write anywhere: then the work is done as a user without privileges, who may not be able to enter
 * this checkout. So the files of the package that an installation reads are read from a copy.
 */
async function asOrdinaryUser(box: Sandbox, work: () => Promise<void>): Promise<void> {
  const { geteuid, seteuid } = process;
  if (geteuid?.() !== 0 || seteuid === undefined) return work();
  for (const name of ['dist/lanehold-hook.sh', 'hooks', 'skills']) {
    cpSync(join(ROOT, name), join(box.root, 'package', name), { recursive: true });
  }
  vi.mocked(packageRoot).mockReturnValue(join(box.root, 'package'));
  for (const path of readdirSync(box.root, { recursive: true, encoding: 'utf8' })) {
    lchownSync(join(box.root, path), 65_534, 65_534);
  }
  lchownSync(box.root, 65_534, 65_534);
  seteuid(65_534);
  try {
    await work();
  } finally {
    seteuid(0);
    vi.mocked(packageRoot).mockReturnValue(ROOT);
  }
}

describe.each(ALL.map((it) => [it.name, it] as const))('%s', (name, installer) => {
  const start = async (box: Sandbox, hook = box.runtime.hook) => {
    const { context } = box.context();
    const done = await installHooks(
      context,
      { agents: [name], scope: 'user', dryRun: false },
      { ...box.runtime, hook },
    );
    return done.agents[0].files;
  };
  const remove = (box: Sandbox, dryRun = false) =>
    uninstallHooks(box.context().context, { agents: [name], dryRun });
  const filesOf = (box: Sandbox): readonly InstallFile[] =>
    installer.files('user', box.context().context, {
      ...box.runtime,
      script: hookScriptFile({ root: box.laneholdHome }),
    });

  /** JSON that others write as well. */
  const isShared = ({ file, editor }: InstallFile): boolean =>
    file.endsWith('.json') &&
    !editor.plan(file, { current: undefined, bare: undefined }).text.includes(OWN_FILE_MARK);

  /** As it is installed in an empty home, but for hooks of another program. */
  function withForeignHooks(box: Sandbox): void {
    for (const { file, editor, extra } of filesOf(box)) {
      if (extra === 'statusline') continue;
      const { text } = editor.plan(file, { current: undefined, bare: undefined });
      const foreign = text
        .replaceAll(/(['"])lanehold\1/g, '$1other$1')
        .replaceAll(HOOK, 'elsewhere.cjs');
      if (foreign !== text && !text.includes(OWN_FILE_MARK)) write(file, foreign);
    }
  }

  const HOMES: readonly (readonly [string, (box: Sandbox) => void])[] = [
    ['empty', () => undefined],
    [
      'rich',
      (box) => {
        for (const it of filesOf(box)) {
          const { file } = it;
          if (isShared(it)) write(file, '{\n\t"theme" :  "dark",\n\t"list": [1,2]\n}');
          write(join(dirname(file), 'notes.md'), 'mine\n');
        }
      },
    ],
    ['with foreign hooks', withForeignHooks],
    [
      'with empty files',
      (box) => {
        for (const it of filesOf(box)) if (isShared(it)) write(it.file, '');
      },
    ],
    [
      'with comments, where the agent reads them',
      (box) => {
        const text = '{\n  // mine\n  "theme": "dark", /* and */\n  "list": [1, 2,],\n}\n';
        for (const it of filesOf(box)) {
          const current = { current: text, bare: text };
          if (isShared(it) && attempt(() => it.editor.plan('', current))) write(it.file, text);
        }
      },
    ],
    [
      'with files that nobody may write',
      (box) => {
        withForeignHooks(box);
        for (const { file } of filesOf(box)) if (existsSync(file)) chmodSync(file, 0o440);
      },
    ],
    [
      'with links to dotfiles that only their owner may read',
      (box) => {
        withForeignHooks(box);
        for (const [at, { file }] of filesOf(box).entries()) {
          if (!existsSync(file)) continue;
          const real = join(box.home, `dotfiles/${at}-${basename(file)}`);
          write(real, readFileSync(file, 'utf8'));
          chmodSync(real, 0o600);
          rmSync(file);
          symlinkSync(real, file);
        }
      },
    ],
  ];

  test.each(HOMES)('a home that is %s: once, twice, anew, and as it was', async (_, prepare) => {
    const box = sandbox();
    prepare(box);
    const before = snapshot(box);
    expect((await start(box)).map(({ state }) => state)).not.toContain('current');
    const once = snapshot(box);
    expect(once).not.toEqual(before);
    expect((await start(box)).every(({ state }) => state === 'current')).toBe(true);
    expect(snapshot(box)).toEqual(once);

    const moved = box.put('moved/hooks/lanehold-hook.cjs', '');
    const [hooks] = await start(box, moved);
    expect(hooks?.state).toBe('upgrade');
    const said = Object.values(snapshot(box)).join('\n');
    expect(said).toContain('moved/hooks/lanehold-hook.cjs');
    expect(said).not.toContain(HOOK);

    expect((await remove(box, true)).removed).not.toEqual([]);
    await remove(box);
    expect(snapshot(box)).toEqual(before);
    expect((await remove(box)).removed).toEqual([]);
  });

  const OLDER = HOMES.flatMap(([home, prepare]) =>
    Object.entries(OLDER_LINES).map(([form, line]) => [home, form, prepare, line] as const),
  );

  describe.each(OLDER)(
    'a home that is %s: lines of an older version %s',
    (_h, _f, prepare, line) => {
      async function withOlderLines() {
        const box = sandbox();
        prepare(box);
        const before = snapshot(box);
        const files = await start(box);
        const fresh = snapshot(box);
        for (const { file } of files) {
          const older = asOlder(readFileSync(file, 'utf8'), line);
          const target = realpathSync(file);
          chmodSync(target, 0o600);
          writeFileSync(target, older);
        }
        asOlderRecord(box);
        return { box, before, fresh };
      }

      test('are brought up to date, and go', async () => {
        const { box, before, fresh } = await withOlderLines();
        expect((await start(box)).map(({ state }) => state)).not.toContain('new');
        expect(texts(snapshot(box))).toEqual(texts(fresh));
        await remove(box);
        expect(texts(snapshot(box))).toEqual(texts(before));
        expect((await remove(box)).removed).toEqual([]);
      });

      test('go as they are', async () => {
        const { box, before } = await withOlderLines();
        await remove(box);
        expect(texts(snapshot(box))).toEqual(texts(before));
      });
    },
  );

  test('two at once: one of them installs, and the other finds it done', async () => {
    const box = sandbox();
    withForeignHooks(box);
    const before = snapshot(box);
    const both = await Promise.all([start(box), start(box)]);
    const written = filesOf(box).filter(({ extra }) => extra !== 'statusline');
    for (const at of written.keys()) {
      const states = both.map((files) => files[at]?.state);
      expect(states.toSorted()).toEqual(['current', 'new']);
    }
    await remove(box);
    expect(snapshot(box)).toEqual(before);
  });

  test('where nothing can be written, it says so and changes nothing; so does its removal', async () => {
    // All modules are loaded: another user may not read them.
    const other = sandbox();
    await start(other);
    await remove(other);
    const box = sandbox();
    withForeignHooks(box);
    const before = snapshot(box);
    for (const { file } of filesOf(box).filter(({ extra }) => extra === undefined)) {
      const closed = nearestFolder(dirname(file));
      await asOrdinaryUser(box, async () => {
        chmodSync(closed, 0o500);
        await expect(start(box)).rejects.toThrow('permission denied');
        chmodSync(closed, 0o700);
      });
      expect(snapshot(box)).toEqual(before);
    }
    await asOrdinaryUser(box, async () => {
      const [hooks] = await start(box);
      const installed = readFileSync(hooks?.file ?? '', 'utf8');
      chmodSync(dirname(hooks?.file ?? ''), 0o500);
      const { failed } = await remove(box);
      // Skills are copied where this user may read them, and their folder stays then as well.
      expect(failed).not.toEqual([]);
      for (const { message } of failed) expect(message).toContain('permission denied');
      expect(readFileSync(hooks?.file ?? '', 'utf8')).toBe(installed);
      chmodSync(dirname(hooks?.file ?? ''), 0o700);
      expect((await remove(box)).failed).toEqual([]);
    });
    expect(texts(snapshot(box))).toEqual(texts(before));
  });

  test('what the user adds later stays', async () => {
    const box = sandbox();
    const files = await start(box);
    const [hooks] = files;
    if (!hooks?.file.endsWith('.json')) return;
    const text = readFileSync(hooks.file, 'utf8');
    writeFileSync(hooks.file, text.replace('{', '{\n  "later": [true],'));
    await start(box, box.put('moved/hook.cjs', ''));
    await remove(box);
    expect(JSON.parse(readFileSync(hooks.file, 'utf8'))).toMatchObject({ later: [true] });
    expect(readFileSync(hooks.file, 'utf8')).not.toContain('lanehold');
  });

  test('what it cannot read, or what is not its own, is refused and nothing is written', async () => {
    for (const { file, what } of filesOf(sandbox())) {
      const box = sandbox();
      const meant = filesOf(box).find((it) => it.what === what)?.file ?? file;
      const text = '{"a": [1, }\n';
      write(meant, text);
      const before = snapshot(box);
      // A block is put below any text.
      const refused = await start(box).then(
        () => false,
        () => true,
      );
      if (refused) expect(snapshot(box)).toEqual(before);
      else expect(readFileSync(meant, 'utf8').startsWith(text)).toBe(true);
    }
  });

  test('it is found by its folders, and by its programs', () => {
    const box = sandbox();
    const { folders, programs } = installer.signs(box.context().context);
    expect(folders.length + programs.length).toBeGreaterThan(0);
    for (const it of folders) expect(it.startsWith('/')).toBe(true);
  });

  test('its samples are what its adapter understands', async () => {
    const { findHookAgent } = await import('../../src/agents/registry.ts');
    const adapter = findHookAgent(name)?.hooks.adapter;
    for (const { as, payload } of installer.samples('/work')) {
      expect(adapter?.parse(as, payload, '/work')).toBeDefined();
    }
    expect(installer.samples('/work').map(({ as }) => as)).toContain('before-tool');
  });
});

test('all in one home, in any order, and one after the other out of it again', async () => {
  for (const order of [ALL, [...ALL].reverse()]) {
    const box = sandbox();
    const before = snapshot(box);
    const { context } = box.context();
    const names = ALL.map(({ name }) => name);
    await installHooks(context, { agents: names, scope: 'user', dryRun: false }, box.runtime);
    for (const { name } of order) {
      await uninstallHooks(context, { agents: [name], dryRun: false });
      const left = await installHooks(
        context,
        { agents: [name], scope: 'user', dryRun: true },
        box.runtime,
      );
      const others = order.slice(order.findIndex((it) => it.name === name) + 1);
      const kept = others.flatMap((it) => sharedFiles(box, it));
      for (const { file, state } of left.agents[0].files) {
        expect({ file, state }).toEqual({ file, state: kept.includes(file) ? 'current' : 'new' });
      }
    }
    expect(snapshot(box)).toEqual(before);
  }
});

function sharedFiles(box: Sandbox, installer: (typeof ALL)[number]): readonly string[] {
  return sharedRows(box, installer).map(({ file }) => file);
}

function sharedRows(box: Sandbox, installer: (typeof ALL)[number]): readonly InstallFile[] {
  const { context } = box.context();
  return installer.files('user', context, box.start).filter(({ shared }) => shared);
}

describe('a file that several agents read', () => {
  const groupsOf = (box: Sandbox) =>
    Map.groupBy(
      ALL.flatMap((it) =>
        sharedRows(box, it)
          // `test/agents/kit/skills.test.ts` has the skills.
          .filter(({ extra }) => extra === undefined)
          .map(({ file }) => ({ file, agent: it.name })),
      ),
      ({ file }) => file,
    );

  test.each([
    ['was not there', undefined],
    ['was there', '{\n\t"version": 1, "hooks": { "agentStop": [ ] }\n}'],
  ])('and that %s is written once, and goes with the last', async (_, text) => {
    for (const [place, members] of groupsOf(sandbox())) {
      const names = members.map(({ agent }) => agent);
      expect(names.length).toBeGreaterThan(1);
      for (const [first, last] of [names, names.toReversed()]) {
        const box = sandbox();
        const { context } = box.context();
        const file = [...groupsOf(box).keys()].find((it) => basename(it) === basename(place)) ?? '';
        if (text !== undefined) write(file, text);
        const before = snapshot(box);
        const put = (agent = '', runtime = box.runtime) =>
          installHooks(
            context,
            { agents: [agent], scope: 'user', dryRun: false, extras: [] },
            runtime,
          );
        const take = (agents: readonly string[] | undefined, dryRun = false) =>
          uninstallHooks(context, { agents, dryRun });
        await put(first);
        const once = snapshot(box);
        expect((await put(last)).agents[0].files.map(({ state }) => state)).toEqual(['current']);
        expect(snapshot(box)).toEqual(once);
        // Brought up to date for one of them, and for the other with it.
        await put(last, { ...box.runtime, hook: box.put('moved/hook.cjs', '') });
        const moved = snapshot(box);
        const all = await take(undefined, true);
        expect(all.removed.map((it) => it.file)).toEqual([file]);
        expect(await take([first ?? ''])).toMatchObject({
          removed: [],
          left: [`${file}, which other agents read as well`],
        });
        expect(snapshot(box)).toEqual(moved);
        await take([last ?? '']);
        expect(snapshot(box)).toEqual(before);
      }
    }
  });
});
