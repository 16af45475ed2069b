import { useQueryClient } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import type { WebhookDelivery, WebhookWithSecret } from '../../interface/notifications.ts'
import {
  deleteWebhook,
  getWebhook,
  listWebhookDeliveries,
  resendWebhookDelivery,
  rotateWebhookSecret,
  setWebhook,
  testWebhook,
} from '../api.ts'
import { POLL_MS } from '../clock.ts'
import { CopyField, FormDialog, SectionHead, ShownOnce, textIn, useAct } from '../forms.tsx'
import { useOrganization } from '../session.tsx'
import { formatInstant } from '../times.ts'
import { announce, Empty, Field, Loading, Problem } from '../ui.tsx'
import { useRead } from '../use-read.ts'
import { words } from './words.ts'

/** Where a program of the organization's is told of events, and what came of the deliveries. */
export function Webhook() {
  const { id: organizationId, timeZone, may } = useOrganization()
  const client = useQueryClient()
  const mayWrite = may('settings:write')
  const webhook = useRead({
    queryKey: ['webhook', organizationId],
    queryFn: ({ signal }) => getWebhook(organizationId, { signal }),
    refetchInterval: POLL_MS,
  })
  const [asks, setAsks] = useState<'set' | 'rotate' | 'delete'>()
  const [secret, setSecret] = useState<string>()
  const { busy, error, act } = useAct()
  const close = (): void => setAsks(undefined)
  const refresh = (): Promise<void> => client.invalidateQueries({ queryKey: ['webhook', organizationId] })
  const change = async (work: () => Promise<WebhookWithSecret>, done: string): Promise<void> => {
    const { secret: made } = await work()
    close()
    if (made === undefined) announce(done)
    else setSecret(made)
    await refresh()
  }
  if (webhook.data === undefined) {
    return webhook.error ? <Problem error={webhook.error} onRetry={webhook.refetch} /> : <Loading />
  }
  const present = webhook.data.webhook
  return (
    <section class="section">
      <SectionHead title={words.sections.webhook}>
        {mayWrite && (
          <button type="button" class={`button ${present ? '' : 'primary'}`} onClick={() => setAsks('set')}>
            {present ? words.changeAddress : words.addWebhook}
          </button>
        )}
      </SectionHead>
      <p class="quiet small-text">{words.webhookHint}</p>
      {error !== undefined && <Problem error={error} />}
      {present === undefined ? (
        <Empty title={words.noWebhookTitle}>{words.noWebhook}</Empty>
      ) : (
        <div class="card">
          <p class="id">{present.url}</p>
          <p class="quiet small-text">
            {words.since(formatInstant(present.createdAt, timeZone, 'date'))}
            {present.previousSecretUntil !== undefined &&
              ` · ${words.twoSecrets(formatInstant(present.previousSecretUntil, timeZone, 'short'))}`}
          </p>
          {mayWrite && (
            <div class="actions">
              <button
                type="button"
                class="button small"
                disabled={busy}
                onClick={() => void act(() => testWebhook(organizationId).then(refresh), words.testSent)}
              >
                {words.sendTest}
              </button>
              <button type="button" class="button small" onClick={() => setAsks('rotate')}>
                {words.rotateSecret}
              </button>
              <button type="button" class="button small plain" onClick={() => setAsks('delete')}>
                {words.removeWebhook}
              </button>
            </div>
          )}
        </div>
      )}
      <Deliveries canResend={mayWrite && present !== undefined} />

      {asks === 'set' && (
        <FormDialog
          title={present ? words.changeAddress : words.addWebhook}
          submit={present ? words.changeAddress : words.add}
          onClose={close}
          onSubmit={(form) => change(() => setWebhook(organizationId, { url: textIn(form, 'url') }), words.saved)}
        >
          <Field label={words.address} hint={words.addressHint}>
            {(attributes) => (
              <input
                {...attributes}
                type="url"
                name="url"
                required
                maxLength={2048}
                autofocus
                defaultValue={present?.url ?? ''}
              />
            )}
          </Field>
        </FormDialog>
      )}
      {asks === 'rotate' && (
        <FormDialog
          title={words.rotateSecretTitle}
          submit={words.rotateSecret}
          onClose={close}
          onSubmit={() => change(() => rotateWebhookSecret(organizationId), words.saved)}
        >
          <p>{words.rotateSecretText}</p>
        </FormDialog>
      )}
      {asks === 'delete' && (
        <FormDialog
          title={words.removeWebhookTitle}
          submit={words.removeWebhook}
          isBad
          onClose={close}
          onSubmit={() => change(() => deleteWebhook(organizationId), words.webhookRemoved)}
        >
          <p>{words.removeWebhookText}</p>
        </FormDialog>
      )}
      {secret !== undefined && (
        <ShownOnce title={words.webhookReady} lead={words.webhookLead} onClose={() => setSecret(undefined)}>
          <CopyField label={words.secret} value={secret} hint={words.secretHint} />
        </ShownOnce>
      )}
    </section>
  )
}

