import { type Command, Option } from 'commander'
import type { ChangeOptions, CreateOptions } from '../client/index.js'
import { COMMANDS, type Field } from '../interface/generated/commands.js'
import { API_ROUTES, V1_ROUTES } from '../interface/generated/routes.js'
import { api, byKey } from './client.js'
import { groupNamed } from './command.js'
import { argumentOf, flagOf, givenOf, isNullable, isSecret, optionsOf, readValue, wordOf } from './fields.js'
import { ORGANIZATION_HELP, toId, toWholeNumber } from './input.js'
import { type Cli, CliError, example } from './io.js'
import { printLink } from './link.js'
import { type ListView, note, printLine, printObject, printRows } from './output.js'
import { addSureOption, confirmRemoval, deleteAll } from './removal.js'

type Fields = Record<string, unknown>
type ApiId = keyof typeof API_ROUTES

/** The response of any operation. */
// biome-ignore lint/suspicious/noExplicitAny: a table has no types
export type Answer = any

/** The call that a command makes. */
export interface TableCall {
  cli: Cli
  /** The client of the surface, with `call`, `pages` and `items`. */
  client: Answer
  /** The parameters of the path. */
  ids: Record<string, string>
  query: Fields
  body: Fields
  /** The arguments by name, and the options by flag. */
  given: Readonly<Record<string, string>>
  /** The parsed options. */
  options: Fields
  /** Makes the call. */
  send(options?: ChangeOptions & CreateOptions): Promise<Answer>
}

/** The parts of a command that cannot be derived from its operation. */
export interface Spec {
  /** The description of the command. Defaults to the summary of the operation. */
  description?: string
  /** The operation of /v1 to call with a key if no organization is given; true for the one with the same name. */
  key?: true | keyof typeof V1_ROUTES
  /** The part of the example after the ids. */
  sample?: string
  /** Fields of the body that the command itself sets. */
  set?: Fields
  /** Turns the path parameters into options instead of arguments. */
  named?: true
  /**
   * The names of the fields that get options. Defaults to all fields that are neither set nor arguments. After a name with
   * `!`, there is no option that clears the field.
   */
  fields?: string
  /**
   * Describes what is lost, and makes the command ask for confirmation, as each DELETE does. `{word}` inserts an argument;
   * null means that `run` asks.
   */
  warning?: string | null
  /** A DELETE that does not ask for confirmation, because another command can undo it. */
  isUndoable?: true
  /** Adds an option to print only the id. */
  quiet?: true
  /** A remark to print after the result. */
  remark?: string
  /** The counts to add up when a deletion takes several calls. */
  totals?: string
  /** How to show a list: its columns, which of them to leave out first, and more. */
  columns?: string
  dropFirst?: string
  view?: Omit<ListView<Answer>, 'columns' | 'noun'>
  noun?: string
  /** How many rows of a list are shown by default; all of them if undefined. */
  defaultLimit?: number
  /** Adds options of its own. */
  extend?: (command: Command) => void
  /** Completes the call before it is made, so that no option is mandatory. */
  fill?: (call: TableCall) => Promise<void> | void
  /** Prints the response. */
  show?: (cli: Cli, answer: Answer) => void
  /** Makes the call and prints its response. */
  run?: (call: TableCall) => Promise<void>
}

/** A command of a group. */
interface TableRow {
  usage: string
  operation: ApiId
  spec: Spec
}

export interface TableGroup {
  name: string
  about: string
  rows: readonly TableRow[]
}

export const group = (name: string, about: string, rows: readonly TableRow[]): TableGroup => ({ name, about, rows })

/**
 * Returns a row: the name with its arguments, the operation, and the spec. Path parameters that `usage` does not name become
 * the first arguments.
 */
export const row = (usage: string, operation: ApiId, spec: Spec = {}): TableRow => ({ usage, operation, spec })

