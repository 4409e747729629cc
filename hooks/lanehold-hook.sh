#!/bin/sh
# This is the entry of every hook, and of status lines. Settings of agents, their plugins and git's own hook start it:
#   <node> <hook program> <settings> <event> <arguments of the event>
# It asks the resident process, which needs bash. If that gives no whole answer, it starts Node on the hook program:
# this is the cold way. If Node gives none either, a rule in sh judges the same input.
#
# The build makes `dist/lanehold-hook.sh` of this file, with the rule and the denials of all agents, and
# `lanehold install` copies the result. The names of variables begin with `lanehold_`, because a variable that is also
# in the environment would reach all programs.

# With -p, bash reads no BASH_ENV, no SHELLOPTS and no functions of the environment. It warns of a missing locale, which
# is no business of the agent, so standard error is descriptor 9 until there is something to say.
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
# `lanehold_id` names the event, and marks the end of the hook program's answer.
lanehold_id=$$ lanehold_input='' lanehold_unread='' lanehold_unfinished='' lanehold_option=''

# Some versions of these agents leave the input open.
lanehold_open=''
case $3 in @OPEN_INPUTS@) lanehold_open=1 ;; esac
[ "$1" = statusline ] && lanehold_open=1

# A shell reads a script only as far as it runs it, so the part that most events need stands first. These functions are
# for bash. Other shells read them too, and run only the first two.

# A later pipe would take the descriptor of a closed input, so this opens /dev/null in its place.
lanehold_close_input() { { true 3<&0; } 2>/dev/null || exec </dev/null; }

# Reads the input without bash, or with an old one. Node reads an input that may stay open.
lanehold_read_plainly() {
  lanehold_close_input
  lanehold_unread=$lanehold_open
  [ "$lanehold_open" ] || lanehold_input=$(cat 2>/dev/null; echo .)
  lanehold_input=${lanehold_input%.}
}

lanehold_is_before() { (( BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] < $1 )); }

# The input may be a socket, which `$(<file)` cannot open, and `$(cat)` would start another process.
lanehold_read() { IFS= LC_ALL=C TMOUT='' read -r -N 268435456 "$@" lanehold_input; }

lanehold_read_in_bash() {
  # The time comes first, because the database then stores the ids of one time together.
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
        # The limit is for an input that has stopped: a long one may take longer.
        lanehold_round=1
      else
        # The input is complete only if nothing has come for a whole wait, because its writer may be slow.
        [[ $lanehold_so_far = *'}' || $lanehold_so_far = *'}'[[:space:]] ]] && break
      fi
    done
    lanehold_input=$lanehold_so_far
    (( lanehold_round <= 50 )) || lanehold_unfinished=1
  fi
  # Node can still read what comes later through a pipe that does not block.
  [[ $lanehold_input ]] || { lanehold_unread=1; lanehold_close_input; }
}

