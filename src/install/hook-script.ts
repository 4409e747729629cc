/**
 * The script in LANEHOLD_HOME that the settings of agents start: POSIX sh between an agent and the hook
 * program, for the case that Node or the package was removed and the settings still call them. The agent
 * would then run every command, or none where the entry makes it block. The script refuses a command that
 * releases something and lets everything else pass, all edits included.
 *
 * Where the program is there it starts it, or answers itself what only reads (`quick-answer.ts`). Else
 * it reads the command with `awk`: dash, bash and busybox run it, with mawk, gawk and the awk of the BSDs.
 */
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { HookOutput } from '../agents/types.ts';
import type { Home } from '../base/files/home.ts';
import { readText, writeTarget } from '../base/files/user-files.ts';
import { isJsonObject, parsedJson } from '../base/text/json.ts';
import { type RawPayload, RELEASE_WORDS } from '../base/text/raw-payload.ts';
import { shellQuoted } from '../base/text/shell-quote.ts';
import { readManifest } from './manifest.ts';
import { type QuickAgent, quickAnswer } from './quick-answer.ts';

const PRIVATE_PROGRAM = 0o700;

export function hookScriptFile(home: Pick<Home, 'root'>): string {
  return join(home.root, 'lanehold-hook.sh');
}

/** What the script has to know of an agent. */
export interface ScriptAgent extends QuickAgent {
  readonly commands: RawPayload['commands'];
  /** How the adapter refuses a command for a reason, and what it prints where it has no opinion. */
  readonly refusal: (reason: string) => HookOutput;
  readonly silence: HookOutput;
}

/** Callers hold the lock. */
export function writeHookScript(home: Home, agents: readonly ScriptAgent[]): void {
  const file = hookScriptFile(home);
  if (!isCurrentScript(file, agents)) writeTarget(file, hookScript(agents), PRIVATE_PROGRAM);
}

/** If no settings that lanehold knows of start it any more. */
export function removeHookScript(home: Home): void {
  if (readManifest(home).length === 0) rmSync(hookScriptFile(home), { force: true });
}

export function isCurrentScript(file: string, agents: readonly ScriptAgent[]): boolean {
  const stats = statSync(file, { throwIfNoEntry: false });
  return (
    stats?.isFile() === true && (stats.mode & 0o077) === 0 && readText(file) === hookScript(agents)
  );
}

/** Arguments: Node, the hook program, the settings file of the agent, and what the hook program gets. */
export function hookScript(agents: readonly ScriptAgent[]): string {
  return `#!/bin/sh
# Made by \`lanehold install\`, which writes it anew; the settings of agents start it.
node=$1 hook=$2 settings=$3
shift 3
if [ -f "$hook" ]; then
  [ -f "$node" ] && [ -x "$node" ] || { wanted=$node node=; command -v node >/dev/null && node=node; }
else
  node=
fi
${quickAnswer(agents)}
[ "$1" = before-tool ] || exit 0
case $3 in
${agents.map(caseOf).join('\n')}
  *) exit 0 ;;
esac
if [ "$LANEHOLD_DISABLE" = 1 ]; then printf %s "$NONE"; exit $NONE_CODE; fi
root=\${hook%/hooks/*}
case $root in
  */lib/node_modules/lanehold | */_npx/*) mend='npm install -g lanehold && lanehold install' ;;
  */node_modules/lanehold) mend="npm install in \${root%/node_modules/lanehold}, then npx lanehold install" ;;
  *) mend="npm start in $root, then its lanehold install; or npm install -g lanehold && lanehold install" ;;
esac
if [ -f "$hook" ]; then
  REASON="held: this cannot be checked, because the Node of lanehold ($wanted) is gone. Install Node 22.12 or newer, then run: node $root/bin/lanehold.js install"
else
  REASON="held: this cannot be checked, because lanehold is installed here but its program ($hook) is gone. Repair it: $mend"
fi
REASON="$REASON; or take its hooks out of $settings"
${refusalOfReleases()}`;
}