/** Ids that the examples use. */
const SAMPLES: Readonly<Record<string, string>> = {
  ...{ organization: 'org_5V3kPq', workspace: 'ws_2Hc7Yd', channel: 'FB_PAGE_104512883716042' },
  ...{ 'ad-account': '23846105', post: 'post_9Xw2Kd', key: 'key_8Zr2Lm', person: 'usr_4Tb9Wn', cuid: 'cu_1001' },
  ...{ media: 'media_7Tq2Wd', superpower: 'template_4Rt8Qs', 'saved-text': 'text_4Rt8Qs', segment: 'seg_4Rt8Qs' },
  ...{ source: 'src_7Hc2Rt', problem: 'prb_9Lk3Tz', webhook: 'webhook_3Kd8Wq', delivery: 'event_7Hc2Rt' },
  ...{ message: 'msg_3Kd8Wz', invitation: 'inv_9Qd2Xs', link: 'lnk_3Kd8Wz', token: 'tok_5Hq2Lm' },
  ...{ conversation: 't_1001', series: 'series_7Hq2Lm' },
  ...{ kind: 'shopify', id: '207119551', name: 'anna' },
}

/** Adds the commands of a table. Arguments and options come from the routes and fields of their operations. */
export function addTable(program: Command, cli: Cli, groups: readonly TableGroup[]): void {
  for (const { name, about, rows } of groups) {
    const command = groupNamed(program, name).description(about)
    for (const each of rows) addRow(command, define(cli, name, each))
  }
}

/** An operation of one surface and its fields. */
interface Operation {
  id: string
  route: string
  params: string[]
  query: readonly Field[]
  body: readonly Field[]
}

function operationOf(routes: Readonly<Record<string, string>>, id: string): Operation {
  const route = routes[id]!
  const [, query, body] = COMMANDS[id]!
  return { id, route, params: [...route.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!), query, body }
}

/** Fields that lists set themselves. The caller has --limit and --all instead. */
const PAGING = ['limit', 'after']

/** A command of the table, completed from its operations. */
interface CommandDefinition {
  cli: Cli
  group: string
  verb: string
  spec: Spec
  operation: Operation
  /** The operation to call with a key, if there is one. */
  keyOperation: Operation | undefined
  /** The arguments by name, each with its brackets. */
  usage: ReadonlyMap<string, string>
  all: readonly Field[]
  /** The fields that have options. */
  fields: readonly Field[]
  isList: boolean
  isAsking: boolean
  /** True if an option of the command removes a secret; with that option it asks for confirmation. */
  removesSecret: boolean
}

function define(cli: Cli, group: string, { usage, operation: id, spec }: TableRow): CommandDefinition {
  const operation = operationOf(API_ROUTES, id)
  const keyOperation = spec.key && operationOf(V1_ROUTES, spec.key === true ? id : spec.key)
  const [verb = '', ...named] = usage.split(' ')
  const words = named.map((word) => word.replaceAll(/[<[\].>]/g, ''))
  const params = spec.named ? [] : (keyOperation ?? operation).params.map(wordOf)
  const before = params.filter((word) => !words.includes(word))
  const isList = / (list|page)$/.test(operation.route) && spec.show === undefined && spec.run === undefined
  const isDelete = operation.route.startsWith('DELETE') && spec.isUndoable === undefined
  const definition: CommandDefinition = {
    ...{ cli, group, verb, spec, operation, keyOperation, isList, isAsking: isDelete || spec.warning !== undefined },
    usage: new Map([
      ...before.map((word) => [word, `<${word}>`] as const),
      ...words.map((word, at) => [word, named[at]!] as const),
    ]),
    all: fieldsOf(operation, keyOperation),
    fields: [],
    removesSecret: false,
  }
  const fields = optionFields(definition)
  return { ...definition, fields, removesSecret: fields.some((field) => isSecret(field) && isNullable(field)) }
}

/** Returns the fields of both operations, without duplicate flags. */
function fieldsOf(operation: Operation, other: Operation | undefined): Field[] {
  const all = [...operation.query, ...operation.body, ...(other?.query ?? []), ...(other?.body ?? [])]
  return [...new Map(all.map((field) => [flagOf(field), field])).values()]
}

/** Returns the field of an argument, or undefined for a parameter of the path. */
const fieldOf = (definition: CommandDefinition, word: string): Field | undefined =>
  definition.operation.params.some((name) => wordOf(name) === word)
    ? undefined
    : definition.all.find(([name]) => wordOf(name) === word)

