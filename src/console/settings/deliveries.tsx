import { useState } from 'preact/hooks'
import type { WebhookDelivery } from '../../interface/notifications.ts'
import { call } from '../api.ts'
import { POLL_MS } from '../clock.ts'
import { Loaded, Rows } from '../list.tsx'
import { useOrganization } from '../organization.ts'
import { formatInstant } from '../times.ts'
import { Button } from '../ui.tsx'
import { byClock, usePolled } from '../use-read.ts'
import { done, Row, Section, useChanges } from './section.tsx'
import { words } from './words.ts'

const FIRST = 20
/** The service gives no more at a time. */
const MAX = 200

/** The deliveries of the webhook, newest first. */
export function Deliveries({ canResend }: { canResend: boolean }) {
  const { id: organizationId, timeZone } = useOrganization()
  const [limit, setLimit] = useState(FIRST)
  const queryKey = ['webhook', organizationId, 'deliveries']
  const changes = useChanges(queryKey)
  const deliveries = usePolled(
    [...queryKey, limit],
    (options) => call('listWebhookDeliveries', { organizationId, query: { limit } }, options),
    {
      placeholderData: (before) => before,
      // The answer to one that is on its way comes in a moment.
      refetchInterval: (query) => (query.state.data?.items.some(isOnItsWay) ? POLL_MS : byClock(query)),
    },
  )
  const resend = (deliveryId: string) =>
    done(call('resendWebhookDelivery', { organizationId, deliveryId }), words.sentAgain)
  return (
    <Loaded read={deliveries} lines={2}>
      {({ items, mayHaveMore }) =>
        items.length > 0 && (
          <Section title={words.deliveries} hint={words.deliveriesHint} changes={changes}>
            <Rows label={words.deliveries} items={items} keyOf={({ id }) => id}>
              {(one) => (
                <Row
                  name={words.events[one.type]}
                  about={`${formatInstant(one.timestamp, timeZone, 'short')} · ${one.id}`}
                  of={one.id}
                  actions={
                    canResend && one.status !== 'PENDING' && [{ text: words.sendAgain, change: () => resend(one.id) }]
                  }
                >
                  <Result of={one} />
                </Row>
              )}
            </Rows>
            {mayHaveMore && (
              <div class="actions">
                {limit < MAX ? (
                  <Button kind="small plain" onClick={() => setLimit(MAX)}>
                    {words.moreDeliveries}
                  </Button>
                ) : (
                  <p class="quiet small-text">{words.olderDeliveries}</p>
                )}
              </div>
            )}
          </Section>
        )
      }
    </Loaded>
  )
}

const isOnItsWay = ({ status, attempts }: WebhookDelivery): boolean => status === 'PENDING' && attempts === 0

function Result({ of: { status, attempts, nextAttemptAt, lastError = '' } }: { of: WebhookDelivery }) {
  const { timeZone } = useOrganization()
  if (status === 'DELIVERED') return <span class="state-good">{words.delivered(attempts)}</span>
  if (status === 'FAILED') return <span class="state-bad">{words.notDelivered(attempts, lastError)}</span>
  if (attempts === 0 || nextAttemptAt === undefined) return <span>{words.onItsWay}</span>
  return <span>{words.again(lastError, formatInstant(nextAttemptAt, timeZone, 'short'))}</span>
}
