import type { Invitation, Member, MemberPatch, Role } from '../../interface/people.ts'
import { createInvitation, listInvitations, revokeInvitation, updateMember, updateOrganization } from '../api.ts'
import { SelectField, TextField } from '../fields.tsx'
import { Switch, textIn, toLink } from '../forms.tsx'
import { Row } from '../list.tsx'
import { useMembers } from '../people.ts'
import { useMe, useOrganization } from '../session.tsx'
import { formatInstant } from '../times.ts'
import { Empty } from '../ui.tsx'
import { usePolled } from '../use-read.ts'
import { RemoveMember } from './remove-member.tsx'
import { Actions, AddButton, type Changes, ListSection, type Question, useChanges } from './section.tsx'
import { words } from './words.ts'

const ROLES: Role[] = ['VIEWER', 'EDITOR', 'ADMIN']

const describeRights = ({ role, mayApprove }: { role: Role; mayApprove: boolean }): string =>
  words.roles[role] + (mayApprove ? ` · ${words.approves}` : '')

/** The members of the organization with their rights, and the people who are invited. */
export function People() {
  const { id: organizationId, may } = useOrganization()
  const changes = useChanges(['members', organizationId], ['invitations', organizationId], ['me'])
  return (
    <section class="section">
      <Members changes={changes} />
      <FourEyes changes={changes} />
      {may('people:write') && <Invitations />}
    </section>
  )
}

function Members({ changes }: { changes: Changes }) {
  const { id: organizationId, timeZone, may } = useOrganization()
  const { person } = useMe()
  const mayWrite = may('people:write')
  const invite: Question = {
    title: words.invite,
    submit: words.makeLink,
    fields: <InvitationFields />,
    run: async (form) => {
      const body = {
        mail: textIn(form, 'mail'),
        role: textIn(form, 'role') as Role,
        mayApprove: form.get('mayApprove') === 'on',
      }
      const { mail, expiresAt, path } = await createInvitation(organizationId, body)
      const lead = words.inviteLead(mail, formatInstant(expiresAt, timeZone))
      return { secret: { title: words.inviteReady, lead, fields: [{ label: words.link, value: toLink(path) }] } }
    },
  }
  return (
    <ListSection
      title={words.members}
      changes={changes}
      add={mayWrite && <AddButton text={words.invite} onClick={() => changes.ask(invite)} />}
      read={useMembers()}
      empty={<Empty title={words.noMemberTitle}>{words.noMember}</Empty>}
      keyOf={({ id }) => id}
      row={(member) => (
        <>
          <Row
            name={
              <>
                <bdi>{member.name}</bdi>
                {member.id === person.id && ` (${words.you})`}
              </>
            }
            actions={mayWrite && <Rights member={member} changes={changes} />}
          >
            <span class="quiet small-text">
              {member.mail}
              {!member.active && ` · ${words.inactive}`}
              {!member.mailProven && ` · ${words.unproven}`} · {member.secondFactor ? words.has : words.hasNot}
            </span>
          </Row>
          {!mayWrite && <p>{describeRights(member)}</p>}
        </>
      )}
    >
      <p class="quiet small-text">{words.rolesHint}</p>
    </ListSection>
  )
}

/** The controls that change the rights of a member, or remove them. */
function Rights({ member, changes: { open, close, finish, change } }: { member: Member; changes: Changes }) {
  const { id: organizationId } = useOrganization()
  const set = (patch: MemberPatch): Promise<boolean> =>
    change(async () => {
      await updateMember(organizationId, member.id, patch)
      return { said: words.changedRights(member.name) }
    })
  const remove = () => open(<RemoveMember member={member} onDone={() => finish({})} onClose={close} />)
  return (
    <>
      <select
        aria-label={words.roleOf(member.name)}
        value={member.role}
        onChange={(event) => void set({ role: event.currentTarget.value as Role })}
      >
        {ROLES.map((role) => (
          <option key={role} value={role}>
            {words.roles[role]}
          </option>
        ))}
      </select>
      <Switch checked={member.mayApprove} onChange={(mayApprove) => set({ mayApprove })}>
        {words.approves}
        <span class="hidden">: {member.name}</span>
      </Switch>
      <Actions of={member.name} all={[{ text: words.remove, run: remove }]} />
    </>
  )
}

function FourEyes({ changes: { change } }: { changes: Changes }) {
  const { id, fourEyes, may } = useOrganization()
  const set = (isOn: boolean): Promise<boolean> =>
    change(async () => {
      await updateOrganization(id, { fourEyes: isOn })
      return { said: words.saved }
    })
  return (
    <Switch checked={fourEyes} disabled={!may('settings:write')} onChange={set}>
      {words.fourEyes}
    </Switch>
  )
}

function Invitations() {
  const { id: organizationId, timeZone } = useOrganization()
  const changes = useChanges(['invitations', organizationId])
  const invitations = usePolled(['invitations', organizationId], (options) => listInvitations(organizationId, options))
  const revoke = ({ id, mail }: Invitation): Question => ({
    title: words.takeBackTitle(mail),
    submit: words.takeBack,
    isBad: true,
    text: words.takeBackText,
    run: async () => {
      await revokeInvitation(organizationId, id)
      return {}
    },
  })
  if (!invitations.data?.length) return null
  return (
    <ListSection
      title={words.invited}
      changes={changes}
      read={invitations}
      keyOf={({ id }) => id}
      row={(invitation) => (
        <Row
          name={<bdi>{invitation.mail}</bdi>}
          actions={
            <Actions
              of={invitation.mail}
              all={[{ text: words.takeBack, run: () => changes.ask(revoke(invitation)) }]}
            />
          }
        >
          <span class="quiet small-text">
            {describeRights(invitation)} · {words.until(formatInstant(invitation.expiresAt, timeZone))}
          </span>
        </Row>
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
    <label class="check">
      <input type="checkbox" name="mayApprove" />
      {words.approves}
    </label>
  </>
)