/**
 * Lines of sh that end a script: with the refusal in `$REASON` if the payload on stdin releases something,
 * else with no opinion. A line of `refusalWords` comes before.
 */
export function refusalOfReleases(): string {
  return `PATH=$PATH:/usr/bin:/bin LC_ALL=C
export REASON FIELDS REFUSAL IN_JSON CODE NONE NONE_CODE PATH LC_ALL
exec awk ${shellQuoted(AWK)} >&$stream
`;
}

const REASON = '@REASON@';

const caseOf = (agent: ScriptAgent): string => `  ${agent.name}) ${refusalWords(agent)} ;;`;

/**
 * Assignments for `refusalOfReleases`. Either stream of a refusal may have the reason, as plain text or as a
 * text of JSON.
 */
export function refusalWords({ commands, refusal, silence }: Omit<ScriptAgent, 'name'>): string {
  const { stdout, stderr, exitCode } = refusal(REASON);
  const isOnStdout = stdout.includes(REASON);
  const printed = isOnStdout ? stdout : stderr;
  const values = {
    FIELDS: commands.map((keys) => keys.join('.')).join(' '),
    REFUSAL: printed,
    IN_JSON: isJsonObject(parsedJson(printed)) ? '1' : '',
    CODE: String(exitCode),
    NONE: silence.stdout,
    NONE_CODE: String(silence.exitCode),
    stream: isOnStdout ? '1' : '2',
  };
  const set = Object.entries(values).map(([key, value]) => `${key}=${shellQuoted(value)}`);
  return set.join(' ');
}

const ONE_OF = RELEASE_WORDS.join('|');

/**
 * Records are what stands between quotes, so each string of the payload is one or more of them. Words count only where a shell would take them for a program or its first arguments.
 */
