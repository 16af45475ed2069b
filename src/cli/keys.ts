import { rmSync, writeFileSync } from 'node:fs'
import { type Command, InvalidArgumentError } from 'commander'
import type { Key, KeyPermission } from '../client/index.js'
import { KEY_PERMISSION_NAMES, KEY_SCOPE_NAMES } from '../interface/key-permissions.js'
import { toShellWord } from '../lib/shell-word.js'
import { CliError, unwritableFile } from './io.js'
import { note, printObject } from './output.js'
import { group, print, row, type TableCall } from './table-command.js'

const READ_ONLY = 'read-only'

function toPermissions(given: string): KeyPermission[] {
  const names = given.split(',').map((name) => name.trim())
  const unknown = names.find((name) => name !== READ_ONLY && !KEY_SCOPE_NAMES.some((each) => each === name))
  if (unknown !== undefined) {
    throw new InvalidArgumentError(`"${unknown}" is not one of ${READ_ONLY}, ${KEY_SCOPE_NAMES.join(', ')}.`)
  }
  return KEY_SCOPE_NAMES.filter((name) => names.includes(name) || (names.includes(READ_ONLY) && name.endsWith(':read')))
}

const addPermissions = (command: Command): Command =>
  command.option(
    '--permissions <list>',
    `what it may do, separated by commas: ${READ_ONLY}, or any of ${KEY_SCOPE_NAMES.join(', ')}`,
    toPermissions,
  )

function readPermissions({ body, options: { permissions } }: TableCall): void {
  if (permissions !== undefined) body.permissions = permissions
}

async function issue(call: TableCall): Promise<void> {
  const { save } = call.options as { save?: string }
  if (save === undefined) print({}, call, await call.send())
  else await issueToFile(call, save)
}

/** Creates the file before issuing the key, because a secret that cannot be written would be lost. */
async function issueToFile({ cli, ids: { organizationId }, send }: TableCall, file: string): Promise<void> {
  try {
    writeFileSync(file, '', { mode: 0o600, flag: 'wx' })
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST'
    throw isThere ? new CliError(2, `${file} already exists: choose another file.`) : unwritableFile(file, error)
  }
  const { secret, ...issued } = await send().catch((error) => {
    rmSync(file, { force: true })
    throw error
  })
  try {
    writeFileSync(file, `export GREENROOM_KEY=${issued.id}\nexport GREENROOM_SECRET=${secret}\n`, { flush: true })
  } catch (error) {
    rmSync(file, { force: true })
    const revoke = `greenroom keys revoke ${organizationId} ${issued.id}`
    const lost = `The key ${issued.id} was issued, but its secret is lost. Revoke it with ${revoke}.`
    throw new CliError(1, `${unwritableFile(file, error).message} ${lost}`)
  }
  printObject(cli, issued)
  note(cli, `To use the key in this shell: . ${toShellWord(/^\.{0,2}\//.test(file) ? file : `./${file}`)}`)
}

const SETTINGS = 'name allowedAddresses expiresAt requestsPerSecond'

export const KEYS = group('keys', 'the API keys of an organization', [
  row('issue', 'issueKey', {
    sample: '--name warehouse --expires +90d',
    fields: `${SETTINGS} replaces`,
    extend: (command) =>
      addPermissions(command).option(
        '--save <file>',
        'write its id and secret to a new shell file that only you can read, instead of printing the secret',
      ),
    fill: readPermissions,
    run: issue,
  }),
  row('update', 'updateKey', {
    sample: '--permissions channels:read,posts:read',
    fields: SETTINGS,
    extend: addPermissions,
    fill: readPermissions,
  }),
  row('list', 'listKeys', {
    columns: 'id name permissions expiresAt lastUsedAt revokedAt',
    dropFirst: 'permissions lastUsedAt',
    view: {
      toRow: ({ permissions, ...row }: Key) => ({
        ...row,
        permissions: KEY_PERMISSION_NAMES.every((name) => permissions.includes(name)) ? 'all' : permissions.join(' '),
      }),
    },
  }),
  row('revoke', 'revokeKey', { warning: 'Calls with the key {key} will be refused.' }),
])
