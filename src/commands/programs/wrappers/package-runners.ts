/** Package runners, environments and secret stores: programs that run another one prepared for it. */
import { type Wrapper, wrapper } from './wrapper.ts';

export const PACKAGE_RUNNERS: readonly Wrapper[] = [
  wrapper('npx pnpx', {
    values: '-p --package -w --workspace --prefix --cache --registry --userconfig',
    flags: '-y --yes --no -q --quiet --no-install --ignore-existing --prefer-offline',
    script: '-c --call',
    runs: 'package',
  }),
  wrapper('npm', { path: 'explore', operands: 1, afterDashes: 'maybe', runs: 'text' }),
  wrapper('npm', {
    path: 'exec|x',
    values: '-p --package -w --workspace --prefix',
    flags: '-y --yes --no -ws --workspaces',
    script: '-c --call',
    runs: 'package',
    directory: '--prefix -C',
  }),
  wrapper('pnpm', {
    path: 'exec|x',
    values: '-F --filter --filter-prod --workspace-concurrency --loglevel',
    flags: '-r --recursive --parallel -w --workspace-root --no-bail -c --shell-mode',
    directory: '-C --dir',
    runs: 'package',
  }),
  wrapper('pnpm', {
    path: 'dlx',
    values: '--package -F --filter',
    flags: '-c --shell-mode -s --silent',
    directory: '-C --dir',
    runs: 'package',
  }),
  wrapper('yarn', { path: 'exec', directory: '--cwd', runs: 'package' }),
  wrapper('yarn', {
    path: 'dlx',
    values: '-p --package',
    flags: '-q --quiet',
    directory: '--cwd',
    runs: 'package',
  }),
  wrapper('yarn', {
    path: 'workspaces foreach',
    values: '--since --include --exclude -j --jobs --from --limit',
    flags:
      '-A --all -R --recursive -W --worktree --no-private -p --parallel -i --interlaced -t --topological --topological-dev -v --verbose --dry-run',
    runs: 'subcommand',
  }),
  wrapper('bunx', { flags: '--bun -y', values: '-p --package', runs: 'package' }),
  wrapper('bun', { path: 'x', flags: '--bun -y', runs: 'package' }),
  wrapper('deno', { path: 'task', values: '--cwd' }),
  wrapper('corepack', { values: '', runs: 'package' }),
  wrapper('uvx', {
    values: '--from --with -p --python --index --index-url --default-index',
    flags: '-q --isolated --refresh',
    runs: 'package',
  }),
  wrapper('uv', {
    path: 'tool run',
    values: '--from --with -p --python --index',
    flags: '-q --isolated',
    runs: 'package',
  }),
  wrapper('uv', {
    path: 'run',
    module: '-m --module',
    values:
      '--with --extra --group -p --python --env-file --package --index --with-requirements --with-editable --only-group --no-group',
    flags:
      '-q --frozen --locked --no-sync --no-dev --all-extras --isolated --active --no-project -v',
    directory: '--directory --project',
  }),
  wrapper('pipx', {
    path: 'run',
    values: '--spec --python --pip-args --index-url',
    flags: '--no-cache',
    runs: 'package',
  }),
  wrapper('poetry pdm pipenv hatch rye pixi', {
    path: 'run',
    values: '-e --env --environment --manifest-path',
    directory: '-C --directory -P --project -p',
  }),
  wrapper('bundle', { path: 'exec', values: '--gemfile', flags: '--keep-file-descriptors' }),
  wrapper('conda mamba micromamba', {
    path: 'run',
    values: '-n --name -p --prefix --cwd',
    flags: '--no-capture-output --live-stream -v',
  }),
  wrapper('mise rtx', {
    path: 'exec|x',
    values: '-C --cd -j --jobs',
    script: '-c --command',
    afterDashes: 'always',
  }),
  wrapper('asdf', { path: 'exec' }),
  wrapper('direnv', { path: 'exec', operands: 1, directory: '' }),
  wrapper('nix', {
    path: 'develop|shell',
    values: '--profile -I --arg --argstr --override-input --option -k --keep --unset',
    script: '',
  }),
  wrapper('nix-shell', {
    values: '-p --packages -A --attr -I -E --arg',
    script: '--run --command',
    afterDashes: 'always',
  }),
  wrapper('nix', { path: 'run', values: '-I --arg --override-input', runs: 'package' }),
  wrapper('volta', {
    path: 'run',
    values: '--node --npm --yarn --pnpm',
    flags: '--bundled-npm --no-yarn',
  }),
  wrapper('fnm', { path: 'exec', values: '--using', afterDashes: 'maybe' }),
  wrapper('nvm n', { path: 'exec|run', operands: 1 }),
  wrapper('rbenv pyenv nodenv jenv', { path: 'exec' }),
  wrapper('devbox devenv', {
    path: 'run|shell',
    values: '-c --config -e --env',
    afterDashes: 'maybe',
  }),
  wrapper('dotenv dotenvx dotenv-cli', {
    path: '',
    values: '-e -f -v -c -p --env-file --env',
    afterDashes: 'maybe',
  }),
  wrapper('dotenv dotenvx', {
    path: 'run',
    values: '-f -e --env-file --env',
    afterDashes: 'maybe',
  }),
  wrapper('cross-env cross-env-shell env-cmd', {
    values: '-f --file -e --environments',
    flags: '--silent --no-override',
    assignments: true,
  }),
  wrapper('op doppler infisical teller phase', {
    path: 'run',
    values: '--env-file --project -p --config -c --env --path --token',
    afterDashes: 'maybe',
  }),
  wrapper('doppler', { path: 'run', script: '--command' }),
  wrapper('aws-vault chamber summon envchain aws-okta saml2aws', {
    path: 'exec',
    values: '-d --duration --region',
    operands: 1,
    afterDashes: 'maybe',
  }),
  wrapper('sops', { path: 'exec-env', operands: 1, runs: 'text' }),
  wrapper('lerna', {
    path: 'exec',
    values: '--scope --ignore --since --concurrency',
    flags: '--parallel --no-bail --stream --no-prefix --no-private',
    afterDashes: 'maybe',
    runs: 'text',
  }),
  wrapper('go', { path: 'run', values: '-C -mod -tags -ldflags', style: 'word', runs: 'package' }),
  wrapper('cargo', {
    path: 'watch',
    values: '-w --watch -i --ignore -d --delay',
    script: '-s --shell -x --exec',
  }),
];
