import Joi from 'joi'
import type { Queryable } from '../../database/database.js'
import { namedObject } from '../../http/named.js'
import type { OwnSecondFactors, Passkey } from '../../interface/generated/types.js'
import { listPasskeyRows, type PasskeyRow } from './passkeys.store.js'
import { findFactors, findTotp } from './second-factors.store.js'

export const passkeyBody = namedObject('Passkey', {
  id: Joi.string().required(),
  name: Joi.string().required(),
  createdAt: Joi.string().isoDate().required(),
  lastUsedAt: Joi.string().isoDate().description('Absent while it was never used.'),
})

export const toPasskeyBody = (row: PasskeyRow): Passkey => ({
  id: row.passkey_id,
  name: row.name,
  createdAt: row.created_at.toISOString(),
  ...(row.last_used_at === null ? {} : { lastUsedAt: row.last_used_at.toISOString() }),
})

export const ownSecondFactorsBody = namedObject('OwnSecondFactors', {
  passkeys: Joi.array().items(passkeyBody).required(),
  totp: Joi.object({ createdAt: Joi.string().isoDate().required() })
    .allow(null)
    .required()
    .description('Null without an authenticator app.'),
  recoveryCodesLeft: Joi.number().integer().required(),
})

/** Reads the second factors of a person, as the person sees them. */
export async function readOwnSecondFactors(database: Queryable, personId: string): Promise<OwnSecondFactors> {
  const passkeys = await listPasskeyRows(database, personId)
  const { confirmed_at: confirmedAt } = (await findTotp(database, personId)) ?? { confirmed_at: null }
  const { recovery_codes: recoveryCodesLeft } = await findFactors(database, personId)
  return {
    passkeys: passkeys.map(toPasskeyBody),
    totp: confirmedAt === null ? null : { createdAt: confirmedAt.toISOString() },
    recoveryCodesLeft,
  }
}
