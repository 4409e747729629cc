import { appendFileSync } from 'node:fs';
import { type CommitWish, judgeCommit, judgeShellCommand } from '../../../app/hold/gate.ts';
import type { Revisions } from '../../../app/hold/holds.ts';
import { oneOf } from '../../../app/values.ts';
import { ExitCode, ExplainedError, UsageError } from '../../../base/errors.ts';
import { printableJson } from '../../../base/text/printable.ts';
import * as words from '../../words/gate.ts';
import { type Context, command } from '../command.ts';

const FORMATS = ['text', 'json', 'github'] as const;
type Format = (typeof FORMATS)[number];

export const declareGate = command({
  name: 'gate',
  about: 'Say if it may leave: exit code 0 yes, 3 held, 1 cannot tell',
  options: [
    ['--base <revision>', 'what others have; default: what the upstream branch has'],
    ['--head <revision>', 'what leaves; default: HEAD'],
    ['--command <text>', 'judge this shell command, as the hook of an agent would'],
    ['--explain', 'with --command: what was found in it, how sure, and where'],
    ['--format <format>', 'text, json, or github for workflow annotations', { default: 'text' }],
    ['--allowed-signers <file>', 'who may sign evidence; default: the file of the base, or yours'],
  ],
  examples: [
    ['lanehold gate', 'may HEAD be pushed?'],
    ['lanehold gate --base origin/main --head HEAD --format github', 'in a workflow'],
    ["lanehold gate --command 'git push origin main'", 'what would the hook say?'],
    ["lanehold gate --command 'make ship' --explain", 'what was found in a command?'],
  ],
  async run(context, options) {
    const format = context.json ? 'json' : oneOf('format', FORMATS, options.format);
    try {
      if (options.explain && options.command === undefined) {
        throw new UsageError('--explain explains a command', { hint: "add `--command 'COMMAND'`" });
      }
      return options.command === undefined
        ? await reportCommit(context, options, format)
        : await reportCommand(context, options.command, options, format);
    } catch (error) {
      if (format === 'github' && error instanceof ExplainedError) {
        const { message, hint } = error;
        const text = `lanehold cannot tell: ${message}${hint ? `\nhint: ${hint}` : ''}`;
        await report(context, format, { data: { error: message }, text, held: true });
      }
      throw error;
    }
  },
});

/** The verdict is the first line of the text. */
async function report(
  context: Context,
  format: Format,
  { data, text, held }: { readonly data: object; readonly text: string; readonly held: boolean },
): Promise<number> {
  const exitCode = held ? ExitCode.held : ExitCode.done;
  if (format !== 'github') {
    const shown = format === 'json' ? printableJson(data, 2) : text;
    return context.print(data, shown, exitCode);
  }
  const file = context.env.GITHUB_STEP_SUMMARY;
  if (file) appendFileSync(file, words.githubSummary(text, held));
  return context.print(data, words.githubAnnotations(text, held), exitCode);
}

async function reportCommit(context: Context, wish: CommitWish, format: Format): Promise<number> {
  const answer = await judgeCommit(context, wish);
  const { data, held } = answer;
  return report(context, format, { data, text: words.commitText(answer), held });
}

async function reportCommand(
  context: Context,
  text: string,
  { base, head, explain = false }: Revisions & { readonly explain?: boolean },
  format: Format,
): Promise<number> {
  if (base !== undefined || head !== undefined) {
    throw new UsageError('--command says itself what leaves', {
      hint: 'leave out --base and --head',
    });
  }
  const answer = await judgeShellCommand(context, text);
  const exitCode = await report(context, format, {
    data: answer,
    text: explain ? words.explanationText(answer) : words.shellCommandText(answer),
    held: answer.decision === 'deny' || answer.decision === 'ask',
  });
  return answer.cannotTell ? ExitCode.failed : exitCode;
}
