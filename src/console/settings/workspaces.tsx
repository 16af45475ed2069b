import type { Channel, Workspace } from '../../interface/generated/types.ts'
import { call, listChannels, listWorkspaces } from '../api.ts'
import { SelectField, TextField } from '../fields.tsx'
import { Switch, textIn } from '../forms.tsx'
import { useOrganization } from '../organization.ts'
import { type Read, usePolled } from '../use-read.ts'
import { settings as words } from '../words.ts'
import { DeleteDialog } from './delete-dialog.tsx'
import { type Action, done, ListSection, type Question, Row, useChanges, useSectionChanges } from './section.tsx'

const TYPES = ['VIP', 'STANDARD'] as const

/** A workspace with its channels; `channels` is undefined while loading. */
export interface KnownWorkspace extends Workspace {
  channels: Channel[] | undefined
}

export function useWorkspaces(): Read<KnownWorkspace[]> {
  const { id: organizationId } = useOrganization()
  const workspaces = usePolled(['workspaces', organizationId], (options) => listWorkspaces(organizationId, options))
  const ids = (workspaces.data ?? []).map(({ id }) => id)
  const channels = usePolled(
    ['channels', organizationId, 'by workspace', ids],
    (options) => Promise.all(ids.map((workspaceId) => listChannels(organizationId, { workspaceId }, options))),
    { enabled: ids.length > 0, placeholderData: (before) => before },
  )
  const data = workspaces.data?.map((workspace, place) => ({ ...workspace, channels: channels.data?.[place] }))
  return { ...workspaces, data } as Read<KnownWorkspace[]>
}

/** A channel's workspaces, as checkboxes. */
export function WorkspacesOf({ channel, workspaces }: { channel: Channel; workspaces: KnownWorkspace[] }) {
  const { id: organizationId, may } = useOrganization()
  const { ask, change } = useSectionChanges()
  const setIn = ({ id: workspaceId, name }: Workspace, on: boolean) => {
    const input = { organizationId, workspaceId, channelId: channel.id }
    return done(
      call(on ? 'connectChannel' : 'disconnectChannel', input),
      words.putIn({ channel: channel.name, workspace: name, on }),
    )
  }
  const takeOut = (workspace: Workspace): Question => ({
    title: words.takeOutTitle({ channel: channel.name, workspace: workspace.name }),
    submit: words.takeOut,
    isBad: true,
    text: words.takeOutText,
    run: () => setIn(workspace, false),
  })
  return (
    <fieldset class="row-choices">
      <legend class="quiet small-text">
        {words.workspaces}
        <span class="hidden"> {words.inWorkspaces({ channel: channel.name })}</span>
      </legend>
      {workspaces.map((workspace) => (
        <Switch
          key={workspace.id}
          checked={workspace.channels?.some(({ id }) => id === channel.id) ?? false}
          disabled={!may('settings:write') || workspace.channels === undefined}
          onChange={async (checked) => {
            // Removing the channel deletes its marks, so ask first.
            if (!checked && workspace.type === 'VIP') ask(takeOut(workspace))
            else await change(() => setIn(workspace, checked))
          }}
        >
          <bdi>{workspace.name}</bdi>
        </Switch>
      ))}
    </fieldset>
  )
}

export function Workspaces({ workspaces }: { workspaces: Read<KnownWorkspace[]> }) {
  const { id: organizationId, may } = useOrganization()
  const mayWrite = may('settings:write')
  const changes = useChanges(['channels', organizationId], ['workspaces', organizationId])
  const add: Question = {
    title: words.addWorkspace,
    submit: words.add,
    fields: (
      <>
        <TextField label={words.name} name="name" required maxLength={200} autofocus />
        <SelectField
          label={words.kind}
          hint={words.workspacesHint}
          name="type"
          values={TYPES}
          textOf={(type) => words.workspaceTypes[type]}
        />
      </>
    ),
    run: async (form) => {
      const type = textIn(form, 'type') as Workspace['type']
      return done(call('createWorkspace', { organizationId, body: { name: textIn(form, 'name'), type } }))
    },
  }
  const actionsOf = ({ id: workspaceId, name }: Workspace): Action[] => {
    const onDelete = () => call('deleteWorkspace', { organizationId, workspaceId })
    const dialog = <DeleteDialog name={name} text={words.deleteWorkspace} onDelete={onDelete} />
    return [
      renameAction(name, (body) => call('updateWorkspace', { organizationId, workspaceId, body })),
      { text: words.delete, kind: 'plain', run: () => changes.open(dialog) },
    ]
  }
  return (
    <ListSection
      title={words.workspaces}
      hint={words.workspacesHint}
      changes={changes}
      add={mayWrite && add}
      addKind=""
      read={workspaces}
      row={({ channels, ...workspace }) => (
        <Row
          name={<bdi>{workspace.name}</bdi>}
          about={
            words.workspaceTypes[workspace.type] +
            (channels ? ` · ${words.channelCount({ many: channels.length })}` : '')
          }
          of={workspace.name}
          actions={mayWrite && actionsOf(workspace)}
        />
      )}
    />
  )
}

export function renameAction(name: string, rename: (body: { name: string }) => Promise<unknown>): Action {
  const question: Question = {
    title: words.renameTitle({ name }),
    submit: words.rename,
    fields: <TextField label={words.name} name="name" required maxLength={200} autofocus defaultValue={name} />,
    run: (form) => done(rename({ name: textIn(form, 'name') }), words.saved),
  }
  return { text: words.rename, kind: 'plain', ask: question }
}
