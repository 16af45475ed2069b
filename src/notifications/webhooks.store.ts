import type { Queryable } from '../database/database.js'
import { findRow, readRow } from '../database/queries.js'
import { TABLES } from '../database/tables.js'

export interface WebhookRow {
  organization_id: string
  webhook_id: string
  url: string
  secret_sealed: string
  previous_secret_sealed: string | null
  previous_until: Date | null
  created_at: Date
  updated_at: Date
}

const COLUMNS =
  'organization_id, webhook_id, url, secret_sealed, previous_secret_sealed, previous_until, created_at, updated_at'

export const webhookSecretContext = TABLES.webhooks.sealed.secret_sealed.context

export const findWebhook = (database: Queryable, organizationId: string): Promise<WebhookRow | undefined> =>
  findRow(database, `select ${COLUMNS} from webhooks where organization_id = $1`, [organizationId])

/** Locks the webhook until the transaction ends. */
export const lockWebhook = (tx: Queryable, organizationId: string): Promise<WebhookRow | undefined> =>
  findRow(tx, `select ${COLUMNS} from webhooks where organization_id = $1 for update`, [organizationId])

/** Creates the webhook. Undefined when there is one, which is then locked until the transaction ends. */
export const insertWebhook = (
  tx: Queryable,
  organizationId: string,
  { webhookId, url, secretSealed, at }: { webhookId: string; url: string; secretSealed: string; at: Date },
): Promise<WebhookRow | undefined> =>
  findRow(
    tx,
    `insert into webhooks (organization_id, webhook_id, url, secret_sealed, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $5) on conflict do nothing returning ${COLUMNS}`,
    [organizationId, webhookId, url, secretSealed, at],
  )

export const setWebhookUrl = (
  tx: Queryable,
  organizationId: string,
  { url, at }: { url: string; at: Date },
): Promise<WebhookRow> =>
  readRow(tx, `update webhooks set url = $2, updated_at = $3 where organization_id = $1 returning ${COLUMNS}`, [
    organizationId,
    url,
    at,
  ])

/** Replaces the secret. The one before signs beside it until `previousUntil`. */
export const replaceWebhookSecret = (
  tx: Queryable,
  organizationId: string,
  { secretSealed, previousUntil, at }: { secretSealed: string; previousUntil: Date; at: Date },
): Promise<WebhookRow> =>
  readRow(
    tx,
    `update webhooks
        set previous_secret_sealed = secret_sealed, previous_until = $3, secret_sealed = $2, updated_at = $4
      where organization_id = $1 returning ${COLUMNS}`,
    [organizationId, secretSealed, previousUntil, at],
  )

/** The deliveries stay. */
export async function deleteWebhookRow(tx: Queryable, organizationId: string): Promise<void> {
  await tx.query('delete from webhooks where organization_id = $1', [organizationId])
}
