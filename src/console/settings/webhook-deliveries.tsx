import { useState } from 'preact/hooks'
import type { ShownWebhookDelivery, Webhook, WebhookDelivery } from '../../interface/generated/types.ts'
import { call } from '../api.ts'
import { POLL_MS } from '../clock.ts'
import { Choice } from '../fields.tsx'
import { Loaded, Rows } from '../list.tsx'
import { useUrlQuery } from '../navigation.ts'
import { useOrganization } from '../organization.ts'
import { formatInstant } from '../times.ts'
import { Button, Dialog } from '../ui.tsx'
import { byClock, usePolled } from '../use-read.ts'
import { webhooks as words } from '../words.ts'
import { type Action, done, Row, Section, useChanges } from './section.tsx'
import { nameOf } from './webhook-name.ts'

const FIRST = 20
/** The service's limit per page. */
const MAX = 200
const ALL = ''

interface DeliveriesProps {
  webhooks: Webhook[]
  canResend: boolean
}

/** The deliveries of one or all webhooks, newest first. The URL holds the filter and the open delivery. */
export function Deliveries({ webhooks, canResend }: DeliveriesProps) {
  const { id: organizationId } = useOrganization()
  const { query, setQuery } = useUrlQuery()
  const webhookId = query.webhook || undefined
  const [limit, setLimit] = useState(FIRST)
  const queryKey = ['webhook', organizationId, 'deliveries']
  const changes = useChanges(queryKey)
  const deliveries = usePolled(
    [...queryKey, webhookId, limit],
    (options) => call('listWebhookDeliveries', { organizationId, query: { limit, webhookId } }, options),
    {
      placeholderData: (before) => before,
      // A delivery that was not attempted yet changes soon.
      refetchInterval: (given) => (given.state.data?.items.some(isOnItsWay) ? POLL_MS : byClock(given)),
    },
  )
  const [openWebhook, openId] = query.delivery?.split('~') ?? []
  return (
    <Loaded read={deliveries} lines={2}>
      {({ items, mayHaveMore }) =>
        (items.length > 0 || webhookId !== undefined) && (
          <Section title={words.deliveries} hint={words.deliveriesHint} changes={changes}>
            {(webhooks.length > 1 || webhookId !== undefined) && (
              <Choice
                label={words.ofWebhook}
                value={webhookId ?? ALL}
                options={[[ALL, words.ofAll], ...webhooks.map((one) => [one.id, nameOf(one)] as const)]}
                onChoose={(webhook) => setQuery({ webhook })}
              />
            )}
            {items.length === 0 ? (
              <p class="quiet">{words.noneThere}</p>
            ) : (
              <Rows label={words.deliveries} items={items} keyOf={({ id, webhookId: to }) => `${to} ${id}`}>
                {(one) => <DeliveryRow of={one} webhooks={webhooks} canResend={canResend} />}
              </Rows>
            )}
            {mayHaveMore && (
              <div class="actions">
                {limit < MAX ? (
                  <Button kind="small plain" onClick={() => setLimit(MAX)}>
                    {words.more}
                  </Button>
                ) : (
                  <p class="quiet small-text">{words.older}</p>
                )}
              </div>
            )}
            {openWebhook !== undefined && openId !== undefined && (
              <DeliveryDialog at={{ organizationId, webhookId: openWebhook, deliveryId: openId }} />
            )}
          </Section>
        )
      }
    </Loaded>
  )
}

function DeliveryRow({ of: one, webhooks, canResend }: { of: WebhookDelivery } & DeliveriesProps) {
  const { id: organizationId, timeZone } = useOrganization()
  const { setQuery } = useUrlQuery()
  const webhook = webhooks.find(({ id }) => id === one.webhookId)
  const to = webhook === undefined ? words.removedWebhook : nameOf(webhook)
  const at = { organizationId, webhookId: one.webhookId, deliveryId: one.id }
  const show: Action = { text: words.show, run: () => setQuery({ delivery: `${one.webhookId}~${one.id}` }) }
  const resend: Action = {
    text: words.sendAgain,
    change: () => done(call('resendWebhookDelivery', at), words.sentAgain),
  }
  return (
    <Row
      name={words.events[one.type]}
      about={words.to({ webhook: to, time: formatInstant(one.timestamp, timeZone, 'short') })}
      of={one.id}
      actions={[show, canResend && webhook?.active === true && one.status !== 'PENDING' && resend]}
    >
      <Result of={one} />
    </Row>
  )
}

const isOnItsWay = ({ status, attempts }: WebhookDelivery): boolean => status === 'PENDING' && attempts === 0

function Result({ of: { status, attempts, nextAttemptAt, lastError = '' } }: { of: WebhookDelivery }) {
  const { timeZone } = useOrganization()
  if (status === 'DELIVERED') return <span class="state-good">{words.delivered({ attempts })}</span>
  if (status === 'FAILED') return <span class="state-bad">{words.notDelivered({ attempts, why: lastError })}</span>
  if (attempts === 0 || nextAttemptAt === undefined) return <span>{words.onItsWay}</span>
  return <span>{words.again({ why: lastError, time: formatInstant(nextAttemptAt, timeZone, 'short') })}</span>
}

/** A delivery's body and the last response. */
function DeliveryDialog({ at }: { at: { organizationId: string; webhookId: string; deliveryId: string } }) {
  const { setQuery } = useUrlQuery()
  const delivery = usePolled(
    ['webhook', at.organizationId, 'delivery', at.webhookId, at.deliveryId],
    (options) => call('getWebhookDelivery', at, options),
    { refetchInterval: (query) => (query.state.data?.status === 'PENDING' ? POLL_MS : byClock(query)) },
  )
  return (
    <Dialog
      title={delivery.data === undefined ? words.deliveries : words.events[delivery.data.type]}
      onClose={() => setQuery({ delivery: undefined })}
    >
      <Loaded read={delivery}>{(one) => <Shown of={one} />}</Loaded>
    </Dialog>
  )
}

function Shown({ of: one }: { of: ShownWebhookDelivery }) {
  const { timeZone } = useOrganization()
  const { payload, lastAnswer, lastAttemptAt, lastStatus, lastDurationMs = 0 } = one
  return (
    <div class="form">
      <Result of={one} />
      <h3>{words.payload}</h3>
      <pre class="body">{JSON.stringify(JSON.parse(payload), undefined, 2)}</pre>
      <h3>{words.answer}</h3>
      {lastAttemptAt === undefined ? (
        <p class="quiet">{words.notTried}</p>
      ) : (
        <>
          <p>
            {words.answerOf({
              status: lastStatus,
              time: formatInstant(lastAttemptAt, timeZone, 'short'),
              durationMs: lastDurationMs,
            })}
          </p>
          {lastAnswer === undefined ? (
            <p class="quiet">{words.noText}</p>
          ) : (
            <>
              <pre class="body">{lastAnswer}</pre>
              <p class="quiet small-text">{words.firstBytes}</p>
            </>
          )}
        </>
      )}
    </div>
  )
}
