import type { Channel } from '../../interface/channels.ts'
import { createChannel, deleteChannel, updateChannel } from '../api.ts'
import { SelectField, TextField } from '../fields.tsx'
import { textIn } from '../forms.tsx'
import { Loaded, Row } from '../list.tsx'
import { useChannels } from '../posts/queries.ts'
import { useOrganization } from '../session.tsx'
import { formatInstant } from '../times.ts'
import { Empty } from '../ui.tsx'
import { common } from '../words.ts'
import { DeleteDialog } from './delete-dialog.tsx'
import { Actions, AddButton, ListSection, type Outcome, type Question, useChanges } from './section.tsx'
import { TokenField, tokenActions, tokenIn } from './token.tsx'
import { words } from './words.ts'
import { type KnownWorkspace, renameQuestion, useWorkspaces, Workspaces, WorkspacesOf } from './workspaces.tsx'

const TYPES = ['FB_PAGE', 'INSTAGRAM_ACCOUNT'] as const

/** The channels, what each lacks, and in which workspaces it is. */
export function Channels() {
  const workspaces = useWorkspaces()
  return (
    <section class="section">
      <Loaded read={workspaces}>
        {(known) => (
          <>
            <ChannelList workspaces={known} />
            <Workspaces workspaces={workspaces} />
          </>
        )}
      </Loaded>
    </section>
  )
}

function ChannelList({ workspaces }: { workspaces: KnownWorkspace[] }) {
  const { id: organizationId, timeZone, may } = useOrganization()
  const mayWrite = may('settings:write')
  const channels = useChannels()
  const changes = useChanges(['channels', organizationId], ['workspaces', organizationId])
  const outcomeOf = ({ status, tokenExpiresAt: end }: Channel): Outcome => ({
    said: words.connectedNow(status === 'connected', end && formatInstant(end, timeZone, 'date')),
  })
  const add: Question = {
    title: words.addChannel,
    submit: words.add,
    fields: <ChannelFields />,
    run: async (form) => {
      const type = textIn(form, 'type') as Channel['type']
      const body = { type, platformId: textIn(form, 'platformId'), name: textIn(form, 'name'), ...tokenIn(form) }
      return outcomeOf(await createChannel(organizationId, body))
    },
  }
  const actionsOf = ({ id, name, status }: Channel) => {
    const { connect, disconnect } = tokenActions({
      name,
      hasToken: status !== 'not-connected',
      hint: words.tokenHint,
      loss: words.disconnectChannel,
      ask: changes.ask,
      setToken: async (accessToken) => outcomeOf(await updateChannel(organizationId, id, { accessToken })),
    })
    const rename = renameQuestion(name, (next) => updateChannel(organizationId, id, { name: next }))
    const onDelete = (force: boolean) => deleteChannel(organizationId, id, { force })
    const dialog = <DeleteDialog name={name} text={words.deleteChannel} onDelete={onDelete} changes={changes} />
    return (
      <Actions
        of={name}
        all={[
          connect,
          { text: words.rename, isPlain: true, run: () => changes.ask(rename) },
          disconnect,
          { text: words.delete, isPlain: true, run: () => changes.open(dialog) },
        ]}
      />
    )
  }
  return (
    <ListSection
      title={words.sections.channels}
      changes={changes}
      add={mayWrite && <AddButton text={words.addChannel} onClick={() => changes.ask(add)} />}
      read={channels}
      empty={<Empty title={words.noChannelTitle}>{words.noChannel}</Empty>}
      keyOf={({ id }) => id}
      row={(channel) => (
        <Row name={<bdi>{channel.name}</bdi>} actions={mayWrite && actionsOf(channel)}>
          <span class="quiet small-text">
            {common.channelType(channel.type)} · {channel.id}
          </span>
          <span class={channel.status === 'connected' ? 'state-good' : 'state-bad'}>
            {words.health[channel.status]}
          </span>
          {channel.problem !== undefined && <span>{channel.problem}</span>}
          {workspaces.length > 0 && <WorkspacesOf channel={channel} workspaces={workspaces} changes={changes} />}
        </Row>
      )}
    />
  )
}

const ChannelFields = () => (
  <>
    <SelectField label={words.kind} name="type" values={TYPES} textOf={common.channelType} />
    <TextField
      label={words.platformId}
      hint={words.channelIdHint}
      name="platformId"
      required
      pattern="[0-9]+"
      inputMode="numeric"
      maxLength={32}
    />
    <TextField label={words.name} name="name" required maxLength={200} />
    <TokenField hint={words.tokenHint} />
  </>
)
