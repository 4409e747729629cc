/** Registries of Python and conda packages. */
import type { Tool } from './rule.ts';

export function pythonRegistriesTools(): readonly Tool[] {
  return [
    {
      names: 'twine',
      abbreviates: true,
      rules: [
        {
          id: 'twine upload',
          kind: 'publish',
          path: 'upload|register',
          values:
            '-r --repository --repository-url -u --username -p --password -c --comment --config-file --cert --client-cert -i --identity --sign-with',
          flags:
            '-s --sign --skip-existing --verbose --disable-progress-bar --non-interactive --attestations',
        },
      ],
    },
    {
      names: 'setup.py',
      rules: [
        {
          id: 'setup.py upload',
          kind: 'publish',
          path: '',
          dry: '-n --dry-run',
          when: (use) => use.operands.includes('upload') || use.operands.includes('register'),
        },
      ],
    },
    {
      names: 'poetry',
      values: '-P --project',
      directory: '-C --directory',
      rules: [
        {
          id: 'poetry publish',
          kind: 'publish',
          path: 'publish',
          values: '-r --repository -u --username -p --password --cert --client-cert --dist-dir',
          flags: '--build --skip-existing -n --no-interaction',
          dry: '--dry-run',
        },
      ],
    },
    {
      names: 'uv',
      directory: '--directory --project',
      rules: [
        {
          id: 'uv publish',
          kind: 'publish',
          path: 'publish',
          values:
            '--index --publish-url --token -t --username -u --password -p --trusted-publishing --keyring-provider --check-url',
          dry: '--dry-run',
        },
      ],
    },
    {
      names: 'hatch',
      values: '-e --env -p --project --data-dir --cache-dir --config',
      rules: [
        {
          id: 'hatch publish',
          kind: 'publish',
          path: 'publish',
          values: '-u --user -a --auth -r --repo -p --publisher -o --option',
        },
      ],
    },
    {
      names: 'flit',
      values: '-f --ini-file',
      rules: [
        {
          id: 'flit publish',
          kind: 'publish',
          path: 'publish',
          values: '--repository --pypirc --format',
        },
      ],
    },
    {
      names: 'pdm',
      rules: [
        {
          id: 'pdm publish',
          kind: 'publish',
          path: 'publish',
          values: '-r --repository -u --username -P --password -c --comment -p --project',
        },
      ],
    },
    {
      names: 'rye',
      rules: [
        {
          id: 'rye publish',
          kind: 'publish',
          path: 'publish',
          values: '--repository --repository-url -u --username --token --sign --identity',
        },
      ],
    },
    {
      names: 'maturin',
      rules: [
        {
          id: 'maturin publish',
          kind: 'publish',
          path: 'publish|upload',
          values: '-r --repository -u --username -p --password -i --interpreter -m --manifest-path',
        },
      ],
    },
    {
      names: 'conda anaconda',
      rules: [{ id: 'anaconda upload', kind: 'publish', path: 'upload' }],
    },
    { names: 'pixi', rules: [{ id: 'pixi upload', kind: 'publish', path: 'upload|publish' }] },
    {
      names: 'rattler-build',
      rules: [{ id: 'rattler-build upload', kind: 'publish', path: 'upload|publish' }],
    },
  ];
}
