import { expect, onTestFinished, test } from 'vitest';
import { homeOf } from '../../src/base/files/home.ts';
import { EMPTY_OBSERVATION } from '../../src/recall/actions.ts';
import { statementIn } from '../../src/recall/statements.ts';
import { suggestFromSession } from '../../src/recall/suggestions.ts';
import { observationStore } from '../../src/store/observations.ts';
import { openStore } from '../../src/store/open.ts';
import { projectStore } from '../../src/store/projects.ts';
import { recallStore } from '../../src/store/recall.ts';
import { corpus } from '../support/recall-corpus.ts';
import { sandbox } from '../support/sandbox.ts';

test.each([
  ['decision', 'Decision: we keep SQLite.'],
  ['decision', 'We went with Postgres because of its JSON columns.'],
  ['decision', 'Wir haben uns für Redis entschieden.'],
  ['decision', 'On a choisi Vitest plutôt que Jest.'],
  ['decision', 'Hemos decidido usar pnpm.'],
  ['decision', '我们决定使用 PostgreSQL'],
  ['decision', 'PostgreSQL を採用することにしました'],
  ['preference', 'I prefer small commits'],
  ['preference', 'Ich mag kurze Commits lieber'],
  ['preference', 'Je préfère les petits commits'],
  ['preference', 'Prefiero commits pequeños'],
  ['preference', '我更喜欢小的提交'],
  ['preference', '小さいコミットのほうが好きです'],
  ['fact', 'Remember that the staging database resets nightly.'],
  ['fact', 'Merk dir, dass die CI nur mit Node 22 läuft.'],
  ['fact', "N'oublie pas que la base est réinitialisée la nuit."],
  ['fact', 'Recuerda que el despliegue es los martes.'],
  ['fact', '记住预发环境每晚重置'],
  ['fact', 'ステージングは毎晩リセットされることを覚えておいて'],
  ['gotcha', 'Watch out: the cache key ignores the locale.'],
  ['gotcha', 'Never call flush() inside a handler, because it deadlocks.'],
  ['gotcha', 'Achtung, der Port ist 5671.'],
  ['gotcha', 'Attention, le cache ignore la langue.'],
  ['gotcha', 'Cuidado con la caché.'],
  ['gotcha', '注意:缓存不区分语言'],
  ['decision', 'Let’s settle on Kafka for the order events'],
  ['instruction', 'From now on run the linter before each commit.'],
  ['instruction', 'Do not edit the lock file by hand'],
  ['instruction', 'A partir de ahora escribimos siempre en inglés'],
  ['gotcha', 'ログを消さないでください、監査に使うからです。'],
  ['instruction', 'Ab jetzt bitte immer mit Tests.'],
  ['instruction', 'Désormais, lance les tests avant de pousser.'],
  ['instruction', 'A partir de ahora ejecuta los tests.'],
  ['instruction', '从现在起每次都要跑测试'],
  ['instruction', '今後は必ずテストを実行してください'],
] as const)('%s: %s', (kind, sentence) => {
  expect(statementIn(sentence)).toBe(kind);
});

test.each([
  'fix the login bug',
  'run the tests',
  'The function never returns null.',
  'Tests always pass locally.',
  'it always fails on CI',
  'Should we go with Postgres?',
  'Maybe we should always use pnpm',
  'I decided to look at the config first.',
  'Understood, I’ll remember that.',
  'Creo que nunca he visto este error.',
  'Die Tests laufen immer durch.',
  'add a test for the decision table',
])('nothing for good: %s', (sentence) => {
  expect(statementIn(sentence)).toBeUndefined();
});

test.each(['statements', 'statements-second', 'statements-third'] as const)(
  'of the sentences in %s most statements are found, and little else',
  (name) => {
    const all = corpus(name).map(({ text, kind }) => ({ kind, found: statementIn(text) }));
    const right = all.filter(({ kind, found }) => kind !== null && found !== undefined).length;
    const found = all.filter((it) => it.found !== undefined).length;
    const labelled = all.filter(({ kind }) => kind !== null).length;
    expect(right / found).toBeGreaterThanOrEqual(0.9);
    expect(right / labelled).toBeGreaterThanOrEqual(0.7);
  },
);

test('a session suggests what its user and its agent have stated, and nothing that was withdrawn', async () => {
  const store = await openStore(homeOf(sandbox().env));
  onTestFinished(() => store.close());
  const now = new Date();
  const projectId = store.write(() => projectStore(store).ensure('/shop', now));
  const who = { agent: 'claude-code', session: 's1' };
  const said = [
    ['prompt', 'From now on never touch the schema. I prefer small commits.'],
    ['stop', 'Done. We went with Postgres because of its JSON columns. I prefer tabs myself.'],
    ['prompt', 'Always run the linter before a commit.'],
    ['prompt', 'You may touch the schema again.'],
    ['prompt', 'The metrics port is 9200 now. Remember that.'],
    ['prompt', 'Merk dir das bitte.'],
    ['prompt', '记住,测试库每天重置。'],
  ] as const;
  store.write(() => {
    for (const [kind, text] of said) {
      const seen = { ...EMPTY_OBSERVATION, kind, text, at: now };
      observationStore(store).add({ ...seen, ...who, projectId, source: null });
    }
  });
  suggestFromSession(store, who, { now, mode: 'suggest' });
  const made = recallStore(store).list(projectId);
  expect(made.map(({ kind, title }) => `${kind}: ${title}`).sort()).toEqual([
    'decision: We went with Postgres because of its JSON columns.',
    'fact: The metrics port is 9200 now. Remember that.',
    'fact: 记住,测试库每天重置。',
    'instruction: Always run the linter before a commit.',
    'preference: I prefer small commits.',
  ]);
});
