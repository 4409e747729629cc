/** The table of programs that run another command: which of their words come before that command. */

export interface Wrapper {
  readonly names: string;
  /** Words of the subcommand that runs something: `exec`, `compose run`. */
  readonly path?: string;
  readonly values?: string;
  readonly flags?: string;
  readonly style?: 'gnu' | 'word';
  /** Words between the options and the command, as the time limit of `timeout`. */
  readonly operands?: number;
  /** `NAME=value` words stand before the command. */
  readonly assignments?: true;
  /** The command comes after `--`: always, or if there is a `--`. */
  readonly afterDashes?: 'always' | 'maybe';
  /** The kind of the remaining words; they are a command's words if it is absent. */
  readonly runs?: 'words' | 'text' | 'texts' | 'package' | 'image' | 'subcommand';
  /** Options that name a module of Python to run instead. */
  readonly module?: string;
  /** Options whose value is a shell text that runs instead. */
  readonly script?: string;
  /** Its texts are shell commands only after this: `\\!`. */
  readonly after?: RegExp;
  readonly directory?: string;
  /** It runs on another machine or in a container: folder and variables are unknown there. */
  readonly remote?: true;
}

type Options = Omit<Wrapper, 'names' | 'path'>;

function wrapper(names: string, path: string | Options = '', options: Options = {}): Wrapper {
  return typeof path === 'string' ? { names, path, ...options } : { names, ...path };
}

/** Options with a value that are met often; others are read both with and without one. */
const DOCKER_RUN =
  '-v --volume -w --workdir -e --env --env-file -u --user -p --publish --name --network --entrypoint ' +
  '-l --label --mount --platform -m --memory --cpus --add-host -h --hostname --gpus --restart --pull';

const COMPOSE = {
  values: `-f --file -p --project-name --profile --project-directory --index ${DOCKER_RUN}`,
  operands: 1,
  remote: true,
} as const;

const NPX = {
  values: '-p --package -w --workspace --prefix --cache --registry --userconfig',
  script: '-c --call',
  runs: 'package',
} as const;
const PYTHON_TOOL = {
  values: '--from --with --spec -p --python --index --index-url --default-index --pip-args',
  runs: 'package',
} as const;

