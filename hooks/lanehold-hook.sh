#!/bin/sh
# The entry of every hook, and of status lines. Settings of agents, their plugins and git's own hook start it with
#   <node> <hook program> <settings> <event> <arguments of the event>
# It asks the resident process, which needs bash. Where that gives no whole answer, the cold way: it starts Node on
# the hook program. Where Node gives none either, it judges the same input by a rule of sh.
#
# The build makes `dist/lanehold-hook.sh` of this, with the rule and the denials of all agents, and `lanehold install`
# copies that. A variable begins with `lanehold_`: one that is in the environment as well would reach all programs.

# With -p bash reads no BASH_ENV, no SHELLOPTS and no functions of the environment. It warns of a locale that is not
# there, which nobody asked, so standard error is 9 until something is to be said.
case ${BASH_VERSION:+$-} in
  *p*) ;;
  *)
    unset -f [ command
    [ -x /bin/bash ] && exec /bin/bash -p "$0" "$@" 9>&2 2>/dev/null
    lanehold_bash=$(command -v bash) && exec "$lanehold_bash" -p "$0" "$@" 9>&2 2>/dev/null
    ;;
esac

lanehold_node=$1 lanehold_hook=$2 lanehold_settings=$3
shift 3
# Names the event, and marks what the hook program answers.
lanehold_id=$$ lanehold_input='' lanehold_unread='' lanehold_unfinished='' lanehold_option=''

# Some versions of these agents do not close the input.
lanehold_open=''
case $3 in @OPEN_INPUTS@) lanehold_open=1 ;; esac
[ "$1" = statusline ] && lanehold_open=1

# A shell reads a script only as far as it runs it, so the part that most events need stands first. The functions here
# are for bash; dash reads them as well, and runs the first two.

# A pipe that is made later would take the place of a closed input.
lanehold_close_input() { { true 3<&0; } 2>/dev/null || exec </dev/null; }

# Without bash, or with an old one. An input that may stay open is left to Node.
lanehold_read_plainly() {
  lanehold_close_input
  lanehold_unread=$lanehold_open
  [ "$lanehold_open" ] || lanehold_input=$(cat 2>/dev/null; echo .)
  lanehold_input=${lanehold_input%.}
}

lanehold_is_before() { (( BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] < $1 )); }

# A socket cannot be opened anew as a file, and `$(…)` takes another process.
lanehold_read() { IFS= LC_ALL=C TMOUT='' read -r -N 268435456 "$@" lanehold_input; }

