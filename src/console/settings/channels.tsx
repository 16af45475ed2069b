import type { Channel, ChannelPatch, ChannelSubscription } from '../../interface/channels.ts'
import { call } from '../api.ts'
import { SelectField, TextField } from '../fields.tsx'
import { textIn } from '../forms.tsx'
import { Loaded } from '../list.tsx'
import { useChannels } from '../posts/queries.ts'
import { useOrganization } from '../session.tsx'
import { Empty } from '../ui.tsx'
import { common } from '../words.ts'
import { words as ownWords } from './channels.words.ts'
import { DeleteDialog } from './delete-dialog.tsx'
import { ListSection, type Question, Row, useChanges } from './section.tsx'
import { TokenField, tokenActions, tokenIn, useConnected } from './token.tsx'
import { words } from './words.ts'
import { type KnownWorkspace, renameAction, useWorkspaces, Workspaces, WorkspacesOf } from './workspaces.tsx'

const TYPES = ['FB_PAGE', 'INSTAGRAM_ACCOUNT'] as const

/** The channels, what each lacks, and in which workspaces it is. */
export function Channels() {
  const workspaces = useWorkspaces()
  return (
    <Loaded read={workspaces}>
      {(known) => (
        <>
          <ChannelList workspaces={known} />
          <Workspaces workspaces={workspaces} />
        </>
      )}
    </Loaded>
  )
}

function ChannelList({ workspaces }: { workspaces: KnownWorkspace[] }) {
  const { id: organizationId, may } = useOrganization()
  const mayWrite = may('settings:write')
  const changes = useChanges(['channels', organizationId], ['workspaces', organizationId])
  const connected = useConnected()
  const add: Question = {
    title: words.addChannel,
    submit: words.add,
    fields: <ChannelFields />,
    run: async (form) => {
      const type = textIn(form, 'type') as Channel['type']
      const body = { type, platformId: textIn(form, 'platformId'), name: textIn(form, 'name'), ...tokenIn(form) }
      return connected(await call('createChannel', { organizationId, body }))
    },
  }
  const actionsOf = ({ id: channelId, name, status }: Channel) => {
    const update = (body: ChannelPatch) => call('updateChannel', { organizationId, channelId, body })
    const [connect, disconnect] = tokenActions({
      name,
      hasToken: status !== 'not-connected',
      hint: words.tokenHint,
      loss: words.disconnectChannel,
      setToken: async (body) => connected(await update(body)),
    })
    const onDelete = (force: boolean) => call('deleteChannel', { organizationId, channelId, query: { force } })
    const dialog = <DeleteDialog name={name} text={words.deleteChannel} onDelete={onDelete} />
    return [
      connect,
      renameAction(name, update),
      disconnect,
      { text: words.delete, kind: 'plain', run: () => changes.open(dialog) },
    ]
  }
  return (
    <ListSection
      title={words.sections.channels}
      changes={changes}
      add={mayWrite && add}
      read={useChannels()}
      empty={<Empty title={words.noChannelTitle}>{words.noChannel}</Empty>}
      row={(channel) => (
        <Row
          name={<bdi>{channel.name}</bdi>}
          about={`${common.channelType(channel.type)} · ${channel.id}`}
          of={channel.name}
          actions={mayWrite && actionsOf(channel)}
        >
          <span class={channel.status === 'connected' ? 'state-good' : 'state-bad'}>
            {words.health[channel.status]}
          </span>
          {channel.problem !== undefined && <span>{channel.problem}</span>}
          {channel.subscription && <Subscription subscription={channel.subscription} />}
          {workspaces.length > 0 && <WorkspacesOf channel={channel} workspaces={workspaces} />}
        </Row>
      )}
    />
  )
}

const Subscription = ({ subscription: { state, problem } }: { subscription: ChannelSubscription }) => (
  <span class={state === 'REFUSED' ? 'state-bad' : state === 'SUBSCRIBED' ? 'state-good' : 'quiet'}>
    {state === 'REFUSED' ? ownWords.refused(problem ?? '') : ownWords.subscription[state]}
  </span>
)

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
