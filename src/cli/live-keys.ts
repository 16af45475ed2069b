import { Option } from 'commander'
import type { GrantedKey } from '../client/index.js'
import type { Cli } from './io.js'
import { note } from './output.js'

export interface RevokeKeysOptions {
  revokeKeys?: string
}

export const revokeKeysOption = (): Option =>
  new Option('--revoke-keys <keys>', 'revokes keys that the person issued: their ids with commas between them, or all')

/** Tells of the keys that go on, and the commands that revoke them. */
export function noteLiveKeys(cli: Cli, keys: readonly GrantedKey[], toCommand: (key: GrantedKey) => string): void {
  if (keys.length === 0) return
  note(cli, `Keys that the person issued go on: ${keys.map(describe).join(', ')}. To revoke them:`)
  for (const command of new Set(keys.map(toCommand))) note(cli, `  ${command}`)
}

const describe = ({ id, name, organizationId }: GrantedKey): string =>
  name === '' ? `${id} of ${organizationId}` : `${id} (${name}) of ${organizationId}`
