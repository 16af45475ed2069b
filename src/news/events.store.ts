import type { Queryable } from '../database/database.js'
import { listRows, readValue } from '../database/queries.js'
import { TABLES } from '../database/tables.js'
import type { Events, EventType, WebhookDelivery } from '../interface/generated/types.js'
import { newId } from '../lib/ids.js'
import type { Sealer } from '../lib/seal.js'

export const eventSecretContext = TABLES.events.sealed.secret_sealed.context

type DataOf = { [Type in EventType]: Events[Type]['data'] }

/** The data of each event in the outbox. */
interface StoredDataOf extends DataOf {
  /** These types only lead to emails. They invite a person who may not have an account. */
  'invitation.created': { invitationId: string }
  'review_link.sent': { reviewLinkId: string }
  /** Belongs to the server, not to an organization. */
  'person.notice': Record<string, string>
}
export type StoredEventType = keyof StoredDataOf

export interface EventToRecord<Type extends StoredEventType> {
  organizationId: string
  type: Type
  at: Date
  data: StoredDataOf[Type]
  /** A secret that only the email contains. It is sealed before it is stored. */
  secret?: { sealer: Sealer; plaintext: string }
}

export interface EventRow {
  organization_id: string
  event_id: string
  type: StoredEventType
  at: Date
  data: WebhookDelivery['data']
  secret_sealed: string | null
}

export const newEventId = (): string => newId('event')

/** Writes an event to the outbox, in the transaction of the change that it reports. */
export async function recordEvent<Type extends StoredEventType>(
  tx: Queryable,
  { organizationId, type, at, data, secret }: EventToRecord<Type>,
): Promise<void> {
  const eventId = newEventId()
  const sealed = secret?.sealer.seal(secret.plaintext, eventSecretContext(organizationId, eventId))
  await tx.query(
    `insert into events (organization_id, event_id, type, at, data, secret_sealed) values ($1, $2, $3, $4, $5, $6)`,
    [organizationId, eventId, type, at, JSON.stringify(data), sealed ?? null],
  )
}

/**
 * Returns whether the outbox has events. Only reads, because on the embedded engine even an empty write invalidates
 * the caches.
 */
export const hasEvents = (database: Queryable): Promise<boolean> =>
  readValue(database, 'select exists (select organization_id from events)')

/**
 * Removes the oldest events from the outbox, in the transaction that passes them on. Fewer than `limit` means that it
 * is empty.
 */
export const takeEvents = (tx: Queryable, limit: number): Promise<EventRow[]> =>
  listRows(
    tx,
    `delete from events e
      using (select organization_id, event_id from events order by at, event_id limit $1 for update skip locked) taken
      where e.organization_id = taken.organization_id and e.event_id = taken.event_id
  returning e.organization_id, e.event_id, e.type, e.at, e.data, e.secret_sealed`,
    [limit],
  )