const AWK = String.raw`
BEGIN { RS = "\""; found = 0; queued = 0 }
inside == 0 {
  structure($0)
  inside = 1
  text = ""
  wanted = !value || isField(fieldNow())
  next
}
{
  # Joining the many pieces of a file that is written would take minutes.
  if (wanted) text = text $0
  if (!object) crude = crude " " $0
  if (match($0, /\\+$/) && RLENGTH % 2 == 1) { if (wanted) text = text "\""; next }
  inside = 0
  if (kind[depth] == "{" && !value) key[depth] = text
  else if (value && wanted) { queue(unescaped(text)); placed = 1 }
}
END {
  # What is no JSON is read as it stands.
  if (!object) { found = crude ~ /${ONE_OF}/ }
  else for (at = 1; at <= queued && !found; at++) scan(queued_text[at])
  if (!found) { printf "%s", ENVIRON["NONE"]; exit ENVIRON["NONE_CODE"] + 0 }
  reason = ENVIRON["REASON"]
  if (ENVIRON["IN_JSON"]) { gsub(/\\/, "\\\\", reason); gsub(/"/, "\\\"", reason) }
  gsub(/[\001-\037]/, " ", reason)
  parts = split(ENVIRON["REFUSAL"], part, "${REASON}")
  for (at = 1; at <= parts; at++) printf "%s%s", (at > 1 ? reason : ""), part[at]
  exit ENVIRON["CODE"] + 0
}
# A text where an object was expected is the command itself.
function isField(name) {
  return index(" " ENVIRON["FIELDS"] " ", " " name " ") || index(" " ENVIRON["FIELDS"], " " name ".")
}
function structure(s,   i, c) {
  crude = crude " " s
  for (i = 1; i <= length(s); i++) {
    c = substr(s, i, 1)
    if (c == "{" || c == "[") { depth++; kind[depth] = c; key[depth] = ""; value = c == "["; object = 1 }
    else if (c == "}" || c == "]") depth--
    else if (c == ":") value = 1
    else if (c == ",") value = kind[depth] == "["
  }
}
function fieldNow(   i, name) {
  name = key[1]
  for (i = 2; i <= depth; i++) name = name "." key[i]
  return name
}
function unescaped(s,   out, i, c, n, j) {
  out = ""
  while ((i = index(s, "\\")) > 0) {
    out = out substr(s, 1, i - 1)
    c = substr(s, i + 1, 1)
    s = substr(s, i + 2)
    if (c == "n" || c == "r") out = out "\n"
    else if (c == "t" || c == "b" || c == "f") out = out " "
    else if (c == "u") {
      n = 0
      for (j = 1; j <= 4; j++) n = n * 16 + index("0123456789abcdef", tolower(substr(s, j, 1))) - 1
      s = substr(s, 5)
      out = out (n > 0 && n < 128 ? sprintf("%c", n) : "?")
    } else out = out c
  }
  return out s
}
# More than this many texts in texts are a trick.
function queue(s) { if (queued >= 50) found = 1; else queued_text[++queued] = s }
# A piece of the text at a time: taking one letter of a long one is slow in some awks.
function letter(i) {
  if (i < low || i >= low + 256) { low = i; piece = substr(all, low, 256) }
  return substr(piece, i - low + 1, 1)
}
function scan(s,   n, i, c, next_c, word_end, here, line, stop) {
  all = s; n = length(s); low = 1; piece = substr(s, 1, 256)
  d = 0; open(""); here = 0
  for (i = 1; i <= n && !found; i++) {
    c = letter(i); next_c = i < n ? letter(i + 1) : ""
    if (c == "\\") { i++; if (next_c != "\n") put(next_c); continue }
    if (c == "$" && next_c == "(") { put("$"); open(")"); i++; continue }
    if (c == "\140") { if (till[d] == "\140" && !quoted[d]) close_one(); else { put("$"); open("\140") } continue }
    if (c == "\"") { quoted[d] = !quoted[d]; put(""); continue }
    if (quoted[d]) { put(c); continue }
    if (c == "'") {
      put("")
      for (i++; i <= n && (c = letter(i)) != "'"; i++) put(c)
      continue
    }
    if (c == "#" && !has[d]) { while (i < n && letter(i + 1) != "\n") i++; continue }
    if (c == " " || c == "\t") { word(); continue }
    if (c == "(") { finish(); open(")"); continue }
    if (c == ")") { if (till[d] == ")") close_one(); else drop(); continue }
    if (c == "<" && next_c == "<" && letter(i + 2) != "<") {
      for (i += 2; i <= n && (letter(i) == "-" || letter(i) == " "); i++) { }
      stop = ""
      for (; i <= n && (c = letter(i)) !~ /[ \t\n;|&<>()]/; i++) if (c !~ /["'\\]/) stop = stop c
      i--
      here++; here_stop[here] = stop; here_runs[here] = isShell(base(words[d, 1]))
      continue
    }
    if (c == "<" || c == ">" || (c == "&" && next_c == ">")) { word(); skip[d] = 1; continue }
    if (c == "&" && skip[d] && !has[d]) continue
    if (c == "\n") {
      finish()
      for (line = 1; line <= here; line++) i = body(here_stop[line], here_runs[line], i, n)
      here = 0
      continue
    }
    if (c == ";" || c == "|" || c == "&") { finish(); continue }
    put(c)
  }
  while (d > 1) close_one()
  finish()
}
function body(stop, runs, i, n,   text, line, c) {
  text = ""
  while (i < n) {
    line = ""
    for (i++; i <= n && (c = letter(i)) != "\n"; i++) line = line c
    c = line; sub(/^\t+/, "", c)
    if (c == stop) break
    text = text line "\n"
  }
  if (runs) queue(text)
  return i
}
function open(ends) { d++; till[d] = ends; quoted[d] = 0; has[d] = 0; now[d] = ""; count[d] = 0; skip[d] = 0 }
function close_one() { finish(); if (d > 1) d--; else till[d] = "" }
function put(c) { now[d] = now[d] c; has[d] = 1 }
function word() {
  if (!has[d]) return
  if (skip[d]) skip[d] = 0
  else words[d, ++count[d]] = now[d]
  now[d] = ""; has[d] = 0
}
function finish() { word(); if (count[d] > 0) judge(count[d]); count[d] = 0; skip[d] = 0 }
# The pattern of a case.
function drop() { word(); count[d] = 0 }
function base(w) { sub(/^.*\//, "", w); return w }
function isShell(w) { return w ~ /^(sh|bash|dash|zsh|ksh|ash|fish)$/ }
function isRelease(w) {
  w = tolower(w)
  return w ~ /^(${ONE_OF}|ship)([:_-]|$)/ || w ~ /[:_-](${ONE_OF}|ship)$/
}
function judge(n,   k, w, b, left) {
  for (k = 1; k <= n; k++) {
    w = words[d, k]; b = base(w)
    if (w ~ /^[A-Za-z_][A-Za-z0-9_]*\+?=/) continue
    if (w ~ /^(if|then|else|elif|do|while|until|!|[{}]|fi|done|esac)$/) continue
    if (b ~ /^(sudo|doas|env|nohup|nice|ionice|time|timeout|command|exec|builtin|xargs|stdbuf|setsid|busybox)$/) {
      while (k < n && words[d, k + 1] ~ /^(-.*|[0-9.]+[smhd]?)$/) k++
      continue
    }
    if (b == "find") {
      while (k < n && words[d, k] !~ /^-(exec|execdir|ok|okdir)$/) k++
      continue
    }
    break
  }
  if (k > n) return
  if (b == "eval") { w = ""; while (++k <= n) w = w " " words[d, k]; queue(w); return }
  if (b ~ /^(echo|printf|cat|head|tail|less|more|[efz]?grep|rg|ag|ack|sed|g?awk|ls|cd|pushd|mkdir|touch|rm|cp|mv|ln|test|\[\[?|which|type|man|wc|sort|uniq|cut|tr|diff|jq|yq|stat|file|tee|export|local|read|set|unset|alias|vim?|nano|code|pwd|true|false|:)$/) return
  if (b ~ /^(ssh|su|docker|podman|kubectl|tmux|script|watch)$/)
    for (left = k + 1; left <= n; left++) if (words[d, left] ~ /[ \t]/) queue(words[d, left])
  if (b == "git") { git(k, n); return }
  if (b ~ /^(gh|glab)$/ && words[d, k + 1] ~ /^[pm]r$/ && words[d, k + 2] == "create") { found = 1; return }
  if (isRelease(b) || (w ~ /\// && isRelease(stem(b)))) { found = 1; return }
  if (isShell(b) || b ~ /^(node|python[0-9.]*|ruby|perl|php|deno|tsx|ts-node|source|\.)$/) {
    for (left = k + 1; left <= n && !found; left++) {
      w = words[d, left]
      if (isShell(b) && w ~ /^-[A-Za-z]*c$/) { queue(words[d, left + 1]); return }
      if (w ~ /^-/) continue
      if (isRelease(stem(base(w)))) found = 1
      if (b !~ /^(python|deno)/) return
    }
    return
  }
  left = 5
  while (++k <= n && left > 0) {
    w = words[d, k]
    if (w == "--" && words[d, k - 1] !~ /^(exec|x|dlx|npx|pnpx|bunx)$/) return
    if (w ~ /^--(push|publish|deploy)$/) { found = 1; return }
    if (w ~ /^-/) continue
    left--
    if (w !~ /[ \t\n\/.]/ && isRelease(w)) { found = 1; return }
  }
}
function stem(w) { sub(/\.[a-z]+$/, "", w); return w }
function git(k, n,   w) {
  while (++k <= n) {
    w = words[d, k]
    if (w ~ /^(-C|-c|--git-dir|--work-tree|--namespace|--exec-path|--config-env)$/) { k++; continue }
    if (w ~ /^-/) continue
    if (w ~ /^(push|send-pack|http-push)$/) found = 1
    if (w ~ /^(subtree|lfs)$/) while (++k <= n) { if (words[d, k] == "push") found = 1 }
    return
  }
}
`;
