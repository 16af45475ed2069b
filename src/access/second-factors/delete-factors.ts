import type { Queryable } from '../../database/database.js'
import { deletePasskeys } from './passkeys.store.js'
import { clearFailures, deleteTotp, replaceRecoveryCodes } from './second-factors.store.js'

/**
 * Removes every second factor of a person, and the recovery codes with them: how many passkeys and apps there were.
 */
export async function deleteFactors(tx: Queryable, personId: string): Promise<number> {
  const passkeys = await deletePasskeys(tx, personId)
  const hadTotp = await deleteTotp(tx, personId)
  await replaceRecoveryCodes(tx, personId, [])
  await clearFailures(tx, personId, 'totp')
  return passkeys + (hadTotp ? 1 : 0)
}
