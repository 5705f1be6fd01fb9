# Make completions for a shell from what --help prints: bigshuf --help | awk -v shell=bash|zsh|fish -f completions.awk
#
# What an argument is called there tells what can stand for it: FILE or F, DIR, COMMAND, this|that or N|this:N, or KIND,
# of which all are listed below; other arguments are numbers and texts, which no shell can guess.

# An option, whose text may go on in the following lines.
/^  (-.,|   ) --/ {
    finish()
    letter = substr($0, 3, 1) == "-" ? substr($0, 4, 1) : ""
    name = substr($0, 9)
    sub(/ .*/, "", name)
    argument = ""
    optional = sub(/\[=/, "=", name)
    if (match(name, /=/)) {
        argument = substr(name, RSTART + 1)
        name = substr(name, 1, RSTART - 1)
        if (optional)
            sub(/\]$/, "", argument)
    }
    values = ""
    forms = split(argument, form, "|")
    for (i = 1; i <= forms; i++)
        if (match(form[i], /^[a-z]+:?/))
            values = values (values == "" ? "" : " ") substr(form[i], 1, RLENGTH)
    text = substr($0, 33, 1) == " " ? substr($0, 34) : ""
    next
}

# A kind, and a colon if something follows it.
name != "" && argument == "KIND" && substr($0, 1, 35) ~ /^ +$/ {
    if (match(substr($0, 36), /^[a-z0-9]+:?/))
        values = values (values == "" ? "" : " ") substr($0, 36, RLENGTH)
    next
}

name != "" && substr($0, 1, 33) ~ /^ +$/ {
    text = text (text == "" ? "" : " ") substr($0, 34)
    next
}

{ finish() }

# The option that was read is complete.
function finish() {
    if (name == "")
        return
    sub(/:$/, "", text)
    names = names "\n--" name (letter == "" ? "" : "\n-" letter)
    if (values != "")
        cases = cases "    " (optional ? "" : "--" name " | ") "--" name "=) COMPREPLY=($(compgen -W '" spread(values) "' -- \"$word\")) ;;\n"
    if (shell == "zsh")
        lines = lines "    " zsh_option() " \\\n"
    if (shell == "fish")
        lines = lines fish_option() "\n"
    name = ""
}

# One on each line.
function spread(words) {
    gsub(/ /, "\n", words)
    return words
}

# In single quotes, in which `quote` stands for one.
function quoted(string, quote) {
    gsub(/'/, quote, string)
    return "'" string "'"
}

# What is special within an option of _arguments.
function escaped(string) {
    gsub(/[][\\:]/, "\\\\&", string)
    return string
}

# '(-o --output)'{-o+,--output=}'[text]:FILE:_files'; an option that may be repeated excludes nothing.
function zsh_option(rest, action, end) {
    rest = "[" escaped(text) "]"
    action = " "
    if (argument ~ /^(F|FILE)$/)
        action = "_files"
    if (argument == "DIR")
        action = "_files -/"
    if (argument == "COMMAND")
        action = "_command_names -e"
    if (values != "")
        action = "(" escaped(values) ")"
    if (argument != "")
        rest = rest (optional ? "::" : ":") escaped(argument) ":" action
    rest = quoted(rest, "'\\''")
    end = argument == "" ? "" : optional ? "=-" : "="
    if (text ~ /may be repeated/)
        return letter == "" ? "'*'--" name end rest : "'*'{-" letter "+,--" name end "}" rest
    if (letter == "")
        return "--" name end rest
    return "'(-" letter " --" name ")'{-" letter (argument == "" ? "" : "+") ",--" name end "}" rest
}

function fish_option(line) {
    line = "complete -c bigshuf" (letter == "" ? "" : " -s " letter) " -l " name
    if (argument ~ /^(F|FILE)$/)
        line = line " -r -F"
    else if (argument == "DIR")
        line = line " -x -a '(__fish_complete_directories)'"
    else if (argument == "COMMAND")
        line = line " -x -a '(__fish_complete_command)'"
    else if (values != "")
        line = line (optional ? " -f" : " -x") " -a '" values "'"
    else if (argument != "" && !optional)
        line = line " -x"
    return line " -d " quoted(text, "\\'")
}

# Files are what bash completes when the function finds nothing.
END {
    finish()
    if (shell == "bash") {
        print "_bigshuf() {"
        print "    local IFS=$'\\n' word=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]}"
        print "    COMPREPLY=()"
        print "    if [ \"$word\" = = ]; then"
        print "        word= option+=\"=\""
        print "    elif [ \"$option\" = = ]; then"
        print "        option=${COMP_WORDS[COMP_CWORD - 2]}="
        print "    fi"
        print "    case $option in"
        printf "%s", cases
        print "    *)"
        print "        case $word in"
        print "        -*) COMPREPLY=($(compgen -W '" substr(names, 2) "' -- \"$word\")) ;;"
        print "        esac"
        print "        ;;"
        print "    esac"
        print "}"
        print "complete -o default -F _bigshuf bigshuf"
    }
    if (shell == "zsh")
        printf "#compdef bigshuf\n\n_arguments -s -S \\\n%s    '*:FILE:_files'\n", lines
    if (shell == "fish")
        printf "%s", lines
}
