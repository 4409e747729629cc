import { addFeature, removeFeature, shareFeatures } from '../../../app/hold/feature-editing.ts';
import * as features from '../../../app/hold/features.ts';
import { pendingFeatures } from '../../../app/hold/holds.ts';
import { learnFiles } from '../../../app/hold/learning.ts';
import * as verification from '../../../app/hold/verification.ts';
import { holdByDefault } from '../../../app/setup/git-hook.ts';
import { countOf, durationOf, given, timeoutOf } from '../../../app/values.ts';
import { ExitCode, UsageError } from '../../../base/errors.ts';
import { printable } from '../../../base/text/printable.ts';
import * as words from '../../words/features.ts';
import { learnedText } from '../../words/learning.ts';
import { verificationProgress, verificationText, waivedText } from '../../words/verification.ts';
import { type Context, canAnswer, command, group, INTERRUPTED, interruptible } from '../command.ts';

const add = command({
  name: 'add',
  about: 'Register a feature: which files it is made of, and which commands prove it',
  args: [['<name>', 'lower-case name, such as `checkout` or `api/orders`']],
  options: [
    ['--files <glob...>', 'files from the repository root; a leading ! excludes'],
    ['--rest', 'each file that no other feature has; documents and settings do not count'],
    ['--smoke <command...>', 'command that passes when the feature works; run in a shell'],
    ['--depends-on <name...>', 'features whose changes concern this one, too'],
    ['--description <text>', 'what the feature is'],
    ['--timeout <duration>', 'how long each command may run: 90s, 10m, 1h'],
    ['--cwd <folder>', 'folder to run the commands in, from the repository root'],
    ['--shared', 'write it to lanehold.json, for everybody; else only this machine knows it'],
    ['--replace', 'replace the feature of this name; what is not given stays as it is'],
  ],
  examples: [
    ["lanehold feature add cart --files 'src/cart/**' --smoke 'npm test'", 'one folder'],
    [
      "lanehold feature add checkout --files 'src/checkout/**' '!**/*.md' --smoke 'npm test' --depends-on cart --shared",
      'checked again when cart changes; for the whole team',
    ],
    ["lanehold feature add rest --rest --smoke 'npm test' --shared", 'nothing is in no feature'],
    ["lanehold feature add api --replace --smoke 'make smoke' --timeout 20m", 'another smoke test'],
  ],
  async run(context, name, { timeout, ...wish }) {
    const timeoutMs = given(timeoutOf, timeout);
    const added = await addFeature(context, name, { ...wish, timeoutMs });
    const held = added.shared ? await heldByDefault(context) : [];
    return context.print(added, (it) => [words.addedText(it), ...held].join('\n'));
  },
});

/** If a person is at the terminal, git holds pushes from a clone once it has shared features. */
async function heldByDefault(context: Context): Promise<string[]> {
  if (!canAnswer(context)) return [];
  const file = await holdByDefault(context);
  if (file === undefined) return [];
  return [
    `git holds pushes from this clone, by ${printable(file)}`,
    'hint: undo with `lanehold git-hook remove`',
  ];
}

const list = command({
  name: 'list',
  about:
    'List the features of this project, changed or not, and whether each is verified right now',
  examples: [
    ['lanehold feature list', 'a table for people'],
    ['lanehold feature list --json', 'definitions and fingerprints for programs'],
  ],
  run: async (context) =>
    context.print(await features.listFeatures(context), (it) => words.listText(it, context.now())),
});

const show = command({
  name: 'show',
  about: 'Show one feature: its files, its smoke tests, and whether it is verified',
  args: [['<name>']],
  examples: [
    ['lanehold feature show checkout', 'what it is and whether it is verified'],
    ['lanehold feature show checkout --verbose', 'with every file and the fingerprint'],
  ],
  run: async (context, name) =>
    context.print(await features.showFeature(context, name), (it) => words.shownText(it, context)),
});

