import { Argument, type Command, InvalidArgumentError, Option } from 'commander'
import type { Field } from '../interface/generated/commands.js'
import { readData, readJson, readSecret, toId, toInstant, toWholeNumber } from './input.js'
import type { Cli } from './io.js'

/** Command-line names for fields and parameters whose own names do not suit options. */
const WORDS: Readonly<Record<string, string>> = {
  accessToken: 'token',
  allowedAddresses: 'allow-address',
  automatedNotice: 'notice',
  birthdayWithinDays: 'birthday-within',
  creativeTemplateId: 'superpower',
  dayOfMonth: 'day',
  deliveriesPerSecond: 'per-second',
  expiresAt: 'expires',
  fromId: 'person',
  mediumId: 'channel',
  mentions: 'mention',
  noPurchaseForDays: 'without-purchase',
  platformId: 'platform-id',
  privateRepliesPerHour: 'per-hour',
  renewVerifyToken: 'verify-token',
  scheduledPostId: 'post',
  scheduledPostIds: 'post',
  superpower: 'data',
  weekdays: 'weekday',
}

/** Returns `ad-account` for `adAccountId`. */
export const wordOf = (name: string): string =>
  WORDS[name] ?? name.replace(/(?<=.)Id$/, '').replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** These are read from a file or from stdin, because other users can see the arguments of a running program. */
const SECRETS = ['accessToken', 'secret', 'instagramSecret']
export const isSecret = ([name]: Field): boolean => SECRETS.includes(name)
const INSTANTS = /At$|^scheduledFor$/
/** Ids of the platform may contain a comma, so these values are never split. */
const WHOLE = ['mark', 'unmark']
/** The value that stands for null in a list that may be null, for example the events of a webhook. */
const ALL = 'all'

/** Returns the name of a field's option without the dashes. */
export const flagOf = (field: Field): string => wordOf(field[0]) + (isSecret(field) ? '-file' : '')

const kindOf = ([, type]: Field): string => type.replace(/[!?]/g, '')
export const isNullable = ([, type]: Field): boolean => type.endsWith('?')
const isList = (field: Field): boolean => ['list', 'numbers'].includes(kindOf(field))

/** Returns the options of a field: one that sets it, and `--no-…` if it may be null or false. */
export function optionsOf(field: Field, isMandatory: boolean): Option[] {
  const [name, , text = '', choices] = field
  const flag = flagOf(field)
  const { is, isNot } = splitHelp(text)
  const kind = kindOf(field)
  if (kind === 'flag') return [new Option(`--${flag}`, is)]
  const without = new Option(`--no-${wordOf(name)}`, isNot || (kind === 'boolean' ? 'the opposite' : 'none'))
  if (kind === 'boolean') return [new Option(`--${flag}`, is), without]
  const help = [is, howToGive(field, isNot)].filter(Boolean).join('; ')
  const option = new Option(`--${flag} ${placeholderOf(field)}`, help).makeOptionMandatory(isMandatory)
  // An option with choices would accept them only in this case.
  if (choices !== undefined) option.choices([...choices])
  const parse = parserOf(field)
  if (parse !== undefined) option.argParser(parse)
  return isNullable(field) && !isList(field) ? [option, without] : [option]
}

/** Describes the format of an option's value if the field's description does not. */
function howToGive(field: Field, isNot: string): string {
  const [name] = field
  if (name === 'text') return '- for stdin'
  if (INSTANTS.test(name)) return 'or relative to now: +12h, +90d'
  if (isSecret(field)) return 'read from this file, or from stdin with -'
  if (kindOf(field).startsWith('object')) return 'JSON, @file, or - for stdin'
  return isList(field) && isNullable(field) ? `${ALL}: ${isNot}` : ''
}

/** Returns the given value of a field: false for `--no-…`, undefined if no option was given. */
export function givenOf(command: Command, field: Field): unknown {
  const names = optionsOf(field, false).map((option) => option.attributeName())
  const given = names.filter((name) => command.getOptionValueSource(name) === 'cli')
  return given.length === 0 ? undefined : command.opts()[given.at(-1)!]
}

/** Returns the argument for a field. `usage` is its word in brackets. */
export function argumentOf(field: Field, usage: string): Argument {
  const [, , text = '', choices] = field
  const argument = new Argument(usage, splitHelp(text).is)
  if (choices !== undefined) argument.choices([...choices])
  const parse = parserOf(field)
  return parse === undefined ? argument : argument.argParser(parse)
}

function placeholderOf(field: Field): string {
  const [name] = field
  if (isSecret(field)) return '<file>'
  if (INSTANTS.test(name)) return '<time>'
  if (isList(field)) return '<values...>'
  const kind = kindOf(field)
  return kind === 'integer' || kind === 'number'
    ? '<number>'
    : kind.startsWith('object')
      ? '<json>'
      : `<${wordOf(name)}>`
}

/** Adapts a description of the API for help. The part about null or false becomes the help of `--no-…`. */
function splitHelp(text: string): { is: string; isNot: string } {
  const plain = text.replaceAll('`', '').replace(/^true: /, '')
  const parts = plain.split(/(?<=[.;]) /).map((part) => toLower(part.replace(/[.;]$/, '')))
  const isOther = (part: string): boolean => /^(null|false) /.test(part)
  const [isNot = ''] = parts.filter(isOther)
  return { is: parts.filter((part) => !isOther(part)).join('; '), isNot: isNot.replace(/^(null|false) (for )?/, '') }
}

/** Converts the first letter to lower case, except in words that are all capitals. */
const toLower = (text: string): string => text.replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase())

/** Parses values that need only their text. `readValue` does the rest. */
function parserOf(field: Field): ((given: string, before: unknown) => unknown) | undefined {
  const [name, , , choices] = field
  const kind = kindOf(field)
  const one =
    kind === 'integer' || kind === 'numbers'
      ? toWholeNumber
      : kind === 'number'
        ? toNumber
        : choices !== undefined
          ? (given: string) => toChoice(given, choices)
          : /.Id$/.test(name)
            ? toId
            : undefined
  if (!isList(field)) return one
  return (given, before = []) => {
    const parts = WHOLE.includes(name) ? [toId(given)] : given.split(',').map((part) => part.trim())
    return [
      ...(before as unknown[]),
      ...parts.filter(Boolean).map((part) => (part === ALL ? part : (one?.(part) ?? part))),
    ]
  }
}

function toNumber(given: string): number {
  if (given.trim() !== '' && Number.isFinite(Number(given))) return Number(given)
  throw new InvalidArgumentError('It must be a number.')
}

function toChoice(given: string, choices: readonly string[]): string {
  const found = choices.find((choice) => choice.toLowerCase() === given.trim().toLowerCase())
  if (found !== undefined) return found
  throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.`)
}

/** Converts the value of an option or argument to the value that the service expects. */
export async function readValue(cli: Cli, field: Field, given: unknown): Promise<unknown> {
  const [name, type] = field
  if (given === false && !type.startsWith('boolean')) return null
  if (isNullable(field) && isList(field) && (given as unknown[]).includes(ALL)) return null
  if (typeof given !== 'string') return given
  const words = wordOf(name).replaceAll('-', ' ')
  if (isSecret(field)) {
    const prompt = words.replace(/^./, (letter) => letter.toUpperCase())
    return readSecret(cli, given === '-' ? undefined : given, { prompt, noun: words })
  }
  if (INSTANTS.test(name)) return toInstant(cli, given)
  if (name === 'text' && given === '-') return (await readData(cli, given)).toString()
  return type.startsWith('object') ? readJson(cli, given, `--${flagOf(field)}`, type.startsWith('objects')) : given
}
