/** Programs that run another one with other rights, limits, input, or at another time. */
import { type Wrapper, wrapper } from './wrapper.ts';

export const PROCESS_WRAPPERS: readonly Wrapper[] = [
  // Their own options are read both with and without a value.
  wrapper(
    'nohup chronic unbuffer catchsegv proxychains proxychains4 torsocks torify eatmydata rlwrap firejail cgexec chrt prlimit ' +
      'setpriv setarch unshare nsenter systemd-inhibit numactl valgrind heaptrack linux32 linux64 i386 x86_64 fakeroot flatpak-spawn',
  ),
  // Words of zsh and fish that stand before a command.
  wrapper('noglob nocorrect and or not'),
  wrapper('repeat', { operands: 1 }),
  wrapper('setsid', { flags: '-c --ctty -f --fork -w --wait' }),
  wrapper('time gtime', {
    values: '-o --output -f --format',
    flags: '-p -v -a --append --portability --verbose',
  }),
  wrapper('caffeinate', { values: '-t -w', flags: '-d -i -m -s -u' }),
  wrapper('env genv', {
    values: '-u --unset',
    flags: '-i -0 -v --ignore-environment --debug',
    script: '-S --split-string',
    directory: '-C --chdir',
    assignments: true,
  }),
  wrapper('sudo gosudo', {
    values:
      '-u --user -g --group -h --host -p --prompt -C --close-from -r --role -t --type -U --other-user -T -R --chroot',
    flags:
      '-E -H -n -S -b -i -s -k -K -A -P --preserve-env --login --shell --non-interactive --stdin',
    directory: '-D --chdir',
    assignments: true,
  }),
  wrapper('doas', { values: '-u -C', flags: '-n -s -L', assignments: true }),
  wrapper('pkexec', { values: '--user', flags: '--disable-internal-agent --keep-cwd' }),
  wrapper('gosu su-exec setuidgid chpst', { operands: 1 }),
  wrapper('su runuser', {
    values: '-s --shell -g --group -G --supp-group -w --whitelist-environment -u --user',
    flags: '- -l --login -m -p',
    script: '-c --command --session-command',
    afterDashes: 'always',
  }),
  wrapper('timeout gtimeout', {
    values: '-k --kill-after -s --signal',
    flags: '--preserve-status --foreground -v --verbose',
    operands: 1,
  }),
  wrapper('nice gnice', { values: '-n --adjustment' }),
  wrapper('ionice', { values: '-c --class -n --classdata', flags: '-t --ignore' }),
  wrapper('stdbuf gstdbuf', { values: '-i --input -o --output -e --error' }),
  wrapper('taskset', { flags: '-c --cpu-list -a', operands: 1 }),
  wrapper('systemd-run', {
    values:
      '-p --property -u --unit -M --machine -H --host --slice -E --setenv --working-directory --uid --gid',
    flags: '--scope --user --wait --pipe -P --pty -t -q --collect -G -r --no-block',
  }),
  wrapper('xvfb-run', {
    values: '-n --server-num -s --server-args -e --error-file -f --auth-file -w --wait -p',
    flags: '-a -l',
  }),
  wrapper('bwrap dbus-run-session', { afterDashes: 'maybe' }),
  wrapper('arch', { flags: '-arm64 -x86_64 -arch', values: '-e -d' }),
  wrapper('chroot', { values: '--userspec --groups', operands: 1 }),
  wrapper('strace ltrace dtruss', {
    values: '-e -o -p -s -u -E -a -I -O -S -P',
    flags: '-f -ff -c -C -t -tt -q -v -x -y',
  }),
  wrapper('gdb lldb', { afterDashes: 'always' }),
  wrapper('hyperfine', {
    values:
      '-w --warmup -r --runs -m --min-runs -M --max-runs -p --prepare -c --cleanup -s --setup -L --parameter-list -P --parameter-scan -n --command-name --export-json --export-markdown --export-csv -S --shell -u --time-unit',
    runs: 'texts',
  }),
  wrapper('watch viddy', {
    values: '-n --interval -q --equexit',
    flags: '-d -t -b -e -g -c -x --differences --no-title --errexit --chgexit --color',
    runs: 'text',
  }),
  wrapper('entr', { flags: '-a -c -cc -d -n -p -r -rc -z -x', script: '-s' }),
  wrapper('watchexec', {
    values:
      '-w --watch -e --exts -i --ignore -f --filter -s --signal -d --debounce --shell -E --env',
    flags: '-r --restart -c --clear -n -p',
    runs: 'text',
  }),
  wrapper('nodemon', {
    values: '-e --ext -w --watch -i --ignore -d --delay -s --signal --config --cwd',
    script: '-x --exec',
    afterDashes: 'always',
  }),
  wrapper('onchange chokidar chokidar-cli', {
    values: '-d --delay',
    script: '-c --command',
    afterDashes: 'always',
  }),
  wrapper('retry', {
    values: '-t --times -d --delay -m --max -u --until -w',
    afterDashes: 'maybe',
  }),
  wrapper('script', {
    values: '-E -I -O -B -T -m -o',
    flags: '-q -a -e -f --quiet --return --flush',
    script: '-c --command',
    operands: 1,
  }),
  wrapper('flock', {
    values: '-w --wait --timeout -E --conflict-exit-code',
    flags: '-n -s -x -e -u -o -F',
    operands: 1,
    script: '-c --command',
  }),
  wrapper('setlock lckdo softlimit envdir', { operands: 1 }),
  wrapper('busybox toybox', { values: '' }),
  wrapper('concurrently', {
    values:
      '-n --names -c --prefix-colors -p --prefix -m --max-processes --restart-tries --restart-after -l --prefix-length -t --timestamp-format --cwd -s --success',
    flags: '-k --kill-others --kill-others-on-fail -r --raw -g --group --no-color -i',
    runs: 'texts',
  }),
  wrapper('start-server-and-test server-test', { runs: 'texts' }),
  wrapper('tmux', {
    path: 'new-session|new|new-window|neww|split-window|splitw|respawn-pane|run-shell|run',
    values: '-s -n -c -t -x -y -e -F -l',
    flags: '-d -A -P -h -v -b',
    runs: 'text',
  }),
  wrapper('tmux', { path: 'send-keys|send', values: '-t -N', flags: '-R -l', runs: 'text' }),
  wrapper('screen', { values: '-S -c -e -p -s -t -T', flags: '-d -m -L -D -R -x' }),
  wrapper('zellij', { path: 'run', values: '-d -n --name --cwd', afterDashes: 'maybe' }),
  wrapper('perf', { path: 'stat|record|trace', values: '-e -o -p -r -F -c', flags: '-a -g -d' }),
  wrapper('nu xonsh elvish', { script: '-c --commands', afterDashes: 'always' }),
  // Programs for which starting others is a side matter.
  wrapper('rsync', { script: '-e --rsh', afterDashes: 'always' }),
  wrapper('tar gtar bsdtar', { script: '--to-command', afterDashes: 'always' }),
  wrapper('tar gtar', { script: '--checkpoint-action', after: /^exec=/, afterDashes: 'always' }),
  wrapper('gdb', { script: '-ex', style: 'word', after: /^\s*(?:shell|!)/, afterDashes: 'always' }),
  wrapper('psql', { script: '-c --command', after: /\\!/, afterDashes: 'always' }),
  wrapper('sqlite3', { runs: 'text', operands: 1, after: /^\.(?:shell|system)/ }),
  wrapper('dumb-init tini catatonit', { flags: '-c -v -s -g', afterDashes: 'maybe' }),
];
