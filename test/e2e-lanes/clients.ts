/** The real clients: where they are on this machine, or how to get them. */
import { accessSync, constants, realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { run } from '../../scripts/demo/run.ts';

interface Wanted {
  readonly program: string;
  readonly variable: string;
  /** The version whose behaviour the adapter was written against. */
  readonly package: string;
}

const CLIENTS = {
  claude: {
    program: 'claude',
    variable: 'LANEHOLD_E2E_CLAUDE',
    package: '@anthropic-ai/claude-code@2.1.330',
  },
  codex: { program: 'codex', variable: 'LANEHOLD_E2E_CODEX', package: '@openai/codex@0.169.0' },
} satisfies Record<string, Wanted>;

/** Absolute paths of the programs. */
export type Clients = Readonly<Record<keyof typeof CLIENTS, string>>;

/** A client is not here or does not run; the message says how to get it. */
export class MissingClientError extends Error {}

/** @throws {MissingClientError} naming every client that is missing. */
export async function findClients(print: (line: string) => void): Promise<Clients> {
  const found: Record<string, string> = {};
  const missing: string[] = [];
  for (const [name, wanted] of Object.entries(CLIENTS)) {
    const path = locate(wanted);
    const version = path === undefined ? undefined : await versionOf(path);
    if (path === undefined || version === undefined) missing.push(howToGet(wanted));
    else {
      found[name] = path;
      print(`client: ${version}, ${path}`);
    }
  }
  if (missing.length > 0) throw new MissingClientError(missing.join('\n'));
  return found as Clients;
}

function locate({ program, variable }: Wanted): string | undefined {
  const named = process.env[variable];
  if (named !== undefined) return executable(named) ? realpathSync(named) : undefined;
  const file = (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, program))
    .find(executable);
  return file === undefined ? undefined : realpathSync(file);
}

function executable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function versionOf(program: string): Promise<string | undefined> {
  const env = { PATH: process.env.PATH ?? '', HOME: '/nonexistent' };
  const { code, stdout } = await run(program, ['--version'], { cwd: '/', env });
  return code === 0 ? stdout.trim() : undefined;
}

function howToGet({ program, variable, package: name }: Wanted): string {
  return [
    `the client \`${program}\` is neither on PATH nor where ${variable} says`,
    `hint: npm install --prefix <folder> ${name}`,
    `      ${variable}=<folder>/node_modules/.bin/${program} npm run e2e:lanes`,
  ].join('\n');
}