const remove = command({
  name: 'remove',
  about: 'Remove a feature from the registry (not while others have it and it is held)',
  args: [['<name>']],
  examples: [['lanehold feature remove legacy-cart', 'its evidence is kept']],
  async run(context, name) {
    const removed = await removeFeature(context, name);
    const from = removed.origin === 'local' ? 'this machine' : 'lanehold.json';
    return context.print(removed, `Removed feature ${name} from ${from}`);
  },
});

const share = command({
  name: 'share',
  about: 'Move features of this machine into lanehold.json, where everybody gets them',
  args: [['[name...]']],
  options: [['--publish-guard', 'let `npm publish` ask the gate first, by `prepublishOnly`']],
  examples: [
    ['lanehold feature share checkout cart', 'then commit lanehold.json'],
    ['lanehold feature share --publish-guard', 'hold publishes from terminals and CI, too'],
  ],
  async run(context, names, { publishGuard = false }) {
    if (names.length === 0 && !publishGuard) {
      throw new UsageError('say which features to share', {
        hint: '`lanehold feature list` names them; or give `--publish-guard`',
      });
    }
    return context.print(await shareFeatures(context, names, { publishGuard }), words.sharedText);
  },
});

const discover = command({
  name: 'discover',
  about: 'Propose features from packages, source folders and their tests; writes nothing',
  options: [
    ['--draft', 'print the lanehold.json that would be written'],
    ['--write', 'add the proposals to lanehold.json', { conflicts: 'draft' }],
    ['--try', 'run each smoke test once first, and propose what its result allows'],
  ],
  examples: [
    ['lanehold feature discover', 'look at the proposals'],
    ['lanehold feature discover --draft', 'see the file that --write would write'],
    ['lanehold feature discover --write', 'add them; what is registered stays as it is'],
  ],
  async run(context, { draft = false, write = false, try: isTried = false }) {
    const { stop, ...progress } = await verificationProgress(context);
    const discovered = await interruptible((signal) => {
      const trying = isTried ? { signal, ...progress } : undefined;
      return features.proposeFeatures(context, { write, trying });
    }).finally(stop);
    if (draft) return context.print(discovered, words.draftText, ExitCode.done, 'as it is');
    const held = discovered.added.length > 0 ? await heldByDefault(context) : [];
    return context.print(discovered, (it) => [words.discoveredText(it), ...held].join('\n'));
  },
});

const learn = command({
  name: 'learn',
  about: 'Propose which files belong to features, by what their smoke tests read',
  args: [['[name...]']],
  options: [['--write', 'change the features; without it the changes are only shown']],
  examples: [
    ['lanehold feature learn', 'run all smoke tests in a temporary checkout, show a diff'],
    ['lanehold feature learn checkout', 'of one feature'],
    ['lanehold feature learn --write', 'the same, and change lanehold.json'],
  ],
  async run(context, names, { write = false }) {
    const { onTest, onStep, stop } = await verificationProgress(context);
    const learned = await interruptible((signal) =>
      learnFiles(context, { features: names, write }, { signal, onTest, onStep }),
    ).finally(stop);
    if (learned === 'interrupted') {
      return context.print({ interrupted: true }, 'Interrupted, nothing written', INTERRUPTED);
    }
    const isWhole = learned.notLearned.every(({ because }) => because === 'no-smoke');
    return context.print(learned, learnedText, isWhole ? ExitCode.done : ExitCode.failed);
  },
});

const coverage = command({
  name: 'coverage',
  about: 'Say which files belong to a feature, which to none, and which patterns are dead',
  examples: [
    ['lanehold feature coverage', 'counts, and the folders that nothing covers'],
    ['lanehold feature coverage --verbose', 'every file that belongs to no feature'],
  ],
  run: async (context) =>
    context.print(await features.featureCoverage(context), (it) => words.coverageText(it, context)),
});

const pending = command({
  name: 'pending',
  about:
    'List what a push would be held for: what changed and is not verified (exit code 3 if any)',
  options: [['--head <revision>', 'look at this revision instead of the working tree']],
  examples: [
    ['lanehold feature pending', 'what a push would be held for'],
    ['lanehold feature pending --head HEAD', 'what a push of the last commit would be held for'],
  ],
  async run(context, { head }) {
    const pending = await pendingFeatures(context, { head });
    const { data } = pending;
    const isFree = data.verdict === 'pass' && data.pushes.length === 0;
    return context.print(data, words.pendingText(pending), isFree ? ExitCode.done : ExitCode.held);
  },
});