const DELIVERIES_FIRST = 20
/** What the service gives at a time. */
const DELIVERIES_MAX = 200

function Deliveries({ canResend }: { canResend: boolean }) {
  const { id: organizationId, timeZone } = useOrganization()
  const { busy, error, act } = useAct()
  const [limit, setLimit] = useState(DELIVERIES_FIRST)
  const deliveries = useRead({
    queryKey: ['webhook', organizationId, 'deliveries', limit],
    queryFn: ({ signal }) => listWebhookDeliveries(organizationId, { limit }, { signal }),
    refetchInterval: POLL_MS,
    placeholderData: (before) => before,
  })
  if (deliveries.data === undefined) {
    return deliveries.error ? <Problem error={deliveries.error} onRetry={deliveries.refetch} /> : <Loading lines={2} />
  }
  const { items, mayHaveMore } = deliveries.data
  if (items.length === 0) return null
  return (
    <>
      <SectionHead title={words.deliveries} />
      <p class="quiet small-text">{words.deliveriesHint}</p>
      {error !== undefined && <Problem error={error} />}
      <ul class="card rows" aria-label={words.deliveries}>
        {items.map((one) => (
          <li key={one.id}>
            <div class="row-text">
              <strong>{words.events[one.type]}</strong>
              <span class="quiet small-text">
                {formatInstant(one.timestamp, timeZone, 'short')} · {one.id}
              </span>
              <Outcome delivery={one} />
            </div>
            {canResend && one.status !== 'PENDING' && (
              <div class="actions">
                <button
                  type="button"
                  class="button small"
                  disabled={busy}
                  onClick={() =>
                    void act(async () => {
                      await resendWebhookDelivery(organizationId, one.id)
                      await deliveries.refetch()
                    }, words.sentAgain)
                  }
                >
                  {words.sendAgain}
                  <span class="hidden"> {one.id}</span>
                </button>
              </div>
            )}
          </li>
        ))}
      </ul>
      {mayHaveMore && (
        <div class="actions">
          {limit < DELIVERIES_MAX ? (
            <button type="button" class="button small plain" onClick={() => setLimit(DELIVERIES_MAX)}>
              {words.moreDeliveries}
            </button>
          ) : (
            <p class="quiet small-text">{words.olderDeliveries}</p>
          )}
        </div>
      )}
    </>
  )
}

function Outcome({ delivery }: { delivery: WebhookDelivery }) {
  const { timeZone } = useOrganization()
  const { status, attempts, nextAttemptAt, lastError = '' } = delivery
  if (status === 'DELIVERED') return <span class="state-good">{words.delivered(attempts)}</span>
  if (status === 'FAILED') return <span class="state-bad">{words.notDelivered(attempts, lastError)}</span>
  if (attempts === 0 || nextAttemptAt === undefined) return <span>{words.onItsWay}</span>
  return <span>{words.again(lastError, formatInstant(nextAttemptAt, timeZone, 'short'))}</span>
}