lanehold_read_in_bash() {
  # The time is first: the database keeps ids of one time together.
  lanehold_id=${EPOCHREALTIME//[!0-9]/}-$$-$RANDOM$RANDOM$RANDOM
  if lanehold_is_before 401; then
    lanehold_read_plainly
  elif ! [[ $lanehold_open ]]; then
    lanehold_read
  else
    lanehold_so_far=''
    lanehold_round=0
    while (( lanehold_round++ < 50 )); do
      lanehold_read -t 0.1
      lanehold_status=$?
      lanehold_so_far+=$lanehold_input
      (( lanehold_status <= 128 )) && break
      if [[ $lanehold_input ]]; then
        # A long input takes longer than an unfinished one may.
        lanehold_round=1
      else
        # It ends where nothing came for a whole wait: its writer may only be slow.
        [[ $lanehold_so_far = *'}' || $lanehold_so_far = *'}'[[:space:]] ]] && break
      fi
    done
    lanehold_input=$lanehold_so_far
    (( lanehold_round <= 50 )) || lanehold_unfinished=1
  fi
  # Node sees more of it than bash: also what comes later through a pipe that does not wait.
  [[ $lanehold_input ]] || { lanehold_unread=1; lanehold_close_input; }
}

# Whether there is an address of a process that runs.
lanehold_look() {
  lanehold_name=${lanehold_hook//[!A-Za-z0-9]/_}
  (( ${#lanehold_name} <= 100 )) || lanehold_name=${lanehold_name: -100}
  lanehold_address=${LANEHOLD_HOME:-$HOME/.lanehold}/resident/$lanehold_name
  [[ $lanehold_address = /* && -O $lanehold_address ]] || return
  {
    IFS=' ' read -r lanehold_version lanehold_port lanehold_ours lanehold_theirs lanehold_pid &&
      IFS= read -r lanehold_line
  } <"$lanehold_address" || return
  [[ $lanehold_version = 2 && $lanehold_line = "$lanehold_hook" ]] || return
  [[ $lanehold_port$lanehold_pid != *[!0-9]* && ${#lanehold_theirs} = 32 ]] || return
  [[ $OSTYPE = darwin* && ! -e /proc/self ]] && return
  # A container may share the home and the network; the process in it is one of another machine.
  [[ /proc/self/ns/mnt -ef /proc/$lanehold_pid/ns/mnt && /proc/self/root -ef /proc/$lanehold_pid/root ]] || return
  IFS= read -r lanehold_line </proc/"$lanehold_pid"/stat || return
  # Connecting has no time limit: to a process that is stopped, and has many connections waiting, it would take minutes.
  [[ ${lanehold_line##*) } != [Tt]* ]] || lanehold_failed 129
}

# Argument: the status of what has failed, which tells whether it was the end of the time. Without their address file
# the next events go the cold way at once, and a resident process that wakes up ends.
lanehold_failed() {
  # Another one may have written its own meanwhile.
  (( $1 > 128 )) && IFS= read -r lanehold_line <"$lanehold_address" &&
    [[ $lanehold_line = *" $lanehold_theirs "* ]] && mv -f "$lanehold_address" "$lanehold_address.gone"
  [[ $lanehold_sender ]] && kill -KILL "$lanehold_sender"
  return 1
}

# The resident process reads a request at once where it comes in one piece. Bash writes a piece for each call of printf,
# so there is only one. An old bash, and one on a system without /proc, leaves its environment to `env`.
lanehold_send() {
  if [[ $lanehold_printed ]]; then
    printf '\0%s' "$lanehold_id" "$PPID" "$lanehold_folder" ${#lanehold_input} $# "$@" ''
    # That of the user, not of this function.
    if [[ $lanehold_locale ]]; then LC_ALL=$lanehold_locale; else unset LC_ALL; fi
    env -0 && printf '\0%s' "$lanehold_input"
  else
    eval 'printf "\0%s" "$lanehold_id" "$PPID" "$lanehold_folder" ${#lanehold_input} $# "$@" \
      "${lanehold_variables[@]}" "" "$lanehold_input"'
  fi
}

# Arguments: how many bytes, and a variable for them.
lanehold_take() {
  if lanehold_is_before 401; then
    IFS= read -r -t 1 -u 3 -d '' -n "$1" "$2"
  else
    IFS= read -r -t 1 -u 3 -N "$1" "$2"
  fi
}

# Sends the event, once the other end has shown its secret, and reads the first line of the answer.
lanehold_tell() {
  printf '%s\n' "$lanehold_ours" || return

  lanehold_pwd=$PWD lanehold_old=${OLDPWD-} lanehold_folder='' lanehold_printed=''
  cd -P . && lanehold_folder=$PWD
  PWD=$lanehold_pwd
  if [[ $lanehold_old ]]; then OLDPWD=$lanehold_old; else unset OLDPWD; fi
  if lanehold_is_before 404 || ! mapfile -d '' -t lanehold_variables </proc/self/environ; then
    env -0 >/dev/null || return
    lanehold_printed=1
  fi

  # A stranger may say anything, or nothing.
  lanehold_take 33 lanehold_line || { lanehold_failed $?; return; }
  [[ $lanehold_line = "$lanehold_theirs"$'\n' ]] || return
  lanehold_option=--event-id=$lanehold_id
  eval 'lanehold_line="$lanehold_input${lanehold_variables[*]}"'
  if [[ $lanehold_printed ]] || (( ${#lanehold_line} > 30000 )); then
    # A write blocks while the other end does not read, so another process writes.
    lanehold_send "$@" 9>&- &
    lanehold_sender=$!
    disown
  else
    lanehold_send "$@" || { lanehold_failed 0; return; }
  fi
  while :; do
    lanehold_take 32 lanehold_line || { lanehold_failed $?; return; }
    [[ $lanehold_line = .* ]] || break
  done
}

# Ends with the answer of the resident process. Where it gives none this returns, with the option of the cold way.
lanehold_ask() {
  [[ $LANEHOLD_RESIDENT = off ]] && return
  lanehold_option=--start-resident
  # A person at a terminal is told more, and the resident process has none.
  [[ $1 = git-pre-push && -t 9 ]] && return
  trap '' PIPE
  # A character is a byte.
  lanehold_locale=${LC_ALL-} lanehold_sender='' lanehold_out='' lanehold_err=''
  local LC_ALL=C
  lanehold_look || return
  command exec 3<>"/dev/tcp/127.0.0.1/$lanehold_port" || return
  lanehold_tell "$@" >&3 || return
  [[ $lanehold_line = "${lanehold_theirs:0:8}"* && ${lanehold_line:8} != *[!0-9\ ]* ]] || { lanehold_failed 0; return; }
  (( lanehold_code = ${lanehold_line:8:4}, lanehold_bytes = ${lanehold_line:12:10}, lanehold_more = ${lanehold_line:22} ))
  (( lanehold_bytes == 0 )) || lanehold_take "$lanehold_bytes" lanehold_out || { lanehold_failed $?; return; }
  (( lanehold_more == 0 )) || lanehold_take "$lanehold_more" lanehold_err || { lanehold_failed $?; return; }
  [[ $lanehold_out ]] && printf %s "$lanehold_out"
  [[ $lanehold_err ]] && printf %s "$lanehold_err" >&9
  exit "$lanehold_code"
}

case ${BASH_VERSION:+$-} in
  *p*)
    lanehold_read_in_bash
    # After a push of git another hook may follow.
    [[ $1 = git-pre-push || $lanehold_unread || $lanehold_unfinished ]] || lanehold_ask "$@" ;;
  *) lanehold_read_plainly ;;
esac

lanehold_speak() {
  case ${BASH_VERSION:+$-} in
    *p*) command exec 2>&9 9>&- ;;
  esac
}

# Starts Node, and ends with what it answers. A whole answer ends with the mark and the exit code.
# Arguments: those of the event.
lanehold_cold() {
  trap - PIPE
  exec 3>&-
  [ -f "$lanehold_node" ] && [ -x "$lanehold_node" ] || lanehold_node=node
  if ! [ -f "$lanehold_hook" ] || ! command -v "$lanehold_node" >/dev/null; then
    lanehold_without 0 "the program of lanehold ($lanehold_hook) or its Node ($lanehold_node) is gone" "$@"
  fi
  set -- "--mark=$lanehold_id" ${lanehold_unread:+--unread} ${lanehold_option:+"$lanehold_option"} "$@"
  if [ "$lanehold_unread" ]; then
    lanehold_out=$("$lanehold_node" "$lanehold_hook" "$@")
  else
    lanehold_out=$(printf %s "$lanehold_input" 2>/dev/null | "$lanehold_node" "$lanehold_hook" "$@")
  fi
  lanehold_code=$?
  case $lanehold_out in
    *"$lanehold_id="[0-9]*)
      printf %s "${lanehold_out%"$lanehold_id="*}"
      exit "${lanehold_out##*"$lanehold_id="}" ;;
  esac
  shift
  [ "$lanehold_unread" = '' ] || shift
  [ "$lanehold_option" = '' ] || shift
  lanehold_without 1 "the program of lanehold ended with $lanehold_code and without an answer" "$@"
}

# Ends where nothing has answered: refuses a push of git, and a tool call that may release something.
# Arguments: the exit code at other events, what has happened, and those of the event.
lanehold_without() {
  lanehold_code=$1 lanehold_fact=$2
  shift 2
  if [ "$1" = statusline ]; then
    # The user's own line alone, with what it makes of the input.
    [ "$2" = --wrap ] || exit 0
    [ "$lanehold_unread" ] && [ "$lanehold_input" = '' ] && exec /bin/sh -c "$3"
    printf %s "$lanehold_input" 2>/dev/null | /bin/sh -c "$3"
    exit
  fi
  [ "$lanehold_code" = 0 ] || printf '%s\n' "lanehold: $lanehold_fact" >&2
  lanehold_again='lanehold install'
  [ "$1" = git-pre-push ] && lanehold_again='lanehold git-hook install'
  lanehold_root=${lanehold_hook%/hooks/*} lanehold_mend="npm install -g lanehold && $lanehold_again"
  case $lanehold_root in
    */lib/node_modules/lanehold | */_npx/*) ;;
    */node_modules/lanehold)
      lanehold_mend="npm install in ${lanehold_root%/node_modules/lanehold}, then npx $lanehold_again" ;;
    *) lanehold_mend="npm start in $lanehold_root, then its $lanehold_again; or $lanehold_mend" ;;
  esac
  case $1 in
    git-pre-push)
      # Nobody tells here whether an agent has set LANEHOLD_DISABLE. A person has `git push --no-verify`.
      echo "lanehold holds this push: $lanehold_fact; repair it with Node 22.12 or newer: $lanehold_mend" >&2
      exit 1 ;;
    before-tool) ;;
    *) exit "$lanehold_code" ;;
  esac
  # An input that was not read may be a release, so the rule is given one.
  [ "$lanehold_unread" ] && lanehold_input='git push x'
  PATH=$PATH:/usr/bin:/bin
  if printf '%s\n' "$lanehold_input" 2>/dev/null | { @RUNS_NO_RELEASE@; }; then
    case $3 in
@SILENCES@
    esac
    exit 0
  fi
  lanehold_reason="held: this cannot be checked, because $lanehold_fact. Repair it with Node 22.12 or newer: $lanehold_mend; or take its hooks out of $lanehold_settings"
  lanehold_quoted=$(printf %s "$lanehold_reason" | tr -d '\000-\037' | sed 's/["\\]/\\&/g')
  case $3 in
@REFUSALS@
    *) printf %s "$lanehold_reason" >&2; exit 2 ;;
  esac
}

# Runs the hook of git that was there before lanehold's, with the same input and arguments; if it fails, the push does.
# It may upload (git-lfs does), so it runs only once lanehold has let the push through. Its file has another name now.
# One that asks for its name, as husky's do to find their script, is read by a shell that is given the old one, which
# is lanehold's hook by now and must not run it again.
# Arguments: those of the event.
lanehold_previous() {
  lanehold_before=$2
  shift 2
  [ -f "$lanehold_before" ] && [ -x "$lanehold_before" ] || return 0
  # pre-commit starts lanehold's hook as its legacy hook, and is the previous hook itself.
  [ "$PRE_COMMIT_RUNNING_LEGACY" ] && lanehold_has 'generated by pre-commit' && return 0
  IFS= read -r lanehold_line <"$lanehold_before" || :
  lanehold_shell=${lanehold_line#'#!'} lanehold_kept=$LANEHOLD_KEPT_HOOK
  if [ "$lanehold_kept" ] || [ "$lanehold_shell" = "$lanehold_line" ] ||
    ! lanehold_has 'basename.*\$\{?0|\$\{0##\*/|^\. "\$\(dirname (-- )?"\$0"\)/(h|husky\.sh)"' ||
    ! lanehold_has '^#!(.*[ /])?(sh|bash|dash|ash|ksh)( -[[:alnum:]_]+)*[[:space:]]*$' ||
    [ "$lanehold_before" = "${lanehold_before%.before-lanehold}" ]; then
    set -- "$lanehold_before" "$@"
  else
    lanehold_shell=$(printf %s "$lanehold_shell" | tr -d '\r')
    read -r lanehold_shell lanehold_flag <<EOF
$lanehold_shell
EOF
    lanehold_kept=1
    set -- "$lanehold_shell" ${lanehold_flag:+"$lanehold_flag"} -c '. "$0.before-lanehold"' \
      "${lanehold_before%.before-lanehold}" "$@"
  fi
  printf %s "$lanehold_input" 2>/dev/null | (
    if [ "$lanehold_kept" ]; then export LANEHOLD_KEPT_HOOK=1; fi
    "$@"
  )
  lanehold_code=$?
  case $lanehold_code in
    0) return ;;
    126 | 127) echo "lanehold holds this push: $lanehold_before, the hook before it, cannot be started" >&2 ;;
  esac
  exit "$lanehold_code"
}

lanehold_has() { (PATH=$PATH:/usr/bin:/bin && LC_ALL=C grep -aqE "$1" "$lanehold_before"); }

# Ends with the answer.
lanehold_answer() {
  case ${BASH_VERSION:+$-}$1 in
    *p*git-pre-push) [ "$lanehold_unread" ] || lanehold_ask "$@" ;;
  esac
  lanehold_speak
  if [ "$lanehold_unfinished" ]; then
    lanehold_unread=1
    lanehold_without 0 'the agent has left its payload unfinished for 5 s' "$@"
  fi
  lanehold_cold "$@"
}

[ "$1" = git-pre-push ] || lanehold_answer "$@"
(lanehold_answer "$@") || exit
lanehold_speak
lanehold_previous "$@"
