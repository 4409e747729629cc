# Part of the script in LANEHOLD_HOME: answers without Node what certainly needs nothing: a shell command that only
# reads, an edit and a prompt to which there is nothing to say. Its tables are filled in by
# `src/install/quick-answer.ts`. What is not known here, a key, a word or a state, is no success, and the hook program
# is started with the input that was read.

# A character is a byte from here on.
begin() {
  had=${LC_ALL+set} was=$LC_ALL
  LC_ALL=C
  home=${LANEHOLD_HOME:-$HOME/.lanehold}
  case $home in /*) ;; *) return 1 ;; esac
  # What is measured is the hook program.
  [ "$input" ] && [ -z "$LANEHOLD_TRACE" ] && envelope
}

# What an agent writes has to find a reader to its end.
answered() {
  case $event$input in after-tool*'}') [ ${#input} -lt @LONGEST@ ] || cat >/dev/null ;; after-tool*) cat >/dev/null ;; esac
  exit 0
}

not_answered() {
  if [ "$had" ]; then LC_ALL=$was; else unset LC_ALL; fi
  start "$node" "$hook" "$@"
}

# Takes from $rest what stands before the command or the path, which $field tells: known keys, each once, with plain
# values.
envelope() {
  rest=${input#'{'} session='' cwd='' tool='' sub='' field='' seen=' '
  while :; do
    case $rest in
      '"tool_input":{"'*)
        rest=${rest#'"tool_input":{"'}
        field=${rest%%\"*}
        rest=${rest#"$field"}
        case $rest in '":"'*) rest=${rest#???}; break ;; *) return 1 ;; esac ;;
      '"prompt":"'*) rest=${rest#'"prompt":"'} field=prompt; break ;;
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
      agent_id) sub=$value ;;
      transcript_path|prompt_id|permission_mode|agent_type|hook_event_name|turn_id|model) ;;
      *) return 1 ;;
    esac
  done
  case $tool$field in *[!A-Za-z_]*) return 1 ;; esac
  case $tools in *" $tool:$field "*) ;; *) return 1 ;; esac
  case $session in ''|*[!0-9A-Za-z_-]*) return 1 ;; esac
  case $cwd in /*) ;; *) return 1 ;; esac
  whose=$agent-$session
  [ "${#session}" -le 100 ]
}

# Where what is done is recorded: a file that is not there is the hook program's to make.
recorded() { known_session && { [ ! "$spool" ] || [ -f "$spool" ]; }; }

known_session() {
  spool=$home/spool/$whose.jsonl
  # What a session is told after it has forgotten.
  [ ! -e "$home/traces/$agent/$session.compacted" ] || return 1
  if [ "$LANEHOLD_RECALL" = off ] || [ -e "$home/spool/unrecorded/$whose.jsonl" ]; then spool=''; fi
  in_main_worktree
}

# From here on a file can be written up to the size at which the hook program begins to leave things out, and what
# does not succeed is left out as well. The signal that would tell of it ends a process.
bounded() { ulimit -S -f 3906 && trap '' 25 && umask 077; }

# The size of the tool's answer, where all of it was read.
answer_size() {
  bytes=''
  case $input in *'}') [ ${#input} -lt @LONGEST@ ] || return 0 ;; *) return 0 ;; esac
  before=${rest%%',"tool_response":'*}
  [ "$before" != "$rest" ] || return 0
  whole=${rest%%',"tool_use_id":'*}
  [ "$whole" != "$rest" ] || whole=${rest%\}}
  bytes=",\"outputBytes\":$((${#whole} - ${#before} - 17))"
}

# A lane works in a linked worktree, where `.git` is a file.
in_main_worktree() { real_folder "$cwd" && project; }

# $folder becomes the root of its repository, which is nothing out of the ordinary.
project() {
  while [ "$folder" ]; do
    [ ! -e "$folder/HEAD" ] || return 1
    if [ -e "$folder/.git" ]; then
      [ ! -L "$folder/.git" ] && [ -f "$folder/.git/HEAD" ] && [ -d "$folder/.git/objects" ] &&
        [ -d "$folder/.git/refs" ] && [ ! -e "$folder/.git/commondir" ]
      return
    fi
    folder=${folder%/*}
  done
  return 1
}

real_folder() {
  from=$PWD
  cd -P "$1" 2>/dev/null || return 1
  folder=$PWD
  cd "$from" 2>/dev/null || :
}

# An edit of a file of which the session has been told all, or of which there is nothing to say before it.
edit() {
  file=${rest%%\"*}
  case $rest in "$file"\"[,\}]*) ;; *) return 1 ;; esac
  case $file in *\\*) return 1 ;; /*) ;; *) return 1 ;; esac
  case $event in
    before-tool) { all_told || nothing_to_say; } && in_main_worktree ;;
    after-tool) all_told && edited ;;
  esac
}

# The file is nowhere near one that holds depend on (`src/moments/lifecycle/guarded-files.ts`), and its project has nothing
# that could be recalled.
nothing_to_say() {
  case $file in @GUARDED@) return 1 ;; "$home"/*|"$GIT_CONFIG_GLOBAL") return 1 ;; esac
  [ -z "@ELSEWHERE@" ] && real_folder "$home" || return 1
  case $file in "$folder"/*) return 1 ;; esac
  itself && project && nothing_remembered
}

# $folder becomes that of the file, of which the path is no link to another one.
itself() { real_folder "${file%/*}" && [ "$folder" = "${file%/*}" ] && [ ! -L "$file" ]; }

nothing_remembered() {
  [ -s "$home/recall-projects" ] || return 0
  while IFS= read -r it; do
    case $it in '*'|"$folder/.git") return 1 ;; esac
  done <"$home/recall-projects"
}

# What `src/moments/lifecycle/told-edits.ts` has noted still holds.
all_told() {
  [ "${#file}" -le 200 ] || return 1
  had_ifs=$IFS IFS=/
  set -f
  set -- $file
  IFS=_
  name="$*"
  IFS=$had_ifs
  set +f
  told=$home/sessions/$whose.all-told
  { IFS= read -r of && IFS= read -r whom && IFS= read -r root; } <"$told/$name" || return 1
  [ "$of" = "$file" ] && [ "$whom" = "$sub" ] && itself || return 1
  unchanged "$told/since" "$home/recall-projects" "$home/recall-files" "$home/local-features" "$home/config.json" \
    "$home/settled" "$root/lanehold.json"
}

# Whether the other files are older than the first one, as far as they are there.
unchanged() {
  since=$1
  shift
  [ -f "$since" ] || return 1
  for it do
    [ ! -e "$it" ] || [ "$it" -ot "$since" ] || return 1
  done
}

# Leaves what the hook program takes in later.
edited() {
  recorded || return 1
  edits=$home/sessions/$whose.edits/$name made=''
  [ -f "$edits" ] || return 1
  IFS= read -r made <"$edits"
  # Of twelve the session is told.
  [ "${#made}" -ne 11 ] && bounded || return 1
  printf '%s\n' "$file" >>"$home/sessions/$whose"
  [ ! -e "$home/sessions/$whose.loops" ] || printf 'edited\n' >>"$home/sessions/$whose.loops"
  [ "${#made}" -gt 11 ] || printf . >>"$edits"
  [ "$spool" ] || return 0
  answer_size
  printf '\n{"kind":"edit","paths":["%s"],"outcome":"passed"%s,"agent":"%s","session":"%s","cwd":"%s"}\n' \
    "$file" "$bytes" "$agent" "$session" "$cwd" >>"$spool"
  return 0
}

@COMMANDS@
command_reads() {
  [ "$event" = after-tool ] || [ ${#input} -lt @LONGEST@ ] || return 1
  case $input in @RELEASE_PATTERN@|*'\u'*) return 1 ;; esac
  { ended_well || reads; } && note
}

reads() { command_text && after_command && only_reads; }

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

# Leaves what the hook program would leave.
note() {
  trace=$home/traces/$agent/$session
  [ -f "$trace.commands" ] || return 1
  # Notes that are told before commands.
  [ ! -s "$home/recall-commands" ] && recorded || return 1
  case $event in
    before-tool) outcome='null' bytes=''; printf '' >"$trace.commands" || return 1 ;;
    after-tool) outcome='"passed","settles":true'; answer_size ;;
  esac
  [ "$spool" ] || return 0
  case ${name:=cd} in
    git) category=git ;;
    grep|rg|find|ls|tree) category=search ;;
    cat|head|tail|sed|wc) category=read ;;
    *) category=other ;;
  esac
  bounded || return 1
  printf '\n{"kind":"command","name":"%s","category":"%s","outcome":%s%s,"agent":"%s","session":"%s","cwd":"%s"}\n' \
    "$name" "$category" "$outcome" "$bytes" "$agent" "$session" "$cwd" >>"$spool"
  return 0
}

@PROMPTS@
# Words of a prompt of which nothing has to be taken out or kept apart before they are recorded.
plain_words() {
  said=${rest%%\"*}
  case $rest in "$said"'"}') ;; *) return 1 ;; esac
  [ "${#said}" -le 1000 ] || return 1
  case $said in ''|\ *|*\ |*[!A-Za-z\ ,.?\']*|@LONG_WORD@|@TELLING@) return 1 ;; esac
}

# Nothing is looked up for such words.
only_common() {
  had_ifs=$IFS IFS=' ,.?'\'
  set -f
  set -- $said
  IFS=$had_ifs
  set +f
  for word do
    case $word in ''|?|@COMMON@) ;; *) return 1 ;; esac
  done
}

# A prompt in a session that has nothing new to be told.
prompt() {
  plain_words && [ -f "$home/traces/$agent/$session" ] && [ ! -e "$home/runs/lanes" ] || return 1
  [ ! -e "$home/sessions/pending" ] || [ "$home/sessions/pending" -ot "$home/sessions/$whose.told" ] || return 1
  known_session && { nothing_remembered || only_common; } || return 1
  [ "$spool" ] || return 0
  { IFS= read -r of; } <"$home/sessions/$whose.recorded" && [ "$of" = "$cwd" ] || return 1
  unchanged "$home/sessions/$whose.recorded" "$home/config.json" "$folder/lanehold.json" && bounded || return 1
  # Its time is that of the prompt.
  printf '' >"$home/sessions/$whose.spoke"
  printf '\n{"kind":"prompt","text":"%s","rules":[],"agent":"%s","session":"%s","cwd":"%s"}\n' \
    "$said" "$agent" "$session" "$cwd" >>"$spool"
  return 0
}
