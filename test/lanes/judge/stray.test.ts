/** What a lane has added that belongs into no commit; and what looks like it and does not. */
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { gitIn } from '../../../src/base/git/git-in.ts';
import { leavesMarkers, strayFlags } from '../../../src/lanes/judge/stray.ts';
import { sandbox } from '../../support/sandbox.ts';

const OPEN = `${'<'.repeat(7)} HEAD`;
const CLOSE = `${'>'.repeat(7)} theirs`;
/** Made up, in two parts, so that no scanner takes this file for a leak. */
const TOKEN = `ghp_${'Kq7Zt2Lm9Xw4Rb8Nv3Yc6Pd1Hs5Jf0Ge2Ua7Tk'}`;
const KEY_BODY = 'MC4CAQAwBQYDK2VwBCIEIJ8pQ2rT5vX1zL4nB7cF9kH3mD6sW0yG2tR8uE5aN1iO';
const KEY = `-----BEGIN ${'PRIVATE KEY'}-----\n${KEY_BODY}\n-----END ${'PRIVATE KEY'}-----\n`;

const BASE = {
  'docs/merging.md': `# Merging\n\n${OPEN}\nours\n=======\ntheirs\n${CLOSE}\n`,
  'test/fixtures/token.txt': `${TOKEN}\n`,
  'src/a.js': 'one\ntwo\n',
};

