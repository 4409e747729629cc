/** Registries of the other languages. */
import { anyOperand, deploy, publish, release, type Tool, tool } from './rule.ts';

export function languageRegistriesTools(): readonly Tool[] {
  return [
    tool(
      'cargo cross',
      {
        values:
          '--color --config -Z -p --package --registry --index --token --target --target-dir -j --jobs -F --features --exclude',
        flags:
          '--locked --offline --frozen -q --quiet -v --verbose --no-verify --allow-dirty --all-features --no-default-features --keep-going --workspace',
        directory: '-C',
        directoryOfFile: '--manifest-path',
      },
      [
        publish('publish', { dry: '-n --dry-run' }),
        publish('yank'),
        release('release', {
          flags: '-x --execute --no-confirm',
          only: '-x --execute',
          except: 'config changes help',
        }),
        release('smart-release', { flags: '-e --execute', only: '-e --execute' }),
        publish('workspaces|ws publish', { dry: '--dry-run' }),
        release('release-plz release|release-pr', { id: 'cargo release-plz', dry: '--dry-run' }),
        release('dist host', {
          id: 'cargo dist',
          when: (use) => use.values('--steps').some((it) => /upload|release/.test(it)),
        }),
        deploy('shuttle deploy'),
        deploy('lambda deploy', { dry: '--dry' }),
      ],
    ),
    // `cargo +stable publish`: the toolchain is no subcommand.
    tool('cargo', { values: '--color --config -Z -p --package --registry' }, [
      publish('', {
        id: 'cargo publish',
        values: '-p --package',
        dry: '-n --dry-run',
        when: (use) => (use.operands[0] ?? '').startsWith('+') && use.operands[1] === 'publish',
      }),
    ]),
    tool('gem', { values: '--config-file' }, [
      publish('push', { values: '-k --key --host --otp -p --http-proxy --attestation' }),
      publish('yank'),
    ]),
    tool('rake', [
      publish('', {
        id: 'rake release',
        values: '-f --rakefile',
        dry: '-n --dry-run -T --tasks -P --prereqs -D --describe -W --where',
        when: anyOperand(/^(release|gem:release|release:rubygem_push|publish|deploy)(\[|$)/),
      }),
    ]),
    tool('dotnet', [
      publish('nuget push', {
        values: '-s --source -k --api-key -t --timeout -ss --symbol-source -sk --symbol-api-key',
        flags:
          '--skip-duplicate -n --no-symbols --interactive -d --disable-buffering --no-service-endpoint',
      }),
      publish('nuget delete'),
    ]),
    tool('nuget', { style: 'word' }, [
      publish('push', { values: '-Source -ApiKey -Timeout -ConfigFile -src' }),
    ]),
    tool('paket', [publish('push')]),
    tool('mix', [
      publish('hex.publish', { dry: '--dry-run' }),
      publish('do', {
        id: 'mix hex.publish',
        dry: '--dry-run',
        when: (use) => use.operands.some((it) => it.split(',').includes('hex.publish')),
      }),
      publish('hex.retire'),
    ]),
    tool('rebar3', [publish('hex publish|cut', { dry: '--dry-run' })]),
    tool('gleam', [publish('publish')]),
    tool('dart flutter', { directory: '-C --directory' }, [
      publish('pub publish|lish', { dry: '-n --dry-run', flags: '-f --force --skip-validation' }),
    ]),
    tool('pub', [publish('publish|lish', { dry: '-n --dry-run' })]),
    tool('melos', [publish('publish', { flags: '--yes', only: '--no-dry-run --dry-run=false' })]),
    tool('swift', [publish('package-registry publish', { dry: '--dry-run' })]),
    tool('pod', [publish('trunk push|delete|deprecate'), publish('repo push')]),
    tool('luarocks', [publish('upload')]),
    tool('opam', [publish('publish', { dry: '-n --dry-run --no-browser-only' })]),
    tool('opam-publish', [publish('', { id: 'opam publish' })]),
    tool('dune-release', [
      publish('publish|bistro', { id: 'dune-release', dry: '--dry-run' }),
      publish('opam submit', { dry: '--dry-run' }),
    ]),
    tool('cabal', [publish('upload', { values: '-u --username -p --password -t --token' })]),
    tool('stack', [publish('upload')]),
    tool('conan', [
      publish('upload', {
        values: '-r --remote -p --package-query',
        dry: '--dry-run --skip-upload',
      }),
    ]),
    tool('cpan-upload', [publish('', { values: '-u --user -p --password', dry: '--dry-run -n' })]),
    tool('dzil minil', [publish('release', { dry: '--dry-run' })]),
    tool('elm elm-publish', [publish('publish')]),
    tool('spago', [publish('publish')]),
    tool('nimble', [publish('publish')]),
    tool('bower', [publish('register')]),
    tool('wapm wasmer', [publish('publish', { id: 'wasmer publish', dry: '--dry-run' })]),
  ];
}