const verify = command({
  name: 'verify',
  about: 'Run the smoke tests of features and record how they ended',
  args: [['[name...]']],
  options: [
    ['--pending', 'every feature that is held now'],
    ['--at <revision>', 'in a temporary worktree of this revision, not in the working tree'],
    ['--base <revision>', 'every feature that is held of what this revision lacks, as in CI'],
    ['--again', 'run the tests although somebody of the team has'],
    ['--attest', 'run nothing and answer for it; for features without a smoke test'],
    ['--notes <text>', 'what was checked, for --attest'],
  ],
  examples: [
    ['lanehold feature verify --pending', 'all that a push would be held for'],
    ['lanehold feature verify checkout cart', 'these two'],
    ['lanehold feature verify --base origin/main', 'in CI: what `lanehold gate --base` holds'],
    ['lanehold feature verify checkout --at HEAD', 'the last commit, not the working tree'],
    ["lanehold feature verify docs --attest --notes 'read it through'", 'nothing to run'],
  ],
  async run(context, names, options) {
    const { at, again, base } = options;
    if (names.length === 0 && !options.pending && base === undefined) {
      throw new UsageError('say which features to verify', {
        hint: '`lanehold feature verify --pending`, or their names',
      });
    }
    const isAll = options.pending || names.length === 0;
    const selection = { features: isAll ? undefined : names, at, again, base };
    if (!options.attest) return verifyNow(context, selection);
    const done = await verification.attestSelected(context, selection, options.notes);
    const text = 'attested' in done ? `Attested ${done.attested.join(', ')}` : NOTHING_PENDING;
    return context.print(done, text);
  },
});

async function verifyNow(context: Context, selection: verification.Selection): Promise<number> {
  const { onTest, onStep, stop } = await verificationProgress(context);
  const report = await interruptible((signal) =>
    verification.verifySelected(context, selection, { signal, onTest, onStep }),
  ).finally(stop);
  if (!('features' in report)) return context.print(report, NOTHING_PENDING);
  const exitCode = report.features.some(({ result }) => result === 'interrupted')
    ? INTERRUPTED
    : report.verified
      ? ExitCode.done
      : ExitCode.failed;
  return context.print(report, verificationText(report, context.now()), exitCode);
}

const NOTHING_PENDING = 'Nothing pending';

const waive = command({
  name: 'waive',
  about: 'Let features leave unverified, for exactly their present content',
  args: [['<name...>']],
  options: [
    ['--reason <text>', 'why; it is recorded with your name', { required: true }],
    ['--expires <duration>', 'the waiver ends after this time: 90m, 24h'],
    ['--at <revision>', 'waive the content of this revision instead of the working tree'],
  ],
  examples: [
    ["lanehold feature waive checkout --reason 'the sandbox is down'", 'until the next edit'],
    ["lanehold feature waive checkout --reason 'hotfix' --expires 24h", 'a day at most'],
  ],
  async run(context, names, { reason, expires, at }) {
    const expiresInMs = given(durationOf, expires);
    return context.print(
      await verification.waive(context, { names, reason, at, expiresInMs }),
      waivedText,
    );
  },
});

const history = command({
  name: 'history',
  about: 'Show what was verified, attested, waived or failed, newest first',
  args: [['<name>']],
  options: [['--limit <count>', 'how many records', { default: '20' }]],
  examples: [
    ['lanehold feature history checkout', 'the last twenty records'],
    ['lanehold feature history checkout --json', 'with every run and its output'],
  ],
  async run(context, name, { limit }) {
    const most = countOf(limit);
    const past = await features.featureHistory(context, name, most);
    return context.print(past, words.historyText(past, context));
  },
});

export const declareFeature = group({
  name: 'feature',
  about: 'Register features, verify them, see what is held',
  commands: [
    add,
    list,
    show,
    remove,
    share,
    discover,
    learn,
    coverage,
    pending,
    verify,
    waive,
    history,
  ],
});
