# This rule judges a tool call if Node or the program of lanehold is gone: it reads the call on stdin, and fails if the
# call may release something. Every entry in settings, the script in LANEHOLD_HOME and every plugin has the line below,
# or starts this file.
#
# The rule does not read the shell's language: a word of a release counts anywhere in a value of a key like `command`,
# in a call of a server, or in a text that is no JSON. It turns backslashes into underscores and underscores into
# dashes. Then it drops escaped quotes, backslashes and line ends, which would divide a word, and NUL, at which grep begins a
# line. No client escapes an ASCII letter in JSON, so an escaped one counts as a release. If one of its programs is
# missing, the rule fails. It has no `$`, no `//` and no two backslashes, which some agents and shells would read.
export LC_ALL=C; { cat; echo; } | tr 'A-Z\n\134_' 'a-z _-' | tr -d '\000\047' | sed -E 's:_{3,}n::g; s:__?n: :g; s:_["_]::g; s:_[rt]: :g' | grep -qvE '_u00[4-7]|(^ *[^{ ].*|mcp.*|command[a-z-]*"? *(: *"?[^"]*|: *[[{].*)?)(publish|deploy|release|upload|promote|rollout|send-pack|(push|apply|merge|[^a-z]ship|create-pull|[^a-z][pm]r[^a-z]([^"]*[^a-z])?(create|new))[^a-z])' || env | grep -qx LANEHOLD_DISABLE=1