/** Returns the fields that have options. A command whose arguments or `set` already say what to change has no others. */
function optionFields(definition: CommandDefinition): Field[] {
  const { spec, operation, usage, isList } = definition
  const all = definition.all.filter(([name]) => !usage.has(wordOf(name)))
  if (spec.fields !== undefined) {
    const names = spec.fields.split(' ')
    return all.flatMap((field) => {
      const [name, type, ...more] = field
      if (names.includes(`${name}!`)) return [[name, type.replace('?', ''), ...more] as Field]
      return names.includes(name) ? [field] : []
    })
  }
  const isOneChange = operation.route.startsWith('PATCH') && [...usage.keys()].some((word) => fieldOf(definition, word))
  if (spec.set !== undefined || isOneChange) return []
  return all.filter(([name]) => !(isList && PAGING.includes(name)))
}

function addRow(parent: Command, definition: CommandDefinition): void {
  const { spec, operation, usage, isAsking, verb } = definition
  const summary = COMMANDS[operation.id]![0].replace(/\.$/, '')
  const description = spec.description ?? summary.replace(/^./, (letter) => letter.toLowerCase())
  const command = parent.command(verb).description(description)
  for (const [word, shown] of usage) {
    const field = fieldOf(definition, word)
    if (field !== undefined) command.addArgument(argumentOf(field, shown))
    else if (operation.params.some((name) => wordOf(name) === word)) command.argument(shown, '', toId)
    else command.argument(shown)
  }
  const named = spec.named ? operation.params.map(wordOf) : []
  for (const word of named) command.requiredOption(`--${word} <id>`, `the ${word}`, toId)
  if (spec.key !== undefined && !usage.has('organization')) {
    command.option('--organization <organization>', ORGANIZATION_HELP, toId)
  }
  for (const field of definition.fields) {
    const isMandatory = field[1].includes('!') && spec.fill === undefined
    for (const option of optionsOf(field, isMandatory)) command.addOption(option)
  }
  if (spec.defaultLimit !== undefined) {
    command
      .option('--limit <number>', `the number to show (default: ${spec.defaultLimit})`, toWholeNumber)
      .addOption(new Option('--all', 'show all of them').conflicts('limit'))
  }
  if (spec.quiet) command.option('--quiet', 'print only its id')
  spec.extend?.(command)
  if (isAsking) addSureOption(command)
  else if (definition.removesSecret) addSureOption(command, '--no-…')
  const words = [...usage.keys()]
  const own = words.findIndex((word) => SAMPLES[word] === undefined || fieldOf(definition, word))
  const ids = words.slice(0, own < 0 ? undefined : own).map((word) => SAMPLES[word])
  const flags = named.map((word) => `--${word} ${SAMPLES[word]}`)
  const sample = ['greenroom', definition.group, verb, ...ids, spec.sample, ...flags, isAsking && '--yes']
  command
    .addHelpText('after', example(sample.filter(Boolean).join(' ')))
    .action((...given: unknown[]) => run(definition, command, given))
}

async function run(definition: CommandDefinition, command: Command, given: readonly unknown[]): Promise<void> {
  const { cli, spec, isAsking } = definition
  const options = command.opts()
  const values = readGiven(definition, command, given)
  const isByKey = definition.keyOperation !== undefined && values.get('organization') === undefined
  const operation = isByKey ? definition.keyOperation! : definition.operation
  refuseOthers(definition, operation, values)
  const read = async (fields: readonly Field[]): Promise<Fields> => {
    const found: Fields = {}
    for (const field of fields) {
      const value = values.get(flagOf(field))
      if (value !== undefined) found[field[0]] = await readValue(cli, field, value)
    }
    return found
  }
  const client = isByKey ? byKey(cli) : api(cli)
  const call: TableCall = {
    ...{ cli, options, client, given: Object.fromEntries(values) as Record<string, string> },
    ids: Object.fromEntries(operation.params.map((name) => [name, values.get(wordOf(name)) as string])),
    query: await read(operation.query),
    body: { ...(await read(operation.body)), ...spec.set },
    send: (callOptions) => send(spec, operation, call, callOptions),
  }
  await spec.fill?.(call)
  if (operation.route.startsWith('PATCH') && spec.run === undefined && Object.keys(call.body).length === 0) {
    const flags = command.options
      .map(({ long }) => long ?? '')
      .filter((long) => long !== '--yes' && long !== '--organization')
    throw new CliError(2, `Add ${new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(flags)}.`)
  }
  const removedSecrets = definition.fields.filter((field) => isSecret(field) && call.body[field[0]] === null)
  if (isAsking && spec.warning !== null) {
    const text = (spec.warning ?? '').replaceAll(/\{([\w-]+)\}/g, (_, word) => String(values.get(word)))
    await confirmRemoval(cli, text === '' ? [] : [text], options)
  } else if (removedSecrets.length > 0) {
    await confirmRemoval(
      cli,
      removedSecrets.map(([name]) => `The ${wordOf(name).replace('-', ' ')} is removed.`),
      options,
    )
  }
  if (spec.run !== undefined) await spec.run(call)
  else if (definition.isList) await list(definition, operation, call)
  else print(spec, call, await call.send())
}

