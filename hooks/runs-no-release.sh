# Where Node or the program of lanehold is gone: reads a tool call on stdin, and fails if it may release something.
# Every entry in settings, the script in LANEHOLD_HOME and every plugin has the line below, or starts this file.
#
# It reads no shell: a word of a release counts wherever it stands in a value of a key like `command`, in a call
# of a server, or in what is no JSON. A backslash is made an underscore, and an underscore a dash; then escaped
# quotes, backslashes and line ends go, which would part a word, and NUL, at which grep begins a line of its own.
# No client escapes a letter of ASCII in JSON, so one counts as a release. Without the programs that it takes, it fails.
# It has no `$`, no `//` and no two backslashes, which some agents and shells would read.
export LC_ALL=C; { cat; echo; } | tr 'A-Z\n\134_' 'a-z _-' | tr -d '\000\047' | sed -E 's:_{3,}n::g; s:__?n: :g; s:_["_]::g; s:_[rt]: :g' | grep -qvE '_u00[4-7]|(^ *[^{ ].*|mcp.*|command[a-z-]*"? *(: *"?[^"]*|: *[[{].*)?)(publish|deploy|release|upload|promote|rollout|send-pack|(push|apply|merge|[^a-z]ship|create-pull|[^a-z][pm]r[^a-z]([^"]*[^a-z])?(create|new))[^a-z])' || env | grep -qx LANEHOLD_DISABLE=1
