import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { allCommands, createProgram } from '../../../src/fronts/main.ts';

const SKILLS = path.resolve(import.meta.dirname, '../../../skills');
const skills = readdirSync(SKILLS).map((name) => ({
  name,
  text: readFileSync(path.join(SKILLS, name, 'SKILL.md'), 'utf8'),
}));

test('a command that does not exist is noticed', async () => {
  await expect(parse('lanehold lane ad KEY')).rejects.toThrow(/unknown/);
  await expect(parse('lanehold feature verify --pendign')).rejects.toThrow(/unknown/);
});

describe.each(skills)('skill $name', ({ name, text }) => {
  test('is named after its folder', () => {
    expect(name).toMatch(/^lanehold-/);
    expect(text).toMatch(new RegExp(`^---\nname: ${name}\ndescription: .+\n---\n`));
  });

  test.each(commandsIn(text))('%s', async (command) => {
    await expect(parse(command)).rejects.toThrow(/^known$/);
  });
});

test('the skill of a coordinator names what it decides with', () => {
  const { text = '' } = skills.find(({ name }) => name === 'lanehold-lanes') ?? {};
  const words = ['orchestrate plan', 'lane diff', '--accept', '--question', 'lanes.setup'];
  for (const it of [...words, 'orchestrate tell', '--comment', '--notes', 'orchestrate gc']) {
    expect(text).toContain(it);
  }
});

const ROOT = path.resolve(import.meta.dirname, '../../..');
const documents = [
  'README.md',
  ...readdirSync(path.join(ROOT, 'docs'))
    .filter((it) => it.endsWith('.md'))
    .map((it) => `docs/${it}`),
].map((name) => ({ name, text: readFileSync(path.join(ROOT, name), 'utf8') }));

test.each(documents)('$name names commands that exist', async ({ text }) => {
  for (const command of documentedCommands(text)) {
    // A sentence may name a command without its arguments.
    await expect(parse(command), command).rejects.toThrow(/^known$|missing|outputHelp/);
  }
});

/** Commands in blocks of a shell and within sentences; not those that show alternatives or leave words out. */
function documentedCommands(text: string): string[] {
  const blocks = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = '']) =>
    block.replaceAll(/\\\n\s*/g, '').split('\n'),
  );
  const prose = text.replaceAll(/```[\s\S]*?```/g, '');
  const inline = [...prose.matchAll(/`(lanehold [^`]+)`/g)].map(([, code = '']) => code);
  return [...blocks, ...inline]
    .map((line) =>
      line
        .replaceAll(/\s+/g, ' ')
        .replace(/ #.*$/, '')
        .replace(/ < \S+ *$/, ''),
    )
    .flatMap((line) => line.split('&&').map((part) => part.trim()))
    .filter((line) => line.startsWith('lanehold ') && !/[|<>[\]…]|\.\.\./.test(line));
}

/** Commands of lanehold in the code of a text, each up to the next operator of the shell. */
function commandsIn(text: string): string[] {
  const code = [...text.matchAll(/`([^`]+)`/g)].map(([, inner = '']) => inner.replace(/\s+/g, ' '));
  return code
    .flatMap((line) => line.split('&&').map((part) => part.trim()))
    .filter((line) => line.startsWith('lanehold '));
}

/** Parses a command; one that the command line knows asks for its context, and ends there. */
async function parse(line: string): Promise<void> {
  const words = (line.match(/'[^']*'|"[^"]*"|\S+/g) ?? []).map((word) =>
    word.replace(/^['"]|['"]$/g, ''),
  );
  const program = createProgram(await allCommands(), process, () => {
    throw new Error('known');
  });
  await program.parseAsync(words.slice(1), { from: 'user' });
}