/** Returns the arguments by name and the given options by flag. */
function readGiven(
  { usage, fields, operation }: CommandDefinition,
  command: Command,
  given: readonly unknown[],
): Map<string, unknown> {
  const values = new Map<string, unknown>([...usage.keys()].map((word, at) => [word, given[at]]))
  for (const word of ['organization', ...operation.params.map(wordOf)]) {
    if (!usage.has(word)) values.set(word, command.opts()[word])
  }
  for (const field of fields) {
    const value = givenOf(command, field)
    if (value !== undefined) values.set(flagOf(field), value)
  }
  return values
}

/** Rejects an option that exists only in the operation of the other surface. */
function refuseOthers(
  { fields, keyOperation }: CommandDefinition,
  operation: Operation,
  values: ReadonlyMap<string, unknown>,
): void {
  const has = (field: Field) => [...operation.query, ...operation.body].some((each) => flagOf(each) === flagOf(field))
  const other = fields.find((field) => values.get(flagOf(field)) !== undefined && !has(field))
  if (other === undefined) return
  const where = operation === keyOperation ? 'with an organization' : 'with a key, and without an organization'
  throw new CliError(2, `--${flagOf(other)} is only available ${where}.`)
}

function send(
  { totals }: Spec,
  { id, route }: Operation,
  { cli, client, ids, query, body }: TableCall,
  options?: ChangeOptions & CreateOptions,
): Promise<Answer> {
  const input = { ...ids, query, ...(/ json\b/.test(route) && { body }) }
  const call = (): Promise<Answer> => client.call(id, input, options)
  return totals === undefined ? call() : deleteAll(cli, totals.split(' '), call)
}

async function list(
  { spec, group }: CommandDefinition,
  { id }: Operation,
  { cli, client, ids, query, options }: TableCall,
): Promise<void> {
  const { columns = '', dropFirst = '', view, noun = group.replaceAll('-', ' '), defaultLimit } = spec
  const { limit = defaultLimit, all } = options as { limit?: number; all?: true }
  const wanted = all ? undefined : limit
  // One extra row shows whether there are more.
  const first = wanted === undefined ? {} : { limit: wanted === 0 ? 0 : wanted + 1 }
  const rows = client.items(id, { ...ids, query: { ...query, ...first } })
  await printRows(cli, rows, { columns: columns.split(' '), dropFirst: dropFirst.split(' '), noun, ...view }, wanted)
}

/** Prints the response of a call as the spec of its command requires. */
export function print({ show, remark }: Spec, { cli, options }: TableCall, answer: Answer): void {
  if (options.quiet) printLine(cli, answer.id)
  else if (show !== undefined) show(cli, answer)
  else if ('token' in answer && 'path' in answer) printLink(cli, answer)
  else printObject(cli, answer)
  if (!options.quiet) noteSecrets(cli, answer)
  if (remark !== undefined) note(cli, remark)
}

/** Warns that the secrets in a response are shown only once. */
export function noteSecrets(cli: Cli, answer: Fields): void {
  if ('path' in answer) return
  const secrets = ['secret', 'token', 'writeKey', 'verifyToken'].filter((name) => name in answer)
  const [what, are] =
    secrets.length === 1 ? [`the ${wordOf(secrets[0]!).replace('-', ' ')}`, 'it is'] : ['these secrets', 'they are']
  if (secrets.length > 0) note(cli, `Save ${what} now: ${are} not shown again.`)
}
