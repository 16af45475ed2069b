import type { Queryable } from '../database/database.js'
import { findRow, listRows, listValues, readValue } from '../database/queries.js'
import { TABLE_ENTRIES } from '../database/tables.js'

/*
 * A backup has what was valid at its instant. What was used, expired or revoked since then looks valid in it: a restore ends
 * the ways in that are in this list, and reports the rest.
 */

/**
 * Changes to what lets people and programs in that a restore undoes, and that may have to be made again: the operation in
 * the audit trail, what it concerns, and the state after the restore.
 */
const UNDONE = {
  issueKey: { what: 'key', effect: 'does not exist; issue another one' },
  revokeKey: { what: 'key', effect: 'works again; revoke it' },
  issueOperatorToken: { what: 'operator token', effect: 'does not exist; issue another one' },
  revokeOperatorToken: { what: 'operator token', effect: 'works again; revoke it' },
  changePassword: { what: 'password', effect: 'is the previous one; it must be changed again' },
  finishOwnPasskey: { what: 'second factor', effect: 'does not exist; add it again' },
  finishOwnTotp: { what: 'second factor', effect: 'does not exist; add it again' },
  removeOwnPasskey: { what: 'second factor', effect: 'works again; remove it' },
  removeOwnTotp: { what: 'second factor', effect: 'works again; remove it' },
  resetSecondFactors: { what: 'second factor', effect: 'works again; reset it' },
  replaceOwnRecoveryCodes: { what: 'second factor', effect: 'has the previous recovery codes; make new ones' },
  acceptInvitation: { what: 'member', effect: 'is not a member, or has the previous role; invite them again' },
  removeMember: { what: 'member', effect: 'is a member again; remove them' },
  updateMember: { what: 'member', effect: 'has the previous role; change it again' },
  updatePerson: { what: 'person', effect: 'has the previous settings, including active and owner; change them again' },
  deletePerson: { what: 'person', effect: 'has the account again; delete it again' },
  finishOidcSignIn: { what: 'member', effect: 'has the previous membership until the next sign-in' },
  createOrganization: { what: 'organization', effect: 'does not exist; create it again' },
  updateOrganization: {
    what: 'organization',
    effect: 'has the previous settings, including active; change them again',
  },
  deleteOrganization: { what: 'organization', effect: 'exists again; delete it' },
  rotateMasterKey: { what: 'master key', effect: 'is the previous one; rotate it again' },
  rotateWebhookSecret: { what: 'webhook secret', effect: 'is the previous one; rotate it again' },
  erasePerson: { what: 'erased person', effect: 'exists again; erase the person again' },
} as const

/** A change in the audit trail of the replaced server that is not in the backup. */
export interface UndoneChange {
  what: (typeof UNDONE)[keyof typeof UNDONE]['what']
  id: string
  /** A person's name and email address. */
  name: string | null
  organizationId: string
  operation: string
  at: string
  /** The state after the restore. */
  effect: string
}

/**
 * Ends everything in the backup's schema that lets people or programs in, and returns how many there were of each kind. The
 * finished visits of the identity provider stay: they prevent a second use, and a visit expires after ten minutes.
 */
export async function endWaysIn(tx: Queryable, tables: readonly string[]): Promise<Record<string, number>> {
  const ended: Record<string, number> = {}
  for (const [table, { waysIn }] of TABLE_ENTRIES) {
    if (waysIn === undefined || !tables.includes(table)) continue
    ended[waysIn] = await readValue(tx, `with gone as (delete from ${table} returning 1) select count(*) from gone`)
  }
  return ended
}

interface Entry {
  audit_id: number
  organization_id: string
  at: Date
  operation: keyof typeof UNDONE
  target_type: string
  target_id: string
  /** The last repetition that continues the entry; null without one. */
  until: Date | null
}

/** The audit trail of the replaced server. */
export interface ReplacedTrail {
  masterKeyIds: string[]
  entries: Entry[]
  names: Map<string, string>
}

/** The most time between a change's recorded instant and its commit. */
const COMMIT_MS = 10 * 60_000
/** With more entries this is another kind of migration, and the list would help nobody. */
const ENTRIES_MAX = 5_000

/** Reads the last entry of each kind and target that may be newer than the backup. */
export async function readReplacedTrail(replaced: Queryable, backupAt: Date): Promise<ReplacedTrail> {
  const entries = await listRows<Entry>(
    replaced,
    `select distinct on (operation, organization_id, target_type, target_id)
            audit_id, organization_id, at, operation, target_type, target_id, until
       from audit_trail left join audit_repeats using (organization_id, audit_id)
      where operation = any($1) and target_type <> 'session' and coalesce(until, at) >= $2
      order by operation, organization_id, target_type, target_id, audit_id desc
      limit $3`,
    [Object.keys(UNDONE), new Date(backupAt.getTime() - COMMIT_MS), ENTRIES_MAX],
  )
  const people = entries.filter(({ target_type }) => target_type === 'user').map(({ target_id }) => target_id)
  const names = new Map<string, string>()
  if (people.length > 0) {
    const select = 'select person_id, name, mail from people where person_id = any($1)'
    const rows = await listRows<{ person_id: string; name: string; mail: string }>(replaced, select, [people])
    for (const { person_id, name, mail } of rows) names.set(person_id, `${name} <${mail}>`)
  }
  return { masterKeyIds: await listMasterKeyIds(replaced), entries, names }
}

/** Returns the instant before which audit entries were exported, so that they may be gone; undefined if none were. */
export async function findExportedBefore(database: Queryable): Promise<Date | undefined> {
  const select = 'select organization_id, before from audit_exports order by before desc limit 1'
  return (await findRow<{ before: Date }>(database, select))?.before
}

/** Returns whether two databases belong to one installation: no master key is made twice. */
export async function isOfSameInstallation(restored: Queryable, { masterKeyIds }: ReplacedTrail): Promise<boolean> {
  return (await listMasterKeyIds(restored)).some((keyId) => masterKeyIds.includes(keyId))
}

const listMasterKeyIds = (database: Queryable): Promise<string[]> =>
  listValues(database, 'select key_id from master_keys')

/** Lists the changes that the restored database does not know, oldest first. */
export async function listUndoneChanges(
  restored: Queryable,
  { entries, names }: ReplacedTrail,
): Promise<UndoneChange[]> {
  const known = await listRows<Entry>(
    restored,
    `select audit_id, organization_id, at, operation, target_type, target_id, until
       from audit_trail left join audit_repeats using (organization_id, audit_id) where audit_id = any($1)`,
    [entries.map(({ audit_id }) => audit_id)],
  )
  // Another history may have given the same number to another change.
  const identify = ({ at, until, ...entry }: Entry): string => JSON.stringify([at, until, Object.values(entry)])
  const isKnown = new Set(known.map(identify))
  return entries
    .filter((entry) => !isKnown.has(identify(entry)))
    .sort((a, b) => a.audit_id - b.audit_id)
    .map((entry) => ({
      what: UNDONE[entry.operation].what,
      id: entry.target_id,
      name: names.get(entry.target_id) ?? null,
      organizationId: entry.organization_id,
      operation: entry.operation,
      at: entry.at.toISOString(),
      effect: UNDONE[entry.operation].effect,
    }))
}
