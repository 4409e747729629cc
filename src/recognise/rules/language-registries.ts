/** Registries of the other languages. */
import type { Rule, Tool } from './rule.ts';

export function languageRegistriesTools(): readonly Tool[] {
  return [
    {
      names: 'cargo cross',
      values:
        '--color --config -Z -p --package --registry --index --token --target --target-dir -j --jobs -F --features --exclude',
      flags:
        '--locked --offline --frozen -q --quiet -v --verbose --no-verify --allow-dirty --all-features --no-default-features --keep-going --workspace',
      directory: '-C',
      directoryOfFile: '--manifest-path',
      rules: [
        { id: 'cargo publish', kind: 'publish', path: 'publish', dry: '-n --dry-run' },
        { id: 'cargo yank', kind: 'publish', path: 'yank' },
        {
          id: 'cargo release',
          kind: 'release',
          path: 'release',
          flags: '-x --execute --no-confirm',
          when: (use) =>
            use.has('-x', '--execute') &&
            !['config', 'changes', 'help'].includes(use.operands[0] ?? ''),
        },
        {
          id: 'cargo smart-release',
          kind: 'release',
          path: 'smart-release',
          flags: '-e --execute',
          when: (use) => use.has('-e', '--execute'),
        },
        {
          id: 'cargo workspaces publish',
          kind: 'publish',
          path: 'workspaces|ws publish',
          dry: '--dry-run',
        },
        {
          id: 'cargo release-plz',
          kind: 'release',
          path: 'release-plz release|release-pr',
          dry: '--dry-run',
        },
        {
          id: 'cargo dist',
          kind: 'release',
          path: 'dist host',
          when: (use) => use.values('--steps').some((it) => /upload|release/.test(it)),
        },
        { id: 'cargo shuttle deploy', kind: 'deploy', path: 'shuttle deploy' },
        { id: 'cargo lambda deploy', kind: 'deploy', path: 'lambda deploy', dry: '--dry' },
      ],
    },
    // `cargo +stable publish`: the toolchain is no subcommand.
    { names: 'cargo', values: '--color --config -Z -p --package --registry', rules: toolchains() },
    {
      names: 'gem',
      values: '--config-file',
      rules: [
        {
          id: 'gem push',
          kind: 'publish',
          path: 'push',
          values: '-k --key --host --otp -p --http-proxy --attestation',
        },
        { id: 'gem yank', kind: 'publish', path: 'yank' },
      ],
    },
    {
      names: 'rake',
      rules: [
        {
          id: 'rake release',
          kind: 'publish',
          path: '',
          values: '-f --rakefile',
          dry: '-n --dry-run -T --tasks -P --prereqs -D --describe -W --where',
          when: (use) =>
            use.operands.some((it) =>
              /^(release|gem:release|release:rubygem_push|publish|deploy)(\[|$)/.test(it),
            ),
        },
      ],
    },
    {
      names: 'dotnet',
      rules: [
        {
          id: 'dotnet nuget push',
          kind: 'publish',
          path: 'nuget push',
          values: '-s --source -k --api-key -t --timeout -ss --symbol-source -sk --symbol-api-key',
          flags:
            '--skip-duplicate -n --no-symbols --interactive -d --disable-buffering --no-service-endpoint',
        },
        { id: 'dotnet nuget delete', kind: 'publish', path: 'nuget delete' },
      ],
    },
    {
      names: 'nuget',
      style: 'word',
      rules: [
        {
          id: 'nuget push',
          kind: 'publish',
          path: 'push',
          values: '-Source -ApiKey -Timeout -ConfigFile -src',
        },
      ],
    },
    { names: 'paket', rules: [{ id: 'paket push', kind: 'publish', path: 'push' }] },
    {
      names: 'mix',
      rules: [
        { id: 'mix hex.publish', kind: 'publish', path: 'hex.publish', dry: '--dry-run' },
        {
          id: 'mix hex.publish',
          kind: 'publish',
          path: 'do',
          dry: '--dry-run',
          when: (use) => use.operands.some((it) => it.split(',').includes('hex.publish')),
        },
        { id: 'mix hex.retire', kind: 'publish', path: 'hex.retire' },
      ],
    },
    {
      names: 'rebar3',
      rules: [
        { id: 'rebar3 hex publish', kind: 'publish', path: 'hex publish|cut', dry: '--dry-run' },
      ],
    },
    { names: 'gleam', rules: [{ id: 'gleam publish', kind: 'publish', path: 'publish' }] },
    {
      names: 'dart flutter',
      directory: '-C --directory',
      rules: [
        {
          id: 'dart pub publish',
          kind: 'publish',
          path: 'pub publish|lish',
          dry: '-n --dry-run',
          flags: '-f --force --skip-validation',
        },
      ],
    },
    {
      names: 'pub',
      rules: [{ id: 'pub publish', kind: 'publish', path: 'publish|lish', dry: '-n --dry-run' }],
    },
    {
      names: 'melos',
      rules: [
        {
          id: 'melos publish',
          kind: 'publish',
          path: 'publish',
          flags: '--yes',
          when: (use) =>
            use.options.some(
              ({ name, value }) =>
                name === '--no-dry-run' || (name === '--dry-run' && value === 'false'),
            ),
        },
      ],
    },
    {
      names: 'swift',
      rules: [
        {
          id: 'swift package-registry publish',
          kind: 'publish',
          path: 'package-registry publish',
          dry: '--dry-run',
        },
      ],
    },
    {
      names: 'pod',
      rules: [
        { id: 'pod trunk push', kind: 'publish', path: 'trunk push|delete|deprecate' },
        { id: 'pod repo push', kind: 'publish', path: 'repo push' },
      ],
    },
    { names: 'luarocks', rules: [{ id: 'luarocks upload', kind: 'publish', path: 'upload' }] },
    {
      names: 'opam',
      rules: [
        {
          id: 'opam publish',
          kind: 'publish',
          path: 'publish',
          dry: '-n --dry-run --no-browser-only',
        },
      ],
    },
    { names: 'opam-publish', rules: [{ id: 'opam publish', kind: 'publish', path: '' }] },
    {
      names: 'dune-release',
      rules: [
        { id: 'dune-release', kind: 'publish', path: 'publish|bistro', dry: '--dry-run' },
        { id: 'dune-release opam submit', kind: 'publish', path: 'opam submit', dry: '--dry-run' },
      ],
    },
    {
      names: 'cabal',
      rules: [
        {
          id: 'cabal upload',
          kind: 'publish',
          path: 'upload',
          values: '-u --username -p --password -t --token',
        },
      ],
    },
    { names: 'stack', rules: [{ id: 'stack upload', kind: 'publish', path: 'upload' }] },
    {
      names: 'conan',
      rules: [
        {
          id: 'conan upload',
          kind: 'publish',
          path: 'upload',
          values: '-r --remote -p --package-query',
          dry: '--dry-run --skip-upload',
        },
      ],
    },
    {
      names: 'cpan-upload',
      rules: [
        {
          id: 'cpan-upload',
          kind: 'publish',
          path: '',
          values: '-u --user -p --password',
          dry: '--dry-run -n',
        },
      ],
    },
    {
      names: 'dzil minil',
      rules: [{ id: 'dzil release', kind: 'publish', path: 'release', dry: '--dry-run' }],
    },
    { names: 'elm elm-publish', rules: [{ id: 'elm publish', kind: 'publish', path: 'publish' }] },
    { names: 'spago', rules: [{ id: 'spago publish', kind: 'publish', path: 'publish' }] },
    { names: 'nimble', rules: [{ id: 'nimble publish', kind: 'publish', path: 'publish' }] },
    { names: 'bower', rules: [{ id: 'bower register', kind: 'publish', path: 'register' }] },
    {
      names: 'wapm wasmer',
      rules: [{ id: 'wasmer publish', kind: 'publish', path: 'publish', dry: '--dry-run' }],
    },
  ];
}

function toolchains(): readonly Rule[] {
  return [
    {
      id: 'cargo publish',
      kind: 'publish',
      path: '',
      values: '-p --package',
      dry: '-n --dry-run',
      when: (use) => (use.operands[0] ?? '').startsWith('+') && use.operands[1] === 'publish',
    },
  ];
}
