import type { Webhook as SetWebhook, WebhookWithSecret } from '../../interface/notifications.ts'
import { ApiError, call } from '../api.ts'
import { TextField } from '../fields.tsx'
import { CopyField, textIn } from '../forms.tsx'
import { Loaded } from '../list.tsx'
import { useOrganization } from '../organization.ts'
import { formatInstant } from '../times.ts'
import { Empty } from '../ui.tsx'
import { usePolled } from '../use-read.ts'
import { Deliveries } from './deliveries.tsx'
import { Actions, done, type Outcome, type Question, Section, useChanges } from './section.tsx'
import { words } from './words.ts'

/** The address that is notified of the organization's events, and its deliveries. */
export function Webhook() {
  const { id: organizationId } = useOrganization()
  const webhook = usePolled(['webhook', organizationId], (options) =>
    call('getWebhook', { organizationId }, options).catch((error: unknown) => {
      if (error instanceof ApiError && error.code === 'webhook_not_found') return null
      throw error
    }),
  )
  return <Loaded read={webhook}>{(present) => <Address present={present} />}</Loaded>
}

/** A first address and a replacement bring a secret. */
async function secretOf(change: Promise<Partial<WebhookWithSecret>>): Promise<Outcome> {
  const { secret } = await change
  if (secret === undefined) return { said: words.saved }
  const children = <CopyField label={words.secret} value={secret} hint={words.secretHint} />
  return { secret: { title: words.webhookReady, lead: words.webhookLead, children } }
}

function Address({ present }: { present: SetWebhook | null }) {
  const { id: organizationId, may } = useOrganization()
  const mayWrite = may('settings:write')
  const changes = useChanges(['webhook', organizationId])
  const set: Question = {
    title: present ? words.changeAddress : words.addWebhook,
    submit: present ? words.changeAddress : words.add,
    fields: (
      <TextField
        label={words.address}
        hint={words.addressHint}
        type="url"
        name="url"
        required
        maxLength={2048}
        autofocus
        defaultValue={present?.url ?? ''}
      />
    ),
    run: (form) => secretOf(call('setWebhook', { organizationId, body: { url: textIn(form, 'url') } })),
  }
  return (
    <>
      <Section
        title={words.sections.webhook}
        hint={words.webhookHint}
        changes={changes}
        action={mayWrite && { text: set.title, kind: present ? '' : 'primary', ask: set }}
      >
        {present === null ? (
          <Empty title={words.noWebhookTitle}>{words.noWebhook}</Empty>
        ) : (
          <PresentWebhook present={present} />
        )}
      </Section>
      <Deliveries canResend={mayWrite && present !== null} />
    </>
  )
}

function PresentWebhook({ present }: { present: SetWebhook }) {
  const { id: organizationId, timeZone, may } = useOrganization()
  const rotate: Question = {
    title: words.rotateSecretTitle,
    submit: words.rotateSecret,
    text: words.rotateSecretText,
    run: () => secretOf(call('rotateWebhookSecret', { organizationId })),
  }
  const remove: Question = {
    title: words.removeWebhookTitle,
    submit: words.removeWebhook,
    isBad: true,
    text: words.removeWebhookText,
    run: () => done(call('deleteWebhook', { organizationId }), words.webhookRemoved),
  }
  return (
    <div class="card">
      <p class="id">{present.url}</p>
      <p class="quiet small-text">
        {words.since(formatInstant(present.createdAt, timeZone, 'date'))}
        {present.previousSecretUntil !== undefined &&
          ` · ${words.twoSecrets(formatInstant(present.previousSecretUntil, timeZone, 'short'))}`}
      </p>
      {may('settings:write') && (
        <Actions
          all={[
            { text: words.sendTest, change: () => done(call('testWebhook', { organizationId }), words.testSent) },
            { text: words.rotateSecret, ask: rotate },
            { text: words.removeWebhook, kind: 'plain', ask: remove },
          ]}
        />
      )}
    </div>
  )
}
