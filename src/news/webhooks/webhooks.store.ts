import { assignments } from '../../database/columns.js'
import type { Queryable } from '../../database/database.js'
import { findRow, listRows, readRow, readValue } from '../../database/queries.js'
import { TABLES } from '../../database/tables.js'
import type { WebhookEventType } from '../../interface/generated/types.js'

export interface WebhookRow {
  organization_id: string
  webhook_id: string
  name: string
  url: string
  /** Null for all events, including those of later versions. */
  events: WebhookEventType[] | null
  active: boolean
  secret_sealed: string
  previous_secret_sealed: string | null
  previous_until: Date | null
  created_at: Date
  updated_at: Date
}

const COLUMNS = `organization_id, webhook_id, name, url, events, active, secret_sealed, previous_secret_sealed,
  previous_until, created_at, updated_at`

export const webhookSecretContext = TABLES.webhooks.sealed.secret_sealed.context

/** Lists the webhooks, oldest first. */
export const listWebhookRows = (database: Queryable, organizationId: string): Promise<WebhookRow[]> =>
  listRows(database, `select ${COLUMNS} from webhooks where organization_id = $1 order by created_at, webhook_id`, [
    organizationId,
  ])

/** Locks the webhook until the transaction ends. */
export const lockWebhook = (
  tx: Queryable,
  organizationId: string,
  webhookId: string,
): Promise<WebhookRow | undefined> =>
  findRow(tx, `select ${COLUMNS} from webhooks where organization_id = $1 and webhook_id = $2 for update`, [
    organizationId,
    webhookId,
  ])

/**
 * Counts the webhooks of an organization and locks the organization until the transaction ends, so that two
 * simultaneous additions cannot both fit.
 */
export async function countWebhooksForAddition(tx: Queryable, organizationId: string): Promise<number> {
  await tx.query('select from organizations where organization_id = $1 for no key update', [organizationId])
  return Number(await readValue(tx, 'select count(*) from webhooks where organization_id = $1', [organizationId]))
}

export interface WebhookToInsert extends Pick<WebhookRow, 'url'>, Partial<Pick<WebhookRow, 'name' | 'events'>> {
  webhookId: string
  secretSealed: string
  at: Date
}

export const insertWebhook = (
  tx: Queryable,
  organizationId: string,
  { webhookId, name = '', url, events = null, secretSealed, at }: WebhookToInsert,
): Promise<WebhookRow> =>
  readRow(
    tx,
    `insert into webhooks (organization_id, webhook_id, name, url, events, secret_sealed, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $7) returning ${COLUMNS}`,
    [organizationId, webhookId, name, url, events, secretSealed, at],
  )

export type WebhookSettings = Pick<WebhookRow, 'name' | 'url' | 'events' | 'active'>

export const updateWebhookRow = (
  tx: Queryable,
  { organization_id: organizationId, webhook_id: webhookId }: WebhookRow,
  settings: Partial<WebhookSettings>,
  at: Date,
): Promise<WebhookRow> =>
  readRow(
    tx,
    `update webhooks set updated_at = $3, ${assignments(Object.keys(settings), 4)}
      where organization_id = $1 and webhook_id = $2 returning ${COLUMNS}`,
    [organizationId, webhookId, at, ...Object.values(settings)],
  )

/** Replaces the secret. The previous one also signs until `previousUntil`. */
export const replaceWebhookSecret = (
  tx: Queryable,
  { organization_id: organizationId, webhook_id: webhookId }: Pick<WebhookRow, 'organization_id' | 'webhook_id'>,
  { secretSealed, previousUntil, at }: { secretSealed: string; previousUntil: Date; at: Date },
): Promise<WebhookRow> =>
  readRow(
    tx,
    `update webhooks
        set previous_secret_sealed = secret_sealed, previous_until = $4, secret_sealed = $3, updated_at = $5
      where organization_id = $1 and webhook_id = $2 returning ${COLUMNS}`,
    [organizationId, webhookId, secretSealed, previousUntil, at],
  )

/** Deletes a webhook. Its deliveries stay. */
export async function deleteWebhookRow(
  tx: Queryable,
  { organization_id: organizationId, webhook_id: webhookId }: WebhookRow,
): Promise<void> {
  await tx.query('delete from webhooks where organization_id = $1 and webhook_id = $2', [organizationId, webhookId])
}
