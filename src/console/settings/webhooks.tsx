import { useState } from 'preact/hooks'
import type { NewWebhook, Webhook, WebhookEventType } from '../../interface/generated/types.ts'
import { call } from '../api.ts'
import { CheckField, TextField } from '../fields.tsx'
import { CopyField, textIn } from '../forms.tsx'
import { useOrganization } from '../organization.ts'
import { formatInstant } from '../times.ts'
import { Empty } from '../ui.tsx'
import { usePolled } from '../use-read.ts'
import { list } from '../wording.ts'
import { common, settings, webhooks as words } from '../words.ts'
import { type Action, done, ListSection, type Outcome, type Question, Row, useChanges } from './section.tsx'
import { Deliveries } from './webhook-deliveries.tsx'
import { nameOf } from './webhook-name.ts'

const EVENTS = Object.keys(words.events).filter((event): event is WebhookEventType => event !== 'test')

/** The addresses that are notified of the organization's events, and their deliveries. */
export function Webhooks() {
  const { id: organizationId, may } = useOrganization()
  const mayWrite = may('settings:write')
  const webhooks = usePolled(['webhook', organizationId], (options) =>
    call('listWebhooks', { organizationId }, options),
  )
  const changes = useChanges(['webhook', organizationId])
  const { add, actionsOf } = useQuestions()
  return (
    <>
      <ListSection
        title={words.title}
        hint={words.hint}
        changes={changes}
        add={mayWrite && add}
        read={webhooks}
        empty={<Empty title={words.noneTitle}>{words.none}</Empty>}
        row={(webhook) => (
          <Row
            name={<bdi>{nameOf(webhook)}</bdi>}
            about={<span class="id">{webhook.url}</span>}
            of={nameOf(webhook)}
            actions={mayWrite && actionsOf(webhook)}
          >
            <Facts of={webhook} />
          </Row>
        )}
      />
      {webhooks.data !== undefined && <Deliveries webhooks={webhooks.data} canResend={mayWrite} />}
    </>
  )
}

function Facts({ of: { events, active, createdAt, previousSecretUntil } }: { of: Webhook }) {
  const { timeZone } = useOrganization()
  return (
    <>
      <span>{events === undefined ? words.everyEvent : list(events.map((event) => words.events[event]))}</span>
      {!active && <span class="state-bad">{words.off}</span>}
      <span class="quiet small-text">
        {words.since({ day: formatInstant(createdAt, timeZone, 'date') })}
        {previousSecretUntil !== undefined &&
          ` · ${words.twoSecrets({ time: formatInstant(previousSecretUntil, timeZone, 'short') })}`}
      </span>
    </>
  )
}

const secretOf = (secret: string): Outcome => ({
  secret: {
    title: words.ready,
    lead: words.lead,
    children: <CopyField label={words.secret} value={secret} hint={words.secretHint} />,
  },
})

/** The dialogs that add, edit and remove a webhook, and its immediate actions. */
function useQuestions() {
  const { id: organizationId } = useOrganization()
  const add: Question = {
    title: words.add,
    submit: words.addIt,
    fields: <SettingsFields />,
    run: async (form) => {
      const { events, ...body } = readSettings(form)
      const given = { organizationId, body: { ...body, ...(events !== null && { events }) } }
      return secretOf((await call('createWebhook', given)).secret)
    },
  }
  const actionsOf = (webhook: Webhook): Action[] => {
    const [name, at] = [nameOf(webhook), { organizationId, webhookId: webhook.id }]
    const edit: Question = {
      title: words.editTitle({ name }),
      submit: common.save,
      fields: <SettingsFields present={webhook} />,
      run: (form) => done(call('updateWebhook', { ...at, body: readSettings(form) }), settings.saved),
    }
    const rotate: Question = {
      title: words.rotateTitle({ name }),
      submit: words.rotate,
      text: words.rotateText,
      run: async () => secretOf((await call('rotateWebhookSecret', at)).secret),
    }
    const remove: Question = {
      title: words.removeTitle({ name }),
      submit: words.remove,
      isBad: true,
      text: words.removeText,
      run: () => done(call('deleteWebhook', at), words.removed({ name })),
    }
    const active = !webhook.active
    const change = () => done(call('updateWebhook', { ...at, body: { active } }), words.switched({ name, on: active }))
    return [
      {
        text: words.sendTest,
        disabled: !webhook.active,
        change: () => done(call('testWebhook', at), words.testSent),
      },
      { text: settings.edit, ask: edit },
      { text: active ? words.switchOn : words.switchOff, change },
      { text: words.rotate, ask: rotate },
      { text: words.remove, kind: 'plain', ask: remove },
    ]
  }
  return { add, actionsOf }
}

function SettingsFields({ present }: { present?: Webhook }) {
  const [isSome, setIsSome] = useState(present?.events !== undefined)
  return (
    <>
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
      <TextField
        label={words.name}
        hint={words.nameHint}
        name="name"
        maxLength={200}
        defaultValue={present?.name ?? ''}
      />
      <fieldset class="form">
        <legend class="label">{words.chosen}</legend>
        {[false, true].map((some) => (
          <label key={String(some)} class="check">
            <input
              type="radio"
              name="which"
              value={some ? 'some' : 'all'}
              checked={isSome === some}
              onChange={() => setIsSome(some)}
            />
            {some ? words.someEvents : words.allEvents}
          </label>
        ))}
        {isSome && (
          <div class="permissions">
            {EVENTS.map((event) => (
              <CheckField
                key={event}
                name="event"
                value={event}
                defaultChecked={present?.events?.includes(event) ?? false}
              >
                {words.events[event]}
              </CheckField>
            ))}
          </div>
        )}
      </fieldset>
    </>
  )
}

function readSettings(form: FormData): Omit<NewWebhook, 'events'> & { events: WebhookEventType[] | null } {
  const events = form.get('which') === 'some' ? (form.getAll('event') as WebhookEventType[]) : null
  if (events?.length === 0) throw new Error(words.noEvent)
  return { url: textIn(form, 'url'), name: textIn(form, 'name'), events }
}