export const WRAPPERS: readonly Wrapper[] = [
  // Programs that run another one with other rights, limits, input, or at another time.
  wrapper(
    'nohup chronic unbuffer catchsegv proxychains proxychains4 torsocks torify eatmydata rlwrap firejail cgexec chrt prlimit ' +
      'noglob nocorrect and or not setpriv setarch unshare nsenter systemd-inhibit numactl valgrind heaptrack linux32 linux64 i386 x86_64 fakeroot flatpak-spawn ' +
      'ssh-agent pkexec caffeinate arch busybox toybox',
  ),
  wrapper('nice gnice ionice stdbuf gstdbuf strace ltrace dtruss xvfb-run systemd-run', {
    values: '-n --adjustment -o --output -e --error -p --property -s --server-args -u --unit',
  }),
  wrapper('setsid', { flags: '-c --ctty -w --wait --fork' }),
  wrapper('sshpass', { values: '-p -f -d -P' }),
  wrapper('time gtime', { values: '-o --output -f --format' }),
  // `repeat`, `noglob` and the like are words of zsh and fish.
  wrapper(
    'timeout gtimeout repeat gosu su-exec setuidgid chpst setlock lckdo softlimit envdir taskset chroot faketime',
    { values: '-k --kill-after -s --signal', operands: 1 },
  ),
  wrapper('cmake', 'env|time', { assignments: true }),
  wrapper('cmake', 'chdir', { operands: 1 }),
  wrapper('env genv', {
    values: '-u --unset',
    script: '-S --split-string',
    directory: '-C --chdir',
    assignments: true,
  }),
  wrapper('sudo gosudo doas', {
    values:
      '-u --user -g --group -h --host -p --prompt -C --close-from -r --role -t --type -U --other-user -T -R --chroot',
    directory: '-D --chdir',
    assignments: true,
  }),
  wrapper('su runuser nodemon onchange chokidar chokidar-cli nix-shell nu xonsh elvish', {
    script: '-c --command --session-command --commands -x --exec --run',
    afterDashes: 'always',
  }),
  wrapper('bwrap dbus-run-session retry dumb-init tini catatonit', { afterDashes: 'maybe' }),
  wrapper('gdb lldb', { afterDashes: 'always' }),
  wrapper('concurrently hyperfine start-server-and-test server-test', {
    values: '-n --names --command-name --prefix-colors',
    runs: 'texts',
  }),
  wrapper('watch viddy', { values: '-n --interval -q --equexit', runs: 'text' }),
  wrapper('watchexec', { values: '-w -e -i -f -s -d', runs: 'text' }),
  wrapper('entr', { script: '-s' }),
  wrapper('script flock', {
    values: '-w --wait --timeout -E',
    script: '-c --command',
    operands: 1,
  }),
  wrapper(
    'tmux',
    'new-session|new|new-window|neww|split-window|splitw|respawn-pane|run-shell|run|send-keys|send',
    { values: '-s -n -c -t -x -y -e -F -N', runs: 'text' },
  ),
  wrapper('screen', 'stuff', { values: '-S -p', runs: 'text' }),
  wrapper('screen', { values: '-S -c -e -p -s -t -T' }),
  // Programs that start others only by the way.
  wrapper('rsync', { script: '-e --rsh', afterDashes: 'always' }),
  wrapper('tar gtar bsdtar', { script: '--to-command', afterDashes: 'always' }),
  wrapper('tar gtar', { script: '--checkpoint-action', after: /^exec=/, afterDashes: 'always' }),
  wrapper('gdb', { script: '-ex', style: 'word', after: /^\s*(?:shell|!)/, afterDashes: 'always' }),
  wrapper('psql', { script: '-c --command', after: /\\!/, afterDashes: 'always' }),
  wrapper('sqlite3', { runs: 'text', operands: 1, after: /^\.(?:shell|system)/ }),
  // Programs that run a command on another machine or in a container.
  wrapper('ssh autossh mosh slogin', {
    values: '-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w -B -M --ssh',
    operands: 1,
    runs: 'text',
    remote: true,
  }),
  ...['', 'container '].flatMap((group): Wrapper[] => [
    wrapper('docker podman nerdctl', `${group}exec`, {
      values: '-e --env --env-file -u --user -w --workdir --detach-keys',
      operands: 1,
      remote: true,
    }),
    wrapper('docker podman nerdctl', `${group}run`, {
      values: DOCKER_RUN,
      runs: 'image',
      remote: true,
    }),
  ]),
  wrapper('docker podman', 'compose exec|run', { ...COMPOSE }),
  wrapper('docker-compose podman-compose', 'exec|run', { ...COMPOSE }),
  wrapper('kubectl oc k kubecolor', 'exec', {
    values: '-n --namespace -c --container -f --filename --context --kubeconfig --cluster --user',
    operands: 1,
    afterDashes: 'maybe',
    remote: true,
  }),
  wrapper('kubectl oc k', 'run|debug', { afterDashes: 'always', remote: true }),
  wrapper('vagrant', 'ssh', { script: '-c --command', remote: true }),
  wrapper('gcloud', 'compute ssh', { script: '--command', remote: true }),
  wrapper('fly flyctl', 'ssh console', { script: '-C --command', remote: true }),
  wrapper('heroku', 'run', { values: '-a --app -r --remote', runs: 'text', remote: true }),
  wrapper('lxc incus multipass', 'exec', { operands: 1, afterDashes: 'maybe', remote: true }),
  wrapper('parallel-ssh pssh pdsh clush', {
    values: '-h -H -l -w -g -x -t -p',
    runs: 'text',
    remote: true,
  }),
  wrapper('toolbox distrobox', 'run|enter', {
    values: '-c --container',
    afterDashes: 'maybe',
    remote: true,
  }),
  wrapper('ansible', { script: '-a --args', afterDashes: 'always', remote: true }),
  // Package runners, environments and secret stores: the program is prepared for the command.
  wrapper('npx pnpx bunx corepack', NPX),
  wrapper('npm', 'explore', { operands: 1, afterDashes: 'maybe', runs: 'text' }),
  wrapper('npm bun', 'exec|x', { ...NPX, directory: '--prefix -C' }),
  wrapper('pnpm yarn', 'exec|x|dlx', {
    values: '-F --filter --filter-prod -p --package',
    directory: '-C --dir --cwd',
    runs: 'package',
  }),
  wrapper('yarn', 'workspaces foreach', {
    values: '--since --include --exclude -j --jobs --from --limit',
    runs: 'subcommand',
  }),
  wrapper('deno', 'task', { values: '--cwd' }),
  wrapper('uvx', PYTHON_TOOL),
  wrapper('uv', 'tool run', { ...PYTHON_TOOL }),
  wrapper('pipx', 'run', { ...PYTHON_TOOL }),
  wrapper('uv', 'run', {
    module: '-m --module',
    values: '--with --extra --group -p --python --env-file --package --index --with-requirements',
    directory: '--directory --project',
  }),
  wrapper('poetry pdm pipenv hatch rye pixi', 'run', {
    values: '-e --env --environment --manifest-path',
    directory: '-C --directory -P --project -p',
  }),
  wrapper('mise rtx', 'exec|x', { script: '-c --command', afterDashes: 'always' }),
  wrapper('nix', 'develop|shell', { values: '--profile -k --keep -u --unset' }),
  wrapper('nix', 'run', { runs: 'package' }),
  wrapper(
    'asdf rbenv pyenv nodenv jenv volta fnm bundle conda mamba micromamba devbox devenv devcontainer zellij perf ' +
      'dotenv dotenvx op doppler infisical teller phase',
    'exec|run|shell|stat|record|trace',
    {
      values:
        '-e --env --env-file -p --project --prefix -n --name -c --config -d --cwd --workspace-folder',
      script: '--command',
      afterDashes: 'maybe',
    },
  ),
  wrapper('direnv nvm n aws-vault chamber summon envchain aws-okta saml2aws', 'exec|run', {
    values: '-d --duration --region',
    operands: 1,
    afterDashes: 'maybe',
  }),
  wrapper('dotenv dotenvx dotenv-cli', {
    values: '-e -f -v -c -p --env-file --env',
    afterDashes: 'maybe',
  }),
  wrapper('cross-env cross-env-shell env-cmd', {
    values: '-f --file -e --environments',
    assignments: true,
  }),
  wrapper('sops', 'exec-env', { operands: 1, runs: 'text' }),
  wrapper('lerna', 'exec', {
    values: '--scope --ignore --since --concurrency',
    afterDashes: 'maybe',
    runs: 'text',
  }),
  wrapper('go', 'run', { values: '-C -mod -tags -ldflags', style: 'word', runs: 'package' }),
  wrapper('cargo', 'watch', { script: '-s --shell -x --exec' }),
];
