import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import type { Key } from './harness.js'

/** The versions whose data lie in test/earlier, made by scripts/earlier-formats.ts. docs/decisions/0042 says why these. */
export const EARLIER_FORMATS = [
  { commit: '71e73c6', is: 'the first schema, and the first lock file' },
  {
    commit: 'c5a51c2',
    is: 'migrations without `compatible`, a lock file, secrets sealed without the name of their key',
  },
  {
    commit: 'a917742',
    is: 'the audit trail, migrations that ran in another order, and one whose comment was reworded since',
  },
  { commit: '834dbf4', is: 'a lock directory, and master keys with a name' },
  { commit: '6029460', is: 'people, media, webhooks and mails' },
  { commit: '0bd4850', is: 'second factors, proven addresses and notices' },
  { commit: 'acd5ca0', is: 'retention, review links, erased people, and lifetime values in floating point' },
  { commit: 'd80b7b7', is: 'sources, purchases with refunds, and a problem' },
  { commit: '412a6e8', is: 'links to several posts, a discussion, several webhooks, and names with accents' },
] as const

/** The entries of a data directory beside the database, by name: the text of a file, or null for an empty directory. */
export type EarlierFiles = Record<string, string | null>

export interface EarlierIds {
  organizationId: string
  workspaceId: string
  channelId: string
  key: Key
}

export interface Earlier extends EarlierIds {
  commit: string
  masterKey: string
  files: EarlierFiles
  /** SQL that makes its database in an empty one. */
  sql: string
}

export function readEarlier(commit: string): Earlier {
  const file = (ending: string): URL => new URL(`./earlier/${commit}.${ending}`, import.meta.url)
  return {
    ...JSON.parse(readFileSync(file('json'), 'utf8')),
    sql: gunzipSync(readFileSync(file('sql.gz'))).toString(),
  }
}
