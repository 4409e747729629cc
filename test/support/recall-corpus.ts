/** Labelled sentences and lines: see `bench/recall-corpus/README.md`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NoteKind } from '../../src/store/recall.ts';

interface Statement {
  readonly text: string;
  readonly kind: NoteKind | null;
  readonly by: 'person' | 'agent';
  readonly lang: string;
}

interface Secret {
  readonly text: string;
  readonly secret: string;
}

interface Files {
  readonly statements: Statement;
  readonly 'statements-second': Statement;
  readonly 'statements-third': Statement;
  readonly secrets: Secret;
  readonly harmless: { readonly text: string };
  readonly 'secrets-second': Secret;
  readonly 'harmless-second': { readonly text: string };
  readonly 'secrets-third': Secret;
  readonly 'harmless-third': { readonly text: string };
  readonly 'secrets-fourth': Secret;
  readonly 'harmless-fourth': { readonly text: string };
  readonly 'secrets-fifth': Secret;
  readonly 'harmless-fifth': { readonly text: string };
  readonly 'secrets-sixth': Secret;
  readonly 'harmless-sixth': { readonly text: string };
  readonly 'secrets-seventh': Secret;
  readonly 'harmless-seventh': { readonly text: string };
}

const FOLDER = join(import.meta.dirname, '../../bench/recall-corpus');

export function corpus<K extends keyof Files>(name: K): Files[K][] {
  const lines = readFileSync(join(FOLDER, `${name}.jsonl`), 'utf8')
    .trim()
    .split('\n');
  return lines.map((line) => JSON.parse(line));
}
