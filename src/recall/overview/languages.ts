/** Which languages a project is written in, by the names of its files. */

export interface Language {
  readonly name: string;
  readonly files: number;
}

const LANGUAGES: Readonly<Record<string, string>> = {
  TypeScript: 'ts tsx mts cts',
  JavaScript: 'js jsx mjs cjs',
  Vue: 'vue',
  Svelte: 'svelte',
  Astro: 'astro',
  Python: 'py pyx',
  Go: 'go',
  Rust: 'rs',
  Java: 'java',
  Kotlin: 'kt kts',
  Scala: 'scala',
  Groovy: 'groovy',
  Ruby: 'rb',
  PHP: 'php',
  'C#': 'cs',
  'F#': 'fs',
  'Visual Basic': 'vb',
  Swift: 'swift',
  'Objective-C': 'm mm',
  C: 'c h',
  'C++': 'cc cpp cxx hh hpp',
  Elixir: 'ex exs',
  Erlang: 'erl',
  Haskell: 'hs',
  OCaml: 'ml',
  Clojure: 'clj cljs cljc',
  Dart: 'dart',
  Lua: 'lua',
  Perl: 'pl pm',
  R: 'r',
  Julia: 'jl',
  Zig: 'zig',
  Nim: 'nim',
  Solidity: 'sol',
  Shell: 'sh bash',
  PowerShell: 'ps1',
  SQL: 'sql',
};

const BY_ENDING = new Map(
  Object.entries(LANGUAGES).flatMap(([name, endings]) =>
    endings.split(' ').map((ending) => [ending, name] as const),
  ),
);

const MOST = 8;

export function languagesOf(paths: readonly string[]): Language[] {
  const counts = new Map<string, number>();
  for (const path of paths) {
    const name = BY_ENDING.get(path.slice(path.lastIndexOf('.') + 1).toLowerCase());
    if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts]
    .map(([name, files]) => ({ name, files }))
    .sort((a, b) => b.files - a.files || (a.name < b.name ? -1 : 1))
    .slice(0, MOST);
}
