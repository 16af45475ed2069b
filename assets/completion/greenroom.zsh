#compdef greenroom
# Completes `npx greenroom` too, which is how a checkout and a project run it, and asks it with `npx --no`: a TAB downloads
# nothing. Other words after npx are completed as before.
_greenroom() {
  local -a program found
  program=("${words[1]}")
  local first=2
  if [[ ${words[1]} == npx ]]; then
    if [[ ${words[2]} != greenroom || $CURRENT -lt 3 ]]; then
      ${_greenroom_npx:-_files}
      return
    fi
    program=(npx --no greenroom --)
    first=3
  fi
  found=("${(@f)$("${program[@]}" __complete "${(@)words[first,CURRENT]}" 2>/dev/null)}")
  if [[ $found[1] == :files ]]; then
    _files
  elif [[ -n $found[1] ]]; then
    found=("${(@)found//:/\\:}")
    found=("${(@)found//$'\t'/:}")
    _describe greenroom found
  fi
}
if [[ $funcstack[1] == _greenroom ]]; then
  _greenroom "$@"
else
  [[ ${_comps[npx]} == _greenroom ]] || _greenroom_npx=${_comps[npx]}
  compdef _greenroom greenroom npx
fi
