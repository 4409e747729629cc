# Part of the script in LANEHOLD_HOME: answers without Node a shell command that only reads. Its tables are
# filled in by `src/install/quick-answer.ts`. What is not known here, a key, a word or a state, is no
# success, and the hook program is started with the input that was read.

# Starts the hook program with $input before what is left of stdin.
start() {
  case $input in
    '') exec "$@" ;;
    *'}') export LANEHOLD_INPUT="$input"; exec "$@" ;;
  esac
  { printf %s "$input"; exec cat; } | "$@"
  exit
}

# A character is a byte in all that follows.
quick() {
  home=${LANEHOLD_HOME:-$HOME/.lanehold}
  case $home in /*) ;; *) return 1 ;; esac
  had=${LC_ALL+set} was=$LC_ALL
  LC_ALL=C
  if [ "$input" ] && envelope && { ended_well || reads; } && note; then return 0; fi
  if [ "$had" ]; then LC_ALL=$was; else unset LC_ALL; fi
  return 1
}

reads() { command_text && after_command && only_reads; }

# Takes from $rest what stands before the command: known keys, each once, with plain values.
envelope() {
  case $input in @RELEASE_PATTERN@|*'\u'*) return 1 ;; esac
  rest=${input#'{'} session='' cwd='' tool='' seen=' '
  while :; do
    case $rest in
      '"tool_input":{"command":"'*) rest=${rest#'"tool_input":{"command":"'}; break ;;
      '"effort":{"level":"'*)
        rest=${rest#'"effort":{"level":"'}
        value=${rest%%\"*}
        case $value in *[!a-z]*) return 1 ;; esac
        rest=${rest#"$value"}
        case $rest in '"},"'*) rest=${rest#???} ;; *) return 1 ;; esac
        continue ;;
      '"'*) ;;
      *) return 1 ;;
    esac
    key=${rest#?}
    key=${key%%\"*}
    case $seen in *" $key "*) return 1 ;; esac
    seen="$seen$key "
    rest=${rest#"\"$key\""}
    case $rest in ':"'*) rest=${rest#??} ;; *) return 1 ;; esac
    value=${rest%%\"*}
    case $value in *\\*) return 1 ;; esac
    rest=${rest#"$value"}
    case $rest in '","'*) rest=${rest#??} ;; *) return 1 ;; esac
    case $key in
      session_id) session=$value ;;
      cwd) cwd=$value ;;
      tool_name) tool=$value ;;
      transcript_path|prompt_id|permission_mode|agent_id|agent_type|hook_event_name|turn_id|model) ;;
      *) return 1 ;;
    esac
  done
  case $tools in *" $tool "*) ;; *) return 1 ;; esac
  case $session in ''|*[!0-9A-Za-z_-]*) return 1 ;; esac
  case $cwd in /*) ;; *) return 1 ;; esac
  [ "${#session}" -le 100 ]
}

# Takes the command from $rest into $text, with one " for each quoted text. No shell has to work anything
# out in it: there is no variable, no substitution, no group and no line break.
command_text() {
  text=''
  while :; do
    piece=${rest%%[\\\"\']*}
    rest=${rest#"$piece"}
    text=$text$piece
    case $rest in
      \'*)
        rest=${rest#?}
        piece=${rest%%\'*}
        case $rest in "$piece"\'*) ;; *) return 1 ;; esac
        rest=${rest#"$piece"?}
        # In JSON a quote ends the text, and a backslash or quote of the command has one before it.
        case $piece in -*) return 1 ;; esac
        left=$piece
        while :; do
          part=${left%%[\\\"]*}
          left=${left#"$part"}
          case $left in '') break ;; \\[\\\"]*) left=${left#??} ;; *) return 1 ;; esac
        done
        # Numbers of lines are kept, for sed.
        case $piece in ''|*[!0-9,p]*) text=$text\" ;; *) text=$text$piece ;; esac ;;
      \\\"*)
        rest=${rest#??}
        piece=${rest%%\"*}
        case $rest in "$piece"\"*) ;; *) return 1 ;; esac
        rest=${rest#"$piece"?}
        case $piece in *\\) piece=${piece%?} ;; *) return 1 ;; esac
        case $piece in -*|*[\$\`\\]*) return 1 ;; esac
        text=$text\" ;;
      \"*) rest=${rest#?}; break ;;
      *) return 1 ;;
    esac
  done
  case $text in *[!A-Za-z0-9\ _./:,@%+=~^?*!\&\|\;\>\"-]*) return 1 ;; esac
}

# Behind the command come only keys that say something about it.
after_command() {
  while :; do
    case $rest in
      '}'*) rest=${rest#?}; break ;;
      ',"description":"'*)
        rest=${rest#',"description":"'}
        while :; do
          piece=${rest%%\"*}
          case $rest in "$piece"\"*) ;; *) return 1 ;; esac
          rest=${rest#"$piece"?}
          while :; do case $piece in *\\\\) piece=${piece%??} ;; *) break ;; esac; done
          case $piece in *\\) ;; *) break ;; esac
        done ;;
      ',"timeout":'*|',"run_in_background":'*)
        rest=${rest#*:}
        piece=${rest%%[,\}]*}
        case $piece in ''|*[!0-9a-z]*) return 1 ;; esac
        rest=${rest#"$piece"} ;;
      *) return 1 ;;
    esac
  done
  case $event:$rest in
    after-tool:',"tool_response":'*) return 0 ;;
    before-tool:',"tool_use_id":"'*)
      rest=${rest#',"tool_use_id":"'}
      piece=${rest%%\"*}
      case $piece in *\\*) return 1 ;; esac
      rest=${rest#"$piece"?} ;;
  esac
  [ "$event:$rest" = before-tool:'}' ]
}

# Whether $text is nothing but programs that only read. $name is the first that is not a change of folder.
only_reads() {
  had_ifs=$IFS IFS=' '
  set -f
  set -- $text
  IFS=$had_ifs
  set +f
  at='' name=''
  for word do
    case $word in
      '&&'|'||'|'|'|';')
        case $at in @WHOLE@) ;; *) return 1 ;; esac
        at=''
        case $name$word in 'cd&&'|'cd;') name='' ;; esac
        continue ;;
      '2>&1'|'2>/dev/null'|'>/dev/null')
        case $at in @WHOLE@) continue ;; *) return 1 ;; esac ;;
    esac
    ends=''
    case $word in *';') word=${word%?} ends=1 ;; esac
    case $word in ''|*[\&\|\;\>]*|*\"-*) return 1 ;; esac
    case $at:$word in
@TABLE@
      *) return 1 ;;
    esac
    [ "$name" ] || name=$word
    [ "$ends" ] || continue
    case $at in @WHOLE@) ;; *) return 1 ;; esac
    at=''
    [ "$name" != cd ] || name=''
  done
  case $at in @WHOLE@) ;; *) [ "$ends" ] || return 1 ;; esac
}

# Whether this is the end of a command that did not fail and wrote no file that the agent knows of, in a session
# in which no command has failed yet. $name is its program.
ended_well() {
  [ "$event" = after-tool ] || return 1
  case $input in *'"bashEditDiff"'*) return 1 ;; *'}') ;; *) return 1 ;; esac
  [ ${#input} -lt @LONGEST@ ] || return 1
  name=${rest%%[!A-Za-z0-9_.+-]*}
  case $name in ''|cd) return 1 ;; esac
  case $rest in "$name"' '*|"$name"'","'*|"$name"'"}'*) ;; *) return 1 ;; esac
  [ "${#name}" -le 40 ] && [ ! -e "$home/sessions/$agent-$session.loops" ]
}

# Leaves what the hook program would leave, where that has begun to: files that are not there are its to make.
note() {
  whose=$agent-$session
  trace=$home/traces/$agent/$session
  spool=$home/spool/$whose.jsonl
  [ -f "$trace.commands" ] || return 1
  # Notes that are told before commands, and what a session is told after it has forgotten.
  [ ! -s "$home/recall-commands" ] && [ ! -e "$trace.compacted" ] || return 1
  if [ "$LANEHOLD_RECALL" = off ] || [ -e "$home/spool/unrecorded/$whose.jsonl" ]; then
    spool=''
  else
    [ -f "$spool" ] || return 1
  fi
  in_main_worktree || return 1
  case $event in
    before-tool) outcome='null'; printf '' >"$trace.commands" || return 1 ;;
    after-tool)
      outcome='"passed","settles":true'
      case $input in *'}')
        size=${input#*'"tool_response":'}
        size=${size%\}}
        size=${size%%',"tool_use_id":'*}
        outcome="$outcome,\"outputBytes\":${#size}" ;;
      esac ;;
  esac
  [ "$spool" ] || return 0
  case ${name:=cd} in
    git) category=git ;;
    grep|rg|find|ls|tree) category=search ;;
    cat|head|tail|sed|wc) category=read ;;
    *) category=other ;;
  esac
  printf '\n{"kind":"command","name":"%s","category":"%s","outcome":%s,"agent":"%s","session":"%s","cwd":"%s"}\n' \
    "$name" "$category" "$outcome" "$agent" "$session" "$cwd" >>"$spool"
}

# A lane works in a linked worktree, where `.git` is a file.
in_main_worktree() {
  from=$PWD
  cd -P "$cwd" 2>/dev/null || return 1
  folder=$PWD
  cd "$from" 2>/dev/null
  while [ "$folder" ]; do
    if [ -e "$folder/.git" ]; then
      [ -d "$folder/.git" ]
      return
    fi
    folder=${folder%/*}
  done
  return 1
}
