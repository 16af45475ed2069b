import { readFileSync } from 'node:fs'
import { Argument, type Command, type Option } from 'commander'
import { api, byKey } from './client.js'
import { type Cli, example } from './io.js'
import { collect, first, print, printLine } from './output.js'
import { profileNames } from './profiles.js'
import { onOneLine } from './text.js'

/**
 * The argument with which the scripts in assets/completion/ call the program for each TAB. It is not a command, so that no
 * word is parsed as an option.
 */
export const COMPLETE = '__complete'
/** Printed instead of completions to make the shell complete file names. */
const FILES = ':files'

/** The path is valid from both src/ and dist/. */
const SCRIPTS = new URL('../../assets/completion/', import.meta.url)
const SHELLS = ['bash', 'zsh']

export function addCompletion(program: Command, cli: Cli): void {
  program
    .command('completion')
    .description('print a script for bash or zsh that completes commands, options and their values')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .addHelpText('after', example('source <(greenroom completion bash)'))
    .action((shell: string) => print(cli, readFileSync(new URL(`greenroom.${shell}`, SCRIPTS), 'utf8')))
}

/** Prints the completions of the last word, one per line. A tab separates the completion from its description. */
export async function printCompletions(program: Command, cli: Cli, words: string[]): Promise<void> {
  for (const { word, meaning } of await complete(program, cli, words)) {
    printLine(cli, meaning === undefined ? word : `${word}\t${onOneLine(meaning)}`)
  }
}

interface Completion {
  word: string
  meaning?: string
}

async function complete(program: Command, cli: Cli, given: string[]): Promise<Completion[]> {
  const words = given.filter((word) => word !== '=')
  // After a bare `=` the value is still empty.
  const current = given.at(-1) === '=' ? '' : (words.pop() ?? '')
  // The arguments of `help` are the words of a command.
  const followed = follow(program, words[0] === 'help' ? words.slice(1) : words)
  const { command, values, option } = followed
  const ids = (placeholder: string): Promise<Completion[]> => idsOf(cli, placeholder, followed)
  const found =
    option !== undefined
      ? await valuesOf(cli, option.argChoices, option.flags, ids)
      : current.startsWith('-')
        ? optionsOf(command)
        : [...commandsOf(command), ...(await argumentsOf(cli, command, values.length, ids))]
  return found.filter(({ word }) => word === FILES || word.startsWith(current))
}

/** Follows words to a command. Returns it with its arguments and options, and the option that still needs a value. */
function follow(program: Command, words: string[]) {
  let command = program
  const values: string[] = []
  const options: Record<string, string> = {}
  let option: Option | undefined
  for (const word of words) {
    if (option !== undefined) {
      options[option.attributeName()] = word
      option = undefined
    } else if (word.startsWith('-')) {
      const named = allOptions(command).find((each) => [each.long, each.short].includes(word))
      option = named?.required || named?.optional ? named : undefined
    } else {
      const next = command.commands.find((each) => each.name() === word)
      if (next === undefined) values.push(word)
      else command = next
    }
  }
  return { command, values, option, options }
}

/** Returns the command's own options and the global ones. */
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

type IdsOf = (placeholder: string) => Promise<Completion[]>

async function argumentsOf(cli: Cli, command: Command, given: number, ids: IdsOf): Promise<Completion[]> {
  const argument = command.registeredArguments[given]
  return argument === undefined ? [] : valuesOf(cli, argument.argChoices, `<${argument.name()}>`, ids)
}

async function valuesOf(
  cli: Cli,
  choices: string[] | undefined,
  placeholder: string,
  ids: IdsOf,
): Promise<Completion[]> {
  if (choices !== undefined) return choices.map((word) => ({ word }))
  if (placeholder.includes('<profile>')) return profileNames(cli).map((word) => ({ word }))
  return placeholder.includes('<file>') ? [{ word: FILES }] : ids(placeholder)
}

/** A person does not wait longer than this after pressing TAB. */
const SERVER_TIMEOUT_MS = 1_500

type Named = { id: string; name?: string }

/** Lists the candidates. Without an organization, lists those of the key's organization. */
type List = (cli: Cli, organization: string | undefined) => Promise<readonly Named[]>

/** The part of an id already typed may match any organization, so all must be read. */
const ORGANIZATIONS_MAX = 5_000
const POSTS_MAX = 200
const LIMITS = { timeoutMs: SERVER_TIMEOUT_MS, maxRetries: 0 }

/** Combines the list for an organization and the list for a key. */
const ofEither =
  (
    operation: 'listWorkspaces' | 'listOrganizationChannels' | 'listOrganizationAdAccounts',
    group: 'workspaces' | 'channels' | 'adAccounts',
  ): List =>
  (cli, organizationId) =>
    organizationId === undefined
      ? byKey(cli, undefined, LIMITS)[group].list()
      : api(cli, LIMITS).call(operation, { organizationId })

const LISTS: Record<string, List> = {
  organization: (cli) => collect(first(api(cli, LIMITS).items('listOrganizations'), ORGANIZATIONS_MAX)),
  workspace: ofEither('listWorkspaces', 'workspaces'),
  channel: ofEither('listOrganizationChannels', 'channels'),
  'ad-account': ofEither('listOrganizationAdAccounts', 'adAccounts'),
  post: async (cli, organizationId) => {
    const query = { limit: POSTS_MAX }
    const posts =
      organizationId === undefined
        ? byKey(cli, undefined, LIMITS).scheduledPosts.list(query)
        : api(cli, LIMITS)
            .call('listOrganizationScheduledPosts', { organizationId, query })
            .then(({ items }) => items)
    return (await posts).map(({ id, status, mediumsData }) => {
      return { id, name: `${status} ${Object.values(mediumsData)[0]?.caption ?? ''}`.slice(0, 60).toWellFormed() }
    })
  },
  key: async (cli, organizationId) =>
    organizationId === undefined ? [] : api(cli, LIMITS).call('listKeys', { organizationId }),
}

/**
 * Returns the ids that the server knows for `<channel>`, `--channel <id>` and others, or none if it does not answer in time.
 */
async function idsOf(
  cli: Cli,
  placeholder: string,
  { values, options, command }: ReturnType<typeof follow>,
): Promise<Completion[]> {
  const [, long, name] = /^(?:--([\w-]+) )?<([\w-]+)/.exec(placeholder) ?? []
  const list = LISTS[name === 'id' ? long! : (name ?? '')]
  if (list === undefined) return []
  const place = command.registeredArguments.findIndex((argument) => argument.name() === 'organization')
  try {
    const found = await list(cli, options.organization ?? values[place])
    return found.map(({ id, name }) => ({ word: id, ...(name && { meaning: name }) }))
  } catch {
    // Without a server or credentials there are no completions and no errors.
    return []
  }
}
