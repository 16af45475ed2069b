import { rmSync, writeFileSync } from 'node:fs'
import { type Command, InvalidArgumentError } from 'commander'
import type { Key, KeyPermission, NewKey } from '../client/index.js'
import { KEY_PERMISSION_NAMES } from '../interface/key-permissions.js'
import { toShellWord } from '../lib/shell-word.js'
import { operator } from './client.js'
import { groupOf } from './command-group.js'
import { addExpiresOption, addTo, definedOnly, toInstant, toWholeNumber } from './input.js'
import { type Cli, CliError, unwritableFile } from './io.js'
import { type ListView, note, printObject } from './output.js'

interface SettingsOptions {
  name?: string
  permissions?: KeyPermission[]
  expires?: string
  allowAddress?: string[]
  requestsPerSecond?: number
}

interface IssueOptions extends SettingsOptions {
  replaces?: string
  save?: string
}

const READ_ONLY = 'read-only'

function toPermissions(given: string): KeyPermission[] {
  const names = given.split(',').map((name) => name.trim())
  const unknown = names.find((name) => name !== READ_ONLY && !KEY_PERMISSION_NAMES.some((each) => each === name))
  if (unknown !== undefined) {
    throw new InvalidArgumentError(`"${unknown}" is none of ${READ_ONLY}, ${KEY_PERMISSION_NAMES.join(', ')}.`)
  }
  return KEY_PERMISSION_NAMES.filter(
    (name) => names.includes(name) || (names.includes(READ_ONLY) && name.endsWith(':read')),
  )
}

/** Makes the file first: a secret that could not be written would be lost. */
async function issueToFile(cli: Cli, file: string, organization: string, key: NewKey): Promise<void> {
  try {
    writeFileSync(file, '', { mode: 0o600, flag: 'wx' })
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST'
    throw isThere ? new CliError(2, `${file} is there already: name another file.`) : unwritableFile(file, error)
  }
  const { secret, ...issued } = await operator(cli)
    .keys.issue(organization, key)
    .catch((error) => {
      rmSync(file, { force: true })
      throw error
    })
  try {
    writeFileSync(file, `export GREENROOM_KEY=${issued.id}\nexport GREENROOM_SECRET=${secret}\n`, { flush: true })
  } catch (error) {
    rmSync(file, { force: true })
    const revoke = `greenroom keys revoke ${organization} ${issued.id}`
    const lost = `The key ${issued.id} was issued, and its secret is lost: revoke it with ${revoke}.`
    throw new CliError(1, `${unwritableFile(file, error).message} ${lost}`)
  }
  printObject(cli, issued)
  note(cli, `The commands use the key after: . ${toShellWord(/^\.{0,2}\//.test(file) ? file : `./${file}`)}`)
}

const VIEW: ListView<Key> = {
  columns: ['id', 'name', 'permissions', 'expiresAt', 'lastUsedAt', 'revokedAt'],
  spare: ['permissions', 'lastUsedAt'],
  noun: 'keys',
  toRow: ({ permissions, ...row }) => ({
    ...row,
    permissions: permissions.length === KEY_PERMISSION_NAMES.length ? 'all' : permissions.join(' '),
  }),
}

/** The bounds of a key. */
function addSettings(command: Command, unlessSaid: string): Command {
  const permissions = `${READ_ONLY}, or any of ${KEY_PERMISSION_NAMES.join(', ')}`
  const rate = "in bursts of twice as many; 0 for no limit; else the server's"
  command
    .option('--name <name>', 'what it is for')
    .option('--permissions <list>', `what it may do, separated by commas: ${permissions}; ${unlessSaid}`, toPermissions)
  return addExpiresOption(command)
    .option('--allow-address <address>', 'address or subnet that it may be used from; may be repeated', addTo)
    .option('--requests-per-second <number>', rate, toWholeNumber)
}

export function addKeys(program: Command, cli: Cli): void {
  const { add, print, list, remove } = groupOf(program, cli, 'keys', 'the API keys of an organization')

  const issue = add(
    'issue <organization>',
    'issue a key; its secret is shown only now',
    'org_5V3kPq --name warehouse --expires +90d',
    async (organization: string, options: IssueOptions) => {
      const { save, expires, allowAddress: allowedAddresses, ...others } = options
      const expiresAt = expires === undefined ? undefined : toInstant(cli, expires)
      const key: NewKey = definedOnly({ ...others, expiresAt, allowedAddresses })
      if (save !== undefined) return await issueToFile(cli, save, organization, key)
      printObject(cli, await operator(cli).keys.issue(organization, key))
      note(cli, 'Keep the secret now: it is not shown again.')
    },
  )
  addSettings(issue, 'all of them unless said')
    .option('--replaces <key>', 'the key in whose place it is issued, which goes on until you revoke it')
    .option(
      '--save <file>',
      'write its id and secret to a new file for a shell to read, which is for you alone, and do not show the secret',
    )

  const update = print(
    'update <organization> <key>',
    'change the name of a live key, what it may do, from where, until when and how often',
    'org_5V3kPq key_8Zr2Lm --permissions channels:read,posts:read',
    (organization: string, key: string, { expires, allowAddress: allowedAddresses, ...others }: SettingsOptions) => {
      const expiresAt = expires === undefined ? undefined : toInstant(cli, expires)
      return operator(cli).keys.update(organization, key, definedOnly({ ...others, expiresAt, allowedAddresses }))
    },
  )
  addSettings(update, 'as they are unless said')

  list('list <organization>', 'list the keys, revoked ones too', 'org_5V3kPq', VIEW, (organization: string) =>
    operator(cli).keys.list(organization),
  )

  remove(
    'revoke <organization> <key>',
    'revoke a key at once and for good',
    'org_5V3kPq key_8Zr2Lm --yes',
    (_organization: string, key: string) => [`Calls with the key ${key} are refused from now on.`],
    (organization, key) => operator(cli).keys.revoke(organization, key),
  )
}
