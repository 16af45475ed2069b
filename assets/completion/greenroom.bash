# Completes `npx greenroom` too, which is how a checkout and a project run it, and asks it with `npx --no`: a TAB downloads
# nothing. Other words after npx are completed as before.
_greenroom() {
  local IFS=$'\n'
  # Bash makes = a word of its own.
  local -a program=("${COMP_WORDS[0]}") words=("${COMP_WORDS[@]:1:COMP_CWORD}")
  if [[ ${program[0]} == npx ]]; then
    [[ ${words[0]} == greenroom && COMP_CWORD -gt 1 ]] || return
    program=(npx --no greenroom --)
    words=("${words[@]:1}")
  fi
  COMPREPLY=($("${program[@]}" __complete "${words[@]}" 2>/dev/null | cut -f1))
  if [[ ${COMPREPLY[0]} == :files ]]; then
    COMPREPLY=($(compgen -f -- "${COMP_WORDS[COMP_CWORD]}"))
    compopt -o filenames 2>/dev/null
  fi
}
complete -F _greenroom greenroom
complete -p npx >/dev/null 2>&1 || complete -o default -F _greenroom npx
