import { type AuditEntry, recordAudit } from '../access/audit.store.js'
import type { Queryable } from '../database/database.js'
import { ApiError } from '../errors.js'
import type { Context } from '../http/context.js'
import { lockWebhook, type WebhookRow } from './webhooks.store.js'

/** Runs a change of a locked webhook and records it, in one transaction. Throws webhook_not_found. */
export function changeWebhook<T>(
  { database, clock }: Context,
  { webhookId, ...entry }: Pick<AuditEntry, 'principal' | 'operation' | 'changes'> & { webhookId: string },
  change: (tx: Queryable, webhook: WebhookRow, at: Date) => Promise<T>,
): Promise<T> {
  const at = new Date(clock.now())
  return database.transaction(async (tx) => {
    const webhook = await lockWebhook(tx, entry.principal.organizationId, webhookId)
    if (webhook === undefined) throw new ApiError('webhook_not_found')
    await recordAudit(tx, { ...entry, at, target: { type: 'webhook', id: webhookId } })
    return await change(tx, webhook, at)
  })
}

/** Throws webhook_inactive: what would be sent to a webhook that is switched off would wait without an end. */
export function requireActive({ active }: WebhookRow): void {
  if (!active) throw new ApiError('webhook_inactive')
}