test('markers, secrets and links that were added are flagged by file and line; their twins are not', async () => {
  const box = sandbox();
  const repo = box.repo();
  const git = gitIn(repo, box.env);
  const write = (files: Readonly<Record<string, string>>) => {
    for (const [path, text] of Object.entries(files)) box.write(join(repo, path), text);
  };
  const link = (path: string, target: string) => {
    mkdirSync(dirname(join(repo, path)), { recursive: true });
    symlinkSync(target, join(repo, path));
  };
  write(BASE);
  const base = box.commit(repo);
  const flagsAfter = async (change: () => void) => {
    change();
    const sha = box.commit(repo);
    const flags = await strayFlags(git, base, sha);
    box.git(repo, 'reset', '--hard', '--quiet', base);
    return flags;
  };
  const cases: readonly (readonly [() => void, readonly string[]])[] = [
    [
      () =>
        write({ 'src/a.js': `one\n${OPEN}\ntwo\n=======\n2\n${CLOSE}\n`, 'b.txt': `${CLOSE}\n` }),
      ['conflict-markers: ["b.txt:1","src/a.js:2","src/a.js:4","src/a.js:6"]'],
    ],
    [
      () => write({ 'src/a.js': `one\r\n${'<'.repeat(7)}\r\n` }),
      ['conflict-markers: ["src/a.js:2"]'],
    ],
    // Headings, a longer row, a quotation, a document that had them, the same one in another place.
    [
      () =>
        write({
          'README.md': `Title\n=======\n\n${'<'.repeat(30)}\n\n    ${OPEN}\n>>>> quoted\n`,
          'docs/merging.md': `Before\n${BASE['docs/merging.md']}after\n`,
        }),
      [],
    ],
    [() => renameSync(join(repo, 'docs'), join(repo, 'manual')), []],
    [
      () =>
        write({
          'src/a.js': `one\nconst token = '${TOKEN.replace('Kq7', 'Zz8')}';\ntwo\n`,
          'k.pem': KEY,
        }),
      ['secrets-added: ["k.pem:1 (private-key)","src/a.js:2 (github)"]'],
    ],
    // Placeholders, a program that reads keys, a fixture of the base in another place.
    [
      () => {
        write({
          '.env.example': `API_KEY=your-api-key-here\nGITHUB_TOKEN=ghp_${'x'.repeat(36)}\n`,
          'src/key.js': `const first = '-----BEGIN ${'PRIVATE KEY'}-----';\nconst id = 'AKIAIOSFODNN7EXAMPLE';\n`,
          'src/db.js':
            "connect('postgres://me:hunter22@localhost/db', { password: 'correct-horse-7' });\n",
        });
        renameSync(join(repo, 'test/fixtures'), join(repo, 'test/data'));
      },
      [],
    ],
    [
      () => {
        link('out', '/etc/passwd');
        link('src/up', '../../elsewhere');
        link('src/through', 'dir/../../x');
      },
      [
        'links-outside: ["out -> /etc/passwd","src/through -> dir/../../x","src/up -> ../../elsewhere"]',
      ],
    ],
    [
      () => {
        link('src/readme', '../docs/merging.md');
        link('src/..b', './a.js');
      },
      [],
    ],
  ];
  for (const [change, expected] of cases) expect(await flagsAfter(change)).toEqual(expected);

  // Longer markers, as an attribute asks for, and another encoding.
  const utf16 = (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le').toString('latin1');
  write({ 'a.txt': `${'<'.repeat(20)} HEAD\n` });
  writeFileSync(join(repo, 'b.txt'), utf16(`key = ${TOKEN}\n`), 'latin1');
  expect(await flagsAfter(() => undefined)).toEqual([
    'conflict-markers: ["a.txt:1"]',
    expect.stringMatching(/^secrets-added: \["b\.txt:1 \(/),
  ]);

  // What a later commit takes away is in the history that is merged.
  const inHistory = (text: string) => {
    write({ 'src/key.js': text });
    box.commit(repo);
    write({ 'src/key.js': 'export const key = process.env.KEY;\n' });
  };
  expect(await flagsAfter(() => inHistory(`export const key = '${TOKEN}';\n`))).toEqual([
    expect.stringMatching(/^secrets-added: \["commit [0-9a-f]{7,} \(.*land --squash/),
  ]);
  expect(await flagsAfter(() => inHistory("export const key = 'your-key-here';\n"))).toEqual([]);

  // What others have merged into it is theirs, also where they have taken it away since.
  expect(
    await flagsAfter(() => {
      box.git(repo, 'checkout', '--quiet', '-b', 'theirs');
      write({ 'src/key.js': `export const key = '${TOKEN}';\n` });
      box.commit(repo);
      box.git(repo, 'checkout', '--quiet', '-');
      box.git(repo, 'merge', '--quiet', '--no-ff', '--no-edit', 'theirs');
      write({ 'src/key.js': 'export const key = process.env.KEY;\n' });
    }),
  ).toEqual([]);

  // Code that knows what runs its tests, which tests may and other code rarely has to.
  const knowing = [
    ["import assert from 'node:assert';", 'assert.equal = () => {};'],
    ['if (process.env.NODE_ENV === "test") return 3;', 'const it = process.env.VITEST_WORKER_ID;'],
    ['import _pytest.python', 'os._exit(0)'],
    ['if cfg!(test) { return 3; }', '#[cfg(not(test))]', 'println!("test result: ok");'],
    ['\t"testing"', 'if flag.Lookup("test.v") != nil {', 'fmt.Print("--- PASS: TestBulk")'],
  ];
  const endings = ['js', 'ts', 'py', 'rs', 'go'];
  const reaching = await flagsAfter(() => {
    for (const [at, lines] of knowing.entries())
      write({
        [`src/x.${endings[at]}`]: `${lines.join('\n')}\n`,
        [`test/x_test.${endings[at]}`]: `${lines.join('\n')}\n`,
      });
  });
  expect(reaching).toEqual([
    'runner-in-code: ["src/x.go:1","src/x.go:2","src/x.go:3","src/x.js:2","src/x.py:1","src/x.py:2","src/x.rs:1","src/x.rs:2","src/x.rs:3","src/x.ts:1","src/x.ts:2"]',
  ]);
  const plain = {
    'src/y.js':
      "import assert from 'node:assert';\nconst env = process.env.NODE_ENV;\nprocess.exit(1);\n",
    'src/y.py': 'import sys\nsys.exit(1)\nlatest_result = 1\n',
    'src/y.rs': '#[cfg(test)]\nmod tests {}\n#[cfg(unix)]\nfn x() {}\n',
    'src/y.go': 'os.Exit(1)\nfmt.Print("PASS")\n',
  };
  expect(await flagsAfter(() => write(plain))).toEqual([]);

  // A merge that leaves markers of its own, and one of a side that documents them.
  write({ 'src/a.js': `one\n${OPEN}\ntwo\n` });
  const merged = box.commit(repo);
  write({ 'src/a.js': 'one\n2\n' });
  const side = box.commit(repo);
  expect(await leavesMarkers(git, [base, side], merged)).toBe(true);
  expect(await leavesMarkers(git, [base, merged], merged)).toBe(false);
});
