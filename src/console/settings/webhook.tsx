import type { Webhook as SetWebhook, WebhookWithSecret } from '../../interface/notifications.ts'
import { deleteWebhook, getWebhook, rotateWebhookSecret, setWebhook, testWebhook } from '../api.ts'
import { TextField } from '../fields.tsx'
import { textIn } from '../forms.tsx'
import { Loaded } from '../list.tsx'
import { useOrganization } from '../session.tsx'
import { formatInstant } from '../times.ts'
import { Button, Empty } from '../ui.tsx'
import { usePolled } from '../use-read.ts'
import { Deliveries } from './deliveries.tsx'
import { type Changes, type Outcome, type Question, Section, useChanges } from './section.tsx'
import { words } from './words.ts'

/** The address that is notified of the organization's events, and its deliveries. */
export function Webhook() {
  const { id: organizationId } = useOrganization()
  const webhook = usePolled(['webhook', organizationId], (options) => getWebhook(organizationId, options))
  return (
    <section class="section">
      <Loaded read={webhook}>{({ webhook: present }) => <Address present={present} />}</Loaded>
    </section>
  )
}

const outcomeOf = ({ secret }: Partial<WebhookWithSecret>, said: string): Outcome => {
  if (secret === undefined) return { said }
  const fields = [{ label: words.secret, value: secret, hint: words.secretHint }]
  return { secret: { title: words.webhookReady, lead: words.webhookLead, fields } }
}

function Address({ present }: { present: SetWebhook | undefined }) {
  const { id: organizationId, may } = useOrganization()
  const mayWrite = may('settings:write')
  const changes = useChanges(['webhook', organizationId])
  const setTitle = present ? words.changeAddress : words.addWebhook
  const set: Question = {
    title: setTitle,
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
    run: async (form) => outcomeOf(await setWebhook(organizationId, { url: textIn(form, 'url') }), words.saved),
  }
  return (
    <>
      <Section
        title={words.sections.webhook}
        hint={words.webhookHint}
        changes={changes}
        add={
          mayWrite && (
            <Button kind={present ? '' : 'primary'} onClick={() => changes.ask(set)}>
              {setTitle}
            </Button>
          )
        }
      >
        {present === undefined ? (
          <Empty title={words.noWebhookTitle}>{words.noWebhook}</Empty>
        ) : (
          <PresentWebhook present={present} changes={changes} />
        )}
      </Section>
      <Deliveries canResend={mayWrite && present !== undefined} />
    </>
  )
}

function PresentWebhook({ present, changes: { busy, ask, change } }: { present: SetWebhook; changes: Changes }) {
  const { id: organizationId, timeZone, may } = useOrganization()
  const sendTest = () =>
    change(async () => {
      await testWebhook(organizationId)
      return { said: words.testSent }
    })
  const rotate: Question = {
    title: words.rotateSecretTitle,
    submit: words.rotateSecret,
    text: words.rotateSecretText,
    run: async () => outcomeOf(await rotateWebhookSecret(organizationId), words.saved),
  }
  const remove: Question = {
    title: words.removeWebhookTitle,
    submit: words.removeWebhook,
    isBad: true,
    text: words.removeWebhookText,
    run: async () => outcomeOf(await deleteWebhook(organizationId), words.webhookRemoved),
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
        <div class="actions">
          <Button kind="small" disabled={busy} onClick={() => void sendTest()}>
            {words.sendTest}
          </Button>
          <Button kind="small" onClick={() => ask(rotate)}>
            {words.rotateSecret}
          </Button>
          <Button kind="small plain" onClick={() => ask(remove)}>
            {words.removeWebhook}
          </Button>
        </div>
      )}
    </div>
  )
}
