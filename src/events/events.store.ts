import type { Queryable } from '../database/database.js'
import { sealedColumn } from '../database/sealed-column.js'
import type { EventData, EventType } from '../interface/notifications.js'
import { newId } from '../lib/ids.js'

/** What an event's secret is bound to (lib/seal.ts). */
export const eventSecretContext = (organizationId: string, eventId: string): string =>
  `event ${organizationId} ${eventId}`

export const sealedEventSecrets = sealedColumn(
  { table: 'events', id: 'event_id', column: 'secret_sealed' },
  eventSecretContext,
)

export interface EventToRecord {
  organizationId: string
  type: EventType
  at: Date
  data: EventData
}

export interface EventRow {
  organization_id: string
  event_id: string
  type: EventType
  at: Date
  data: EventData
}

export const newEventId = (): string => newId('event')

/** Writes an event into the outbox, in the transaction of what it tells about. */
export async function recordEvent(tx: Queryable, { organizationId, type, at, data }: EventToRecord): Promise<void> {
  await tx.query(`insert into events (organization_id, event_id, type, at, data) values ($1, $2, $3, $4, $5)`, [
    organizationId,
    newEventId(),
    type,
    at,
    JSON.stringify(data),
  ])
}

/** Takes the oldest events out of the outbox, in the transaction that passes them on. Fewer than `limit` are the last. */
export async function takeEvents(tx: Queryable, limit: number): Promise<EventRow[]> {
  const { rows } = await tx.query<EventRow>(
    `delete from events e
      using (select organization_id, event_id from events order by at, event_id limit $1 for update skip locked) taken
      where e.organization_id = taken.organization_id and e.event_id = taken.event_id
  returning e.organization_id, e.event_id, e.type, e.at, e.data`,
    [limit],
  )
  return rows
}

export async function deleteAllEvents(tx: Queryable, organizationId: string): Promise<void> {
  await tx.query('delete from events where organization_id = $1', [organizationId])
}
