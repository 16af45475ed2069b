import Joi from 'joi'
import { namedObject } from '../http/named.js'
import type { AdAccount, ConnectedAdAccount } from '../interface/generated/types.js'
import { isTimeZone } from '../lib/dates.js'
import type { AdAccountRow } from './ad-accounts.store.js'

const adAccountKeys = {
  id: Joi.string().required(),
  name: Joi.string().required(),
  currency: Joi.string().required(),
  timezone: Joi.string().required(),
}

/** An ad account as it goes out to callers with a key: `{id, name, currency, timezone}`. */
export const adAccountBody = namedObject('AdAccount', adAccountKeys)

export const toAdAccountBody = (row: AdAccountRow): AdAccount => ({
  id: row.ad_account_id,
  name: row.name,
  currency: row.currency,
  timezone: row.timezone,
})

/** An ad account as its operator sees it: whether it is connected to the ad platform, and never the token. */
export const connectedAdAccountBody = namedObject('ConnectedAdAccount', {
  ...adAccountKeys,
  connected: Joi.boolean().required(),
  tokenExpiresAt: Joi.string().description('When the access token ends; only in the answer to connecting the account.'),
})

export const toConnectedAdAccountBody = (row: AdAccountRow): ConnectedAdAccount => ({
  ...toAdAccountBody(row),
  connected: row.access_token_sealed !== null,
})

/** The same for who has just connected it. */
export const toJustConnectedBody = (row: AdAccountRow, tokenEndsAt: Date | undefined): ConnectedAdAccount => ({
  ...toConnectedAdAccountBody(row),
  ...(tokenEndsAt === undefined ? {} : { tokenExpiresAt: tokenEndsAt.toISOString() }),
})

/** The time zone of an ad account, in which its days are. */
export const adTimezoneSchema = Joi.string()
  .max(100)
  .custom((value: string, helpers) => (isTimeZone(value) ? value : helpers.error('timezone.unknown')))
  .messages({ 'timezone.unknown': '{{#label}} must be the IANA name of a time zone, such as Europe/Paris' })
