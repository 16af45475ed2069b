import { Argument, type Command, type Option } from 'commander'
import { type Cli, example } from './io.js'
import { print, printLine } from './output.js'
import { profileNames } from './profiles.js'

/** What the scripts call at each TAB; not a command, so that no word is parsed as an option. */
export const COMPLETE = '__complete'
/** Printed in place of words, so that the shell offers files. */
const FILES = ':files'

const SCRIPTS = {
  // Bash makes = a word of its own.
  bash: `_greenroom() {
  local IFS=$'\\n'
  COMPREPLY=($("\${COMP_WORDS[0]}" ${COMPLETE} "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1))
  if [[ \${COMPREPLY[0]} == ${FILES} ]]; then
    COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}"))
    compopt -o filenames 2>/dev/null
  fi
}
complete -F _greenroom greenroom
`,
  zsh: `#compdef greenroom
_greenroom() {
  local -a found
  found=("\${(@f)$("\${words[1]}" ${COMPLETE} "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ $found[1] == ${FILES} ]]; then
    _files
  elif [[ -n $found[1] ]]; then
    found=("\${(@)found//:/\\\\:}")
    found=("\${(@)found//$'\\t'/:}")
    _describe greenroom found
  fi
}
if [[ $funcstack[1] == _greenroom ]]; then _greenroom "$@"; else compdef _greenroom greenroom; fi
`,
}

export function addCompletion(program: Command, cli: Cli): void {
  program
    .command('completion')
    .description('print a script that completes commands, options and their values: bash or zsh')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(SCRIPTS)))
    .addHelpText('after', example('source <(greenroom completion bash)'))
    .action((shell: keyof typeof SCRIPTS) => print(cli, SCRIPTS[shell]))
}

/** Prints the completions of the last word, one per line: the word, and after a tab its description. */
export function printCompletions(program: Command, cli: Cli, words: string[]): void {
  for (const { word, meaning } of complete(program, cli, words)) {
    printLine(cli, meaning === undefined ? word : `${word}\t${meaning}`)
  }
}

interface Completion {
  word: string
  meaning?: string
}

function complete(program: Command, cli: Cli, given: string[]): Completion[] {
  const words = given.filter((word) => word !== '=')
  // After a bare = the value is still empty.
  const current = given.at(-1) === '=' ? '' : (words.pop() ?? '')
  const { command, values, option } = follow(program, words)
  const found =
    option !== undefined
      ? valuesOf(cli, option.argChoices, option.flags)
      : current.startsWith('-')
        ? optionsOf(command)
        : [...commandsOf(command), ...argumentsOf(cli, command, values)]
  return found.filter(({ word }) => word === FILES || word.startsWith(current))
}

/** What the words select: the command, how many of its arguments are given, and the option that waits for its value. */
function follow(program: Command, words: string[]) {
  let command = program
  let values = 0
  let option: Option | undefined
  for (const word of words) {
    if (option !== undefined) {
      option = undefined
    } else if (word.startsWith('-')) {
      const named = allOptions(command).find((each) => [each.long, each.short].includes(word))
      option = named?.required || named?.optional ? named : undefined
    } else {
      const next = command.commands.find((each) => each.name() === word)
      if (next === undefined) values++
      else command = next
    }
  }
  return { command, values, option }
}

/** The command's own options and the global ones. */
function allOptions(command: Command): Option[] {
  const own = command.createHelp().visibleOptions(command)
  return command.parent === null
    ? own
    : [...own, ...allOptions(command.parent).filter(({ long }) => !own.some((each) => each.long === long))]
}

const optionsOf = (command: Command): Completion[] =>
  allOptions(command).map(({ long, short, description }) => ({ word: long ?? short!, meaning: description }))

const commandsOf = (command: Command): Completion[] =>
  command
    .createHelp()
    .visibleCommands(command)
    .map((each) => ({ word: each.name(), meaning: each.description() }))

function argumentsOf(cli: Cli, command: Command, values: number): Completion[] {
  const argument = command.registeredArguments[values]
  return argument === undefined ? [] : valuesOf(cli, argument.argChoices, `<${argument.name()}>`)
}

function valuesOf(cli: Cli, choices: string[] | undefined, placeholder: string): Completion[] {
  if (choices !== undefined) return choices.map((word) => ({ word }))
  if (placeholder.includes('<profile>')) return profileNames(cli).map((word) => ({ word }))
  return placeholder.includes('<file>') ? [{ word: FILES }] : []
}
