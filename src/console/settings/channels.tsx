import { useQueryClient } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import type { Channel, ChannelType, Workspace, WorkspaceType } from '../../interface/channels.ts'
import {
  ApiError,
  createChannel,
  createWorkspace,
  deleteChannel,
  deleteWorkspace,
  listChannels,
  listWorkspaces,
  renameWorkspace,
  setConnection,
  updateChannel,
} from '../api.ts'
import { POLL_MS } from '../clock.ts'
import { FormDialog, SectionHead, Switch, textIn, useAct } from '../forms.tsx'
import { Icon } from '../icons.tsx'
import { useChannels } from '../posts/queries.ts'
import { useOrganization } from '../session.tsx'
import { formatInstant } from '../times.ts'
import { announce, Empty, Field, Loading, Problem } from '../ui.tsx'
import { useRead } from '../use-read.ts'
import { common } from '../words.ts'
import { ConnectDialog, DisconnectDialog, TokenField } from './token.tsx'
import { words } from './words.ts'

type Asks =
  | { kind: 'add' | 'add-workspace' }
  | { kind: 'connect' | 'disconnect' | 'rename' | 'delete'; channel: Channel }
  | { kind: 'rename-workspace' | 'delete-workspace'; workspace: Workspace }
  | { kind: 'take-out'; channel: Channel; workspace: Workspace }

