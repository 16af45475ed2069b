import { useState } from 'preact/hooks'
import type { ChannelRole, Member } from '../../interface/generated/types.ts'
import { call } from '../api.ts'
import { CheckField, Choice } from '../fields.tsx'
import { FormDialog } from '../forms.tsx'
import { Icon } from '../icons.tsx'
import { Loaded } from '../list.tsx'
import { useOrganization } from '../organization.ts'
import { useChannels } from '../posts/queries.ts'
import { Button, Empty } from '../ui.tsx'
import { common, settings, channelRoles as words } from '../words.ts'
import { done, useSectionChanges } from './section.tsx'

const ROLES: ChannelRole['role'][] = ['VIEWER', 'EDITOR']

/** Channels in which a member's role differs from their role in the organization. They are saved together. */
export function ChannelRoles({ member: { id: personId, name, channels } }: { member: Member }) {
  const { id: organizationId } = useOrganization()
  const { finish, close } = useSectionChanges()
  const read = useChannels()
  const [roles, setRoles] = useState<readonly ChannelRole[]>(channels)
  return (
    <FormDialog
      title={words.title({ name })}
      submit={common.save}
      disabled={read.data === undefined}
      onClose={close}
      onSubmit={async () => {
        const body = { channels: [...roles] }
        await finish(
          await done(call('updateMember', { organizationId, personId, body }), settings.changedRights({ name })),
        )
      }}
    >
      <p>{words.lead}</p>
      <Loaded read={read} lines={2} empty={<Empty title={words.noChannels} />}>
        {(all) => <List {...{ all, roles, setRoles }} />}
      </Loaded>
    </FormDialog>
  )
}

interface ListProps {
  all: readonly { id: string; name: string }[]
  roles: readonly ChannelRole[]
  setRoles: (change: (before: readonly ChannelRole[]) => readonly ChannelRole[]) => void
}

function List({ all, roles, setRoles }: ListProps) {
  const others = all.filter(({ id }) => !roles.some(({ channelId }) => channelId === id))
  const [chosen, choose] = useState('')
  const next = others.find(({ id }) => id === chosen)?.id ?? others[0]?.id
  const nameOf = (channelId: string): string => all.find(({ id }) => id === channelId)?.name ?? channelId
  const set = (channelId: string, changes: Partial<ChannelRole>): void =>
    setRoles((before) => before.map((one) => (one.channelId === channelId ? { ...one, ...changes } : one)))
  return (
    <>
      {roles.length === 0 && <p class="quiet">{words.none}</p>}
      <ul class="channel-roles" aria-label={words.list}>
        {roles.map(({ channelId, role, mayApprove }) => (
          <li key={channelId}>
            <bdi>{nameOf(channelId)}</bdi>
            <Choice
              isBare
              label={words.role({ channel: nameOf(channelId) })}
              value={role}
              options={ROLES.map((one) => [one, settings.roles[one]] as const)}
              onChoose={(one) => set(channelId, { role: one })}
            />
            <CheckField
              aria-label={words.approves({ channel: nameOf(channelId) })}
              checked={mayApprove}
              onCheck={(checked) => set(channelId, { mayApprove: checked })}
            >
              {settings.approves}
            </CheckField>
            <Button
              kind="icon-button"
              aria-label={words.remove({ channel: nameOf(channelId) })}
              onClick={() => setRoles((before) => before.filter((one) => one.channelId !== channelId))}
            >
              <Icon name="close" />
            </Button>
          </li>
        ))}
      </ul>
      {next !== undefined && (
        <div class="actions">
          <Choice
            label={words.channel}
            value={next}
            options={others.map(({ id, name }) => [id, name] as const)}
            onChoose={choose}
          />
          <Button
            onClick={() => setRoles((before) => [...before, { channelId: next, role: 'EDITOR', mayApprove: false }])}
          >
            {words.add}
          </Button>
        </div>
      )}
    </>
  )
}
