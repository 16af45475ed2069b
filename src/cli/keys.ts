import { rmSync, writeFileSync } from 'node:fs'
import { type Command, InvalidArgumentError } from 'commander'
import type { Key, KeyPermission, NewKey } from '../client/index.js'
import { operator } from './client.js'
import { toInstant, toWholeNumber } from './input.js'
import { type Cli, CliError, example, unwritableFile } from './io.js'
import { note, printList, printObject, type Row } from './output.js'

interface IssueOptions {
  name?: string
  permissions?: KeyPermission[]
  expires?: string
  allowAddress?: string[]
  requestsPerSecond?: number
  save?: string
}

/** What a key may hold, and whether it only reads. */
const PERMISSIONS: Record<KeyPermission, 'reads' | 'writes'> = {
  'channels:read': 'reads',
  'audience:read': 'reads',
  'audience:mark': 'writes',
  'audience:write': 'writes',
  'insights:read': 'reads',
  'posts:read': 'reads',
  'posts:write': 'writes',
  'superpowers:read': 'reads',
  'superpowers:write': 'writes',
  'settings:read': 'reads',
  'settings:write': 'writes',
  'audit:read': 'reads',
}
const ALL = Object.keys(PERMISSIONS) as KeyPermission[]
const READ_ONLY = 'read-only'

function toPermissions(given: string): KeyPermission[] {
  const names = given.split(',').map((name) => name.trim())
  const unknown = names.find((name) => name !== READ_ONLY && !(name in PERMISSIONS))
  if (unknown !== undefined) {
    throw new InvalidArgumentError(`"${unknown}" is none of ${READ_ONLY}, ${ALL.join(', ')}.`)
  }
  return ALL.filter((name) => names.includes(name) || (names.includes(READ_ONLY) && PERMISSIONS[name] === 'reads'))
}

const addTo = (value: string, values: string[] = []): string[] => [...values, value]

const toRow = ({ id, name, permissions, expiresAt, lastUsedAt, revokedAt }: Key): Row => ({
  id,
  name,
  permissions: permissions.length === ALL.length ? 'all' : permissions.join(' '),
  expiresAt,
  lastUsedAt,
  revokedAt,
})

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
  note(cli, `The commands use the key after: . ${file.includes('/') ? file : `./${file}`}`)
}

export function addKeys(program: Command, cli: Cli): void {
  const keys = program.command('keys').description('the API keys of an organization')

  keys
    .command('issue <organization>')
    .description('issue a key; its secret is shown only now')
    .option('--name <name>', 'what it is for')
    .option(
      '--permissions <list>',
      `what it may do, separated by commas: ${READ_ONLY}, or any of ${ALL.join(', ')}; all of them unless said`,
      toPermissions,
    )
    .option('--expires <time>', 'refused from then on: ISO 8601 in UTC, or from now as +12h or +90d')
    .option('--allow-address <address>', 'address or subnet that it may be used from; may be repeated', addTo)
    .option(
      '--requests-per-second <number>',
      "in bursts of twice as many; 0 for no limit; else the server's",
      toWholeNumber,
    )
    .option(
      '--save <file>',
      'write its id and secret to a new file for a shell to read, which is for you alone, and do not show the secret',
    )
    .addHelpText('after', example('greenroom keys issue org_5V3kPq --name warehouse --expires +90d'))
    .action(async (organization: string, options: IssueOptions) => {
      const { name, permissions, expires, allowAddress, requestsPerSecond, save } = options
      const key: NewKey = {
        ...(name === undefined ? {} : { name }),
        ...(permissions === undefined ? {} : { permissions }),
        ...(expires === undefined ? {} : { expiresAt: toInstant(cli, expires) }),
        ...(allowAddress === undefined ? {} : { allowedAddresses: allowAddress }),
        ...(requestsPerSecond === undefined ? {} : { requestsPerSecond }),
      }
      if (save !== undefined) return await issueToFile(cli, save, organization, key)
      printObject(cli, await operator(cli).keys.issue(organization, key))
      note(cli, 'Keep the secret now: it is not shown again.')
    })

  keys
    .command('list <organization>')
    .description('list the keys, revoked ones too')
    .addHelpText('after', example('greenroom keys list org_5V3kPq'))
    .action(async (organization: string) => {
      const rows = await operator(cli).keys.list(organization)
      printList(cli, rows, {
        columns: ['id', 'name', 'permissions', 'expiresAt', 'lastUsedAt', 'revokedAt'],
        spare: ['permissions', 'lastUsedAt'],
        noun: 'keys',
        toRow,
      })
    })

  keys
    .command('revoke <organization> <key>')
    .description('revoke a key at once and for good')
    .addHelpText('after', example('greenroom keys revoke org_5V3kPq key_8Zr2Lm'))
    .action(async (organization: string, key: string) =>
      printObject(cli, await operator(cli).keys.revoke(organization, key)),
    )
}
