/** Registries of Python and conda packages. */
import { publish, type Tool, tool } from './rule.ts';

export function pythonRegistriesTools(): readonly Tool[] {
  return [
    tool('twine', { abbreviates: true }, [
      publish('upload|register', {
        values:
          '-r --repository --repository-url -u --username -p --password -c --comment --config-file --cert --client-cert -i --identity --sign-with',
        flags:
          '-s --sign --skip-existing --verbose --disable-progress-bar --non-interactive --attestations',
      }),
    ]),
    tool('setup.py', [
      publish('', {
        id: 'setup.py upload',
        dry: '-n --dry-run',
        when: (use) => use.operands.includes('upload') || use.operands.includes('register'),
      }),
    ]),
    tool('poetry', { values: '-P --project', directory: '-C --directory' }, [
      publish('publish', {
        values: '-r --repository -u --username -p --password --cert --client-cert --dist-dir',
        flags: '--build --skip-existing -n --no-interaction',
        dry: '--dry-run',
      }),
    ]),
    tool('uv', { directory: '--directory --project' }, [
      publish('publish', {
        values:
          '--index --publish-url --token -t --username -u --password -p --trusted-publishing --keyring-provider --check-url',
        dry: '--dry-run',
      }),
    ]),
    tool('hatch', { values: '-e --env -p --project --data-dir --cache-dir --config' }, [
      publish('publish', { values: '-u --user -a --auth -r --repo -p --publisher -o --option' }),
    ]),
    tool('flit', { values: '-f --ini-file' }, [
      publish('publish', { values: '--repository --pypirc --format' }),
    ]),
    tool('pdm', [
      publish('publish', {
        values: '-r --repository -u --username -P --password -c --comment -p --project',
      }),
    ]),
    tool('rye', [
      publish('publish', {
        values: '--repository --repository-url -u --username --token --sign --identity',
      }),
    ]),
    tool('maturin', [
      publish('publish|upload', {
        values: '-r --repository -u --username -p --password -i --interpreter -m --manifest-path',
      }),
    ]),
    tool('conda anaconda', [publish('upload', { id: 'anaconda upload' })]),
    tool('pixi', [publish('upload|publish')]),
    tool('rattler-build', [publish('upload|publish')]),
  ];
}
