import type { Invitation, Member, MemberPatch, Role } from '../../interface/generated/types.ts'
import { call } from '../api.ts'
import { CheckField, RadioField, SelectField, TextField } from '../fields.tsx'
import { CopyField, Switch, textIn, toLink } from '../forms.tsx'
import { useMe, useOrganization } from '../organization.ts'
import { useMembers } from '../people.ts'
import { formatInstant } from '../times.ts'
import { Empty } from '../ui.tsx'
import { usePolled } from '../use-read.ts'
import { channelRoles as channelRoleWords, settings as words } from '../words.ts'
import { ChannelRoles } from './channel-roles.tsx'
import { RemoveMember } from './remove-member.tsx'
import { done, ListSection, type Question, Row, useChanges, useSectionChanges } from './section.tsx'

const ROLES: Role[] = ['VIEWER', 'EDITOR', 'ADMIN']

const describeRights = ({ role, mayApprove }: { role: Role; mayApprove: boolean }): string =>
  words.roles[role] + (mayApprove ? ` · ${words.approves}` : '')

/** The organization's members with their rights, and its pending invitations. */
export function People() {
  const { may } = useOrganization()
  return (
    <>
      <Members />
      {may('people:write') && <Invitations />}
    </>
  )
}

function Members() {
  const { id: organizationId, timeZone, may } = useOrganization()
  const { person } = useMe()
  const mayWrite = may('people:write')
  const changes = useChanges(['members', organizationId], ['invitations', organizationId], ['me'])
  const invite: Question = {
    title: words.invite,
    submit: words.makeLink,
    fields: <InvitationFields />,
    run: async (form) => {
      const role = textIn(form, 'role') as Role
      const body = { mail: textIn(form, 'mail'), role, mayApprove: form.get('mayApprove') === 'on' }
      const { mail, expiresAt, path } = await call('createInvitation', { organizationId, body })
      const lead = words.inviteLead({ mail, time: formatInstant(expiresAt, timeZone) })
      const children = <CopyField label={words.link} value={toLink(path)} />
      return { secret: { title: words.inviteReady, lead, children } }
    },
  }
  const changeRole = ({ id: personId, name, role }: Member): Question => ({
    title: words.roleOf({ name }),
    submit: words.changeRole,
    text: personId === person.id ? words.ownRole : words.roleText,
    fields: (
      <RadioField
        label={words.role}
        name="role"
        values={ROLES}
        textOf={(one) => words.roles[one]}
        aboutOf={(one) => words.roleMay[one]}
        selected={role}
      />
    ),
    run: (form) => {
      const body = { role: textIn(form, 'role') as Role }
      return done(call('updateMember', { organizationId, personId, body }), words.changedRights({ name }))
    },
  })
  return (
    <ListSection
      title={words.members}
      changes={changes}
      add={mayWrite && invite}
      read={useMembers()}
      empty={<Empty title={words.noMemberTitle}>{words.noMember}</Empty>}
      row={(member) => (
        <>
          <Row
            name={
              <>
                <bdi>{member.name}</bdi>
                {member.id === person.id && ` (${words.you})`}
              </>
            }
            about={
              <>
                {member.mail}
                {!member.active && ` · ${words.inactive}`}
                {!member.mailProven && ` · ${words.unproven}`} · {member.secondFactor ? words.has : words.hasNot}
                {member.channels.length > 0 && ` · ${channelRoleWords.inChannels({ many: member.channels.length })}`}
              </>
            }
            controls={mayWrite && <Rights member={member} />}
            of={member.name}
            actions={
              mayWrite && [
                { text: words.changeRole, ask: changeRole(member) },
                ...(member.role === 'ADMIN'
                  ? []
                  : [{ text: channelRoleWords.action, run: () => changes.open(<ChannelRoles member={member} />) }]),
                { text: words.remove, run: () => changes.open(<RemoveMember member={member} />) },
              ]
            }
          />
          {!mayWrite && <p>{describeRights(member)}</p>}
        </>
      )}
    >
      <p class="quiet small-text">{words.rolesHint}</p>
      <FourEyes />
    </ListSection>
  )
}

/** A member's role, and whether they approve posts. */
function Rights({ member: { id: personId, name, role, mayApprove } }: { member: Member }) {
  const { id: organizationId } = useOrganization()
  const { change } = useSectionChanges()
  const set = (body: MemberPatch): Promise<boolean> =>
    change(() => done(call('updateMember', { organizationId, personId, body }), words.changedRights({ name })))
  return (
    <>
      <span>{words.roles[role]}</span>
      <Switch checked={mayApprove} onChange={(next) => set({ mayApprove: next })}>
        {words.approves}
        <span class="hidden">: {name}</span>
      </Switch>
    </>
  )
}

function FourEyes() {
  const { id: organizationId, fourEyes, may } = useOrganization()
  const { ask, change } = useSectionChanges()
  const set = (isOn: boolean) =>
    done(call('updateOrganization', { organizationId, body: { fourEyes: isOn } }), words.saved)
  const choose = async (isOn: boolean): Promise<void> => {
    if (isOn) await change(() => set(true))
    else
      ask({
        title: words.endFourEyes,
        submit: words.endIt,
        isBad: true,
        text: words.endFourEyesText,
        run: () => set(false),
      })
  }
  return (
    <Switch checked={fourEyes} disabled={!may('settings:write')} onChange={choose}>
      {words.fourEyes}
    </Switch>
  )
}

function Invitations() {
  const { id: organizationId, timeZone } = useOrganization()
  const changes = useChanges(['invitations', organizationId])
  const invitations = usePolled(['invitations', organizationId], (options) =>
    call('listInvitations', { organizationId }, options),
  )
  const revoke = ({ id: invitationId, mail }: Invitation): Question => ({
    title: words.takeBackTitle({ mail }),
    submit: words.takeBack,
    isBad: true,
    text: words.takeBackText,
    run: () => done(call('revokeInvitation', { organizationId, invitationId })),
  })
  if (!invitations.data?.length) return null
  return (
    <ListSection
      title={words.invited}
      changes={changes}
      read={invitations}
      row={(invitation) => (
        <Row
          name={<bdi>{invitation.mail}</bdi>}
          about={`${describeRights(invitation)} · ${words.until({ time: formatInstant(invitation.expiresAt, timeZone) })}`}
          of={invitation.mail}
          actions={[{ text: words.takeBack, ask: revoke(invitation) }]}
        />
      )}
    />
  )
}

const InvitationFields = () => (
  <>
    <TextField label={words.mail} name="mail" type="email" required autofocus />
    <SelectField
      label={words.role}
      hint={words.rolesHint}
      name="role"
      values={ROLES}
      textOf={(role) => words.roles[role]}
      selected="EDITOR"
    />
    <CheckField name="mayApprove">{words.approves}</CheckField>
  </>
)