/** The channels, what each lacks, and in which workspaces it is. */
export function Channels() {
  const { id: organizationId, timeZone, may } = useOrganization()
  const client = useQueryClient()
  const mayWrite = may('settings:write')
  const channels = useChannels()
  const workspaces = useRead({
    queryKey: ['workspaces', organizationId],
    queryFn: ({ signal }) => listWorkspaces(organizationId, { signal }),
    refetchInterval: POLL_MS,
  })
  const workspaceIds = (workspaces.data ?? []).map(({ id }) => id)
  const inWorkspaces = useRead({
    queryKey: ['channels', organizationId, 'by workspace', workspaceIds],
    queryFn: ({ signal }) =>
      Promise.all(workspaceIds.map((workspaceId) => listChannels(organizationId, { workspaceId }, { signal }))),
    enabled: workspaceIds.length > 0,
    placeholderData: (before) => before,
    refetchInterval: POLL_MS,
  })
  const { error, act } = useAct()
  const [asks, setAsks] = useState<Asks>()
  const close = (): void => setAsks(undefined)
  const refresh = (): Promise<unknown> =>
    Promise.all([
      client.invalidateQueries({ queryKey: ['channels', organizationId] }),
      client.invalidateQueries({ queryKey: ['workspaces', organizationId] }),
    ])
  const done = async (channel: Channel): Promise<void> => {
    close()
    const { status, tokenExpiresAt: end } = channel
    announce(words.connectedNow(status === 'connected', end && formatInstant(end, timeZone, 'date')))
    await refresh()
  }
  const setIn = async (channel: Channel, workspace: Workspace, on: boolean): Promise<void> => {
    await setConnection(organizationId, workspace.id, channel.id, on)
    await refresh()
    announce(words.putIn(channel.name, workspace.name, on))
  }
  /** Whether a channel is in the workspace at this place; undefined while it is not known. */
  const isIn = (place: number, { id }: Channel): boolean | undefined =>
    inWorkspaces.data?.[place]?.some((one) => one.id === id)
  const failed = channels.error ?? workspaces.error
  if (channels.data === undefined || workspaces.data === undefined) {
    return failed ? <Problem error={failed} onRetry={refresh} /> : <Loading />
  }
  const known = workspaces.data
  return (
    <section class="section">
      <SectionHead title={words.sections.channels}>
        {mayWrite && (
          <button type="button" class="button primary" onClick={() => setAsks({ kind: 'add' })}>
            <Icon name="plus" /> {words.addChannel}
          </button>
        )}
      </SectionHead>
      {error !== undefined && <Problem error={error} />}
      {channels.data.length === 0 ? (
        <Empty title={words.noChannelTitle}>{words.noChannel}</Empty>
      ) : (
        <ul class="card rows" aria-label={words.sections.channels}>
          {channels.data.map((channel) => (
            <li key={channel.id}>
              <div class="row-text">
                <strong>
                  <bdi>{channel.name}</bdi>
                </strong>
                <span class="quiet small-text">
                  {common.channelType(channel.type)} · {channel.id}
                </span>
                <span class={channel.status === 'connected' ? 'state-good' : 'state-bad'}>
                  {words.health[channel.status]}
                </span>
                {channel.problem !== undefined && <span>{channel.problem}</span>}
                {known.length > 0 && (
                  <fieldset class="row-choices">
                    <legend class="quiet small-text">
                      {words.workspaces}
                      <span class="hidden"> {words.inWorkspaces(channel.name)}</span>
                    </legend>
                    {known.map((workspace, place) => (
                      <Switch
                        key={workspace.id}
                        checked={isIn(place, channel) ?? false}
                        disabled={!mayWrite || isIn(place, channel) === undefined}
                        onChange={async (checked) => {
                          // Marks do not come back.
                          if (!checked && workspace.type === 'VIP') setAsks({ kind: 'take-out', channel, workspace })
                          else await act(() => setIn(channel, workspace, checked))
                        }}
                      >
                        <bdi>{workspace.name}</bdi>
                      </Switch>
                    ))}
                  </fieldset>
                )}
              </div>
              {mayWrite && (
                <div class="actions">
                  <button type="button" class="button small" onClick={() => setAsks({ kind: 'connect', channel })}>
                    {channel.status === 'not-connected' ? words.connect : words.replaceToken}
                    <span class="hidden"> {channel.name}</span>
                  </button>
                  <button type="button" class="button small plain" onClick={() => setAsks({ kind: 'rename', channel })}>
                    {words.rename}
                    <span class="hidden"> {channel.name}</span>
                  </button>
                  {channel.status !== 'not-connected' && (
                    <button
                      type="button"
                      class="button small plain"
                      onClick={() => setAsks({ kind: 'disconnect', channel })}
                    >
                      {words.disconnect}
                      <span class="hidden"> {channel.name}</span>
                    </button>
                  )}
                  <button type="button" class="button small plain" onClick={() => setAsks({ kind: 'delete', channel })}>
                    {words.delete}
                    <span class="hidden"> {channel.name}</span>
                  </button>
                </div>
              )}
            </li>
          ))}
        </ul>
      )}

      <SectionHead title={words.workspaces}>
        {mayWrite && (
          <button type="button" class="button" onClick={() => setAsks({ kind: 'add-workspace' })}>
            <Icon name="plus" /> {words.addWorkspace}
          </button>
        )}
      </SectionHead>
      <p class="quiet small-text">{words.workspacesHint}</p>
      {known.length > 0 && (
        <ul class="card rows" aria-label={words.workspaces}>
          {known.map((workspace, place) => (
            <li key={workspace.id}>
              <div class="row-text">
                <strong>
                  <bdi>{workspace.name}</bdi>
                </strong>
                <span class="quiet small-text">
                  {words.workspaceTypes[workspace.type]}
                  {inWorkspaces.data?.[place] !== undefined &&
                    ` · ${words.channelCount(inWorkspaces.data[place].length)}`}
                </span>
              </div>
              {mayWrite && (
                <div class="actions">
                  <button
                    type="button"
                    class="button small plain"
                    onClick={() => setAsks({ kind: 'rename-workspace', workspace })}
                  >
                    {words.rename}
                    <span class="hidden"> {workspace.name}</span>
                  </button>
                  <button
                    type="button"
                    class="button small plain"
                    onClick={() => setAsks({ kind: 'delete-workspace', workspace })}
                  >
                    {words.delete}
                    <span class="hidden"> {workspace.name}</span>
                  </button>
                </div>
              )}
            </li>
          ))}
        </ul>
      )}

      {asks?.kind === 'add' && (
        <FormDialog
          title={words.addChannel}
          submit={words.add}
          onClose={close}
          onSubmit={async (form) => {
            const accessToken = textIn(form, 'accessToken')
            await done(
              await createChannel(organizationId, {
                type: textIn(form, 'type') as ChannelType,
                platformId: textIn(form, 'platformId'),
                name: textIn(form, 'name'),
                ...(accessToken === '' ? {} : { accessToken }),
              }),
            )
          }}
        >
          <Field label={words.kind}>
            {(attributes) => (
              <select {...attributes} name="type">
                {(['FB_PAGE', 'INSTAGRAM_ACCOUNT'] as const).map((type) => (
                  <option key={type} value={type}>
                    {common.channelType(type)}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <Field label={words.platformId} hint={words.channelIdHint}>
            {(attributes) => (
              <input {...attributes} name="platformId" required pattern="[0-9]+" inputMode="numeric" maxLength={32} />
            )}
          </Field>
          <Field label={words.name}>
            {(attributes) => <input {...attributes} name="name" required maxLength={200} />}
          </Field>
          <TokenField hint={words.tokenHint} />
        </FormDialog>
      )}
      {asks?.kind === 'connect' && (
        <ConnectDialog
          name={asks.channel.name}
          hint={words.tokenHint}
          onClose={close}
          onToken={async (accessToken) => done(await updateChannel(organizationId, asks.channel.id, { accessToken }))}
        />
      )}
      {asks?.kind === 'disconnect' && (
        <DisconnectDialog
          name={asks.channel.name}
          text={words.disconnectChannel}
          onClose={close}
          onToken={async (accessToken) => done(await updateChannel(organizationId, asks.channel.id, { accessToken }))}
        />
      )}
      {asks?.kind === 'rename' && (
        <RenameDialog
          name={asks.channel.name}
          onClose={close}
          onRename={async (name) => {
            await updateChannel(organizationId, asks.channel.id, { name })
            await refresh()
          }}
        />
      )}
      {asks?.kind === 'rename-workspace' && (
        <RenameDialog
          name={asks.workspace.name}
          onClose={close}
          onRename={async (name) => {
            await renameWorkspace(organizationId, asks.workspace.id, name)
            await refresh()
          }}
        />
      )}
      {asks?.kind === 'take-out' && (
        <FormDialog
          title={words.takeOutTitle(asks.channel.name, asks.workspace.name)}
          submit={words.takeOut}
          isBad
          onClose={close}
          onSubmit={async () => {
            await setIn(asks.channel, asks.workspace, false)
            close()
          }}
        >
          <p>{words.takeOutText}</p>
        </FormDialog>
      )}
      {asks?.kind === 'delete' && (
        <DeleteDialog
          name={asks.channel.name}
          text={words.deleteChannel}
          onClose={close}
          onDelete={(force) => deleteChannel(organizationId, asks.channel.id, { force }).finally(refresh)}
        />
      )}
      {asks?.kind === 'delete-workspace' && (
        <DeleteDialog
          name={asks.workspace.name}
          text={words.deleteWorkspace}
          onClose={close}
          onDelete={() => deleteWorkspace(organizationId, asks.workspace.id).finally(refresh)}
        />
      )}
      {asks?.kind === 'add-workspace' && (
        <FormDialog
          title={words.addWorkspace}
          submit={words.add}
          onClose={close}
          onSubmit={async (form) => {
            await createWorkspace(organizationId, {
              name: textIn(form, 'name'),
              type: textIn(form, 'type') as WorkspaceType,
            })
            close()
            await refresh()
          }}
        >
          <Field label={words.name}>
            {(attributes) => <input {...attributes} name="name" required maxLength={200} autofocus />}
          </Field>
          <Field label={words.kind} hint={words.workspacesHint}>
            {(attributes) => (
              <select {...attributes} name="type">
                {(['VIP', 'STANDARD'] as const).map((type) => (
                  <option key={type} value={type}>
                    {words.workspaceTypes[type]}
                  </option>
                ))}
              </select>
            )}
          </Field>
        </FormDialog>
      )}
    </section>
  )
}

function RenameDialog({
  name,
  onRename,
  onClose,
}: {
  name: string
  onRename: (name: string) => Promise<void>
  onClose: () => void
}) {
  return (
    <FormDialog
      title={words.renameTitle(name)}
      submit={words.rename}
      onClose={onClose}
      onSubmit={async (form) => {
        await onRename(textIn(form, 'name'))
        onClose()
        announce(words.saved)
      }}
    >
      <Field label={words.name}>
        {(attributes) => <input {...attributes} name="name" required maxLength={200} autofocus defaultValue={name} />}
      </Field>
    </FormDialog>
  )
}

/** What cannot be undone takes the name, typed. Posts that would fail by it are asked about when the service says that there are. */
function DeleteDialog({
  name,
  text,
  onDelete,
  onClose,
}: {
  name: string
  text: string
  onDelete: (force: boolean) => Promise<void>
  onClose: () => void
}) {
  const [isInUse, setIsInUse] = useState(false)
  return (
    <FormDialog
      title={words.deleteTitle(name)}
      submit={words.delete}
      isBad
      onClose={onClose}
      onSubmit={async (form) => {
        try {
          await onDelete(form.get('force') !== null)
        } catch (error) {
          if (error instanceof ApiError && error.code === 'channel_in_use') setIsInUse(true)
          throw error
        }
        onClose()
        announce(words.deleted(name))
      }}
    >
      <p>{text}</p>
      <Field label={words.nameToDelete(name)}>
        {(attributes) => (
          <input
            {...attributes}
            required
            autofocus
            autocomplete="off"
            onInput={({ currentTarget: input }) =>
              input.setCustomValidity(input.value.trim() === name.trim() ? '' : words.nameDiffers)
            }
          />
        )}
      </Field>
      {isInUse && (
        <label class="check">
          <input type="checkbox" name="force" required />
          {words.postsFail}
        </label>
      )}
    </FormDialog>
  )
}