# Succeeds if there is the address of a running resident process.
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
  # A container may share the home and the network, but its processes count as those of another machine.
  [[ /proc/self/ns/mnt -ef /proc/$lanehold_pid/ns/mnt && /proc/self/root -ef /proc/$lanehold_pid/root ]] || return
  IFS= read -r lanehold_line </proc/"$lanehold_pid"/stat || return
  # Bash has no time limit for connecting: with a stopped process and a full backlog that would take minutes.
  [[ ${lanehold_line##*) } != [Tt]* ]] || lanehold_failed 129
}

# Gives up the resident process. The argument is the status of the failed command; above 128 its time has run out. The
# address file is then renamed, so that the next events go the cold way at once, and a process that wakes up ends.
lanehold_failed() {
  # Another resident process may have written its own address meanwhile.
  (( $1 > 128 )) && IFS= read -r lanehold_line <"$lanehold_address" &&
    [[ $lanehold_line = *" $lanehold_theirs "* ]] && mv -f "$lanehold_address" "$lanehold_address.gone"
  [[ $lanehold_sender ]] && kill -KILL "$lanehold_sender"
  return 1
}

# Sends the request. Bash writes one piece for each call of printf, and the resident process answers each incomplete
# piece, so one call writes all. An old bash, or one on a system without /proc, has `env` print the environment.
lanehold_send() {
  if [[ $lanehold_printed ]]; then
    printf '\0%s' "$lanehold_id" "$PPID" "$lanehold_folder" ${#lanehold_input} $# "$@" ''
    # The environment has the locale of the user, not that of this function.
    if [[ $lanehold_locale ]]; then LC_ALL=$lanehold_locale; else unset LC_ALL; fi
    env -0 && printf '\0%s' "$lanehold_input"
  else
    eval 'printf "\0%s" "$lanehold_id" "$PPID" "$lanehold_folder" ${#lanehold_input} $# "$@" \
      "${lanehold_variables[@]}" "" "$lanehold_input"'
  fi
}

# Reads a number of bytes, the first argument, into a variable, the second.
lanehold_take() {
  if lanehold_is_before 401; then
    IFS= read -r -t 1 -u 3 -d '' -n "$1" "$2"
  else
    IFS= read -r -t 1 -u 3 -N "$1" "$2"
  fi
}

# Sends the event after the other end has shown its secret, and reads the first line of the answer.
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

  # Another program may listen on the port, and send anything or nothing.
  lanehold_take 33 lanehold_line || { lanehold_failed $?; return; }
  [[ $lanehold_line = "$lanehold_theirs"$'\n' ]] || return
  lanehold_option=--event-id=$lanehold_id
  eval 'lanehold_line="$lanehold_input${lanehold_variables[*]}"'
  if [[ $lanehold_printed ]] || (( ${#lanehold_line} > 30000 )); then
    # A long write blocks while the other end does not read, so another process writes.
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

# Ends with the answer of the resident process. If there is none, it returns, and sets the option for the cold way.
lanehold_ask() {
  [[ $LANEHOLD_RESIDENT = off ]] && return
  lanehold_option=--start-resident
  # A person at a terminal gets a longer text, and the resident process has no terminal.
  [[ $1 = git-pre-push && -t 9 ]] && return
  trap '' PIPE
  # In this locale a character is a byte.
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
    # After git's own hook an earlier one may follow, so `lanehold_answer` asks for it in a subshell.
    [[ $1 = git-pre-push || $lanehold_unread || $lanehold_unfinished ]] || lanehold_ask "$@" ;;
  *) lanehold_read_plainly ;;
esac

lanehold_speak() {
  case ${BASH_VERSION:+$-} in
    *p*) command exec 2>&9 9>&- ;;
  esac
}

# Starts Node, and ends with its answer. A whole answer ends with the mark and the exit code. The arguments are those
# of the event.
lanehold_cold() {
  trap - PIPE
  exec 3>&-
  [ -f "$lanehold_node" ] && [ -x "$lanehold_node" ] || lanehold_node=node
  if ! [ -f "$lanehold_hook" ] || ! command -v "$lanehold_node" >/dev/null; then
    lanehold_without 0 "the program of lanehold ($lanehold_hook) or its Node ($lanehold_node) is gone" "$@"
  fi
  set -- "--mark=$lanehold_id" ${lanehold_unread:+--unread} ${lanehold_option:+"$lanehold_option"} "$@"
  # V8 gets 8 MB for new objects, so most events end before its first garbage collection. A Node that does not know the
  # option ends with 9 before it reads anything.
  for lanehold_heap in --min-semi-space-size=8 ''; do
    if [ "$lanehold_unread" ]; then
      lanehold_out=$("$lanehold_node" ${lanehold_heap:+"$lanehold_heap"} "$lanehold_hook" "$@")
    else
      lanehold_out=$(printf %s "$lanehold_input" 2>/dev/null |
        "$lanehold_node" ${lanehold_heap:+"$lanehold_heap"} "$lanehold_hook" "$@")
    fi
    lanehold_code=$?
    [ "$lanehold_code$lanehold_out" = 9 ] || break
  done
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

# Ends without an answer: it refuses a push of git, and a tool call that may release something. The arguments are the
# exit code at other events, the fact, and the arguments of the event.
lanehold_without() {
  lanehold_code=$1 lanehold_fact=$2
  shift 2
  if [ "$1" = statusline ]; then
    # The user's own line is printed alone.
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
      # An agent may have set LANEHOLD_DISABLE, so it does not count here. A person has `git push --no-verify`.
      echo "lanehold holds this push: $lanehold_fact; repair it with Node 22.12 or newer: $lanehold_mend" >&2
      exit 1 ;;
    before-tool) ;;
    *) exit "$lanehold_code" ;;
  esac
  # An input that was not read may be a release, so the rule gets the text of one.
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

# Runs the git hook that was there before lanehold's, with the same input and arguments; if it fails, the push fails.
# It may upload, as that of git-lfs does, so it runs only after lanehold has let the push through. Its file was renamed.
# A hook that reads its own name, as those of husky do to find their script, is run by a shell under the old name, which
# is lanehold's hook by now and must not run it again. The arguments are those of the event.
lanehold_previous() {
  lanehold_before=$2
  shift 2
  [ -f "$lanehold_before" ] && [ -x "$lanehold_before" ] || return 0
  # pre-commit is the previous hook, and starts lanehold's hook as its legacy hook: it must not start again.
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

# Ends with the answer to the event.
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
