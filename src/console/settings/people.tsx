import { useQueryClient } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import type { Invitation, IssuedInvitation, Member, MemberPatch, Role } from '../../interface/people.ts'
import { createInvitation, listInvitations, revokeInvitation, updateMember, updateOrganization } from '../api.ts'
import { POLL_MS } from '../clock.ts'
import { CopyField, FormDialog, SectionHead, ShownOnce, Switch, textIn, toLink, useAct } from '../forms.tsx'
import { Icon } from '../icons.tsx'
import { useMembers } from '../people.ts'
import { useMe, useOrganization } from '../session.tsx'
import { formatInstant } from '../times.ts'
import { Empty, Field, Loading, Problem } from '../ui.tsx'
import { useRead } from '../use-read.ts'
import { RemoveMember } from './remove-member.tsx'
import { words } from './words.ts'

const ROLES: Role[] = ['VIEWER', 'EDITOR', 'ADMIN']

/** Who is in the organization and what they may do, and who is invited. */
export function People() {
  const { id: organizationId, timeZone, fourEyes, may } = useOrganization()
  const { person } = useMe()
  const client = useQueryClient()
  const members = useMembers()
  const mayWrite = may('people:write')
  const invitations = useRead({
    queryKey: ['invitations', organizationId],
    queryFn: ({ signal }) => listInvitations(organizationId, { signal }),
    enabled: mayWrite,
    refetchInterval: POLL_MS,
  })
  const { error, act } = useAct()
  const [asks, setAsks] = useState<
    { kind: 'invite' } | { kind: 'remove'; member: Member } | { kind: 'revoke'; invitation: Invitation }
  >()
  const [issued, setIssued] = useState<IssuedInvitation>()
  const close = (): void => setAsks(undefined)
  const refresh = async (): Promise<void> => {
    await Promise.all([
      client.invalidateQueries({ queryKey: ['members', organizationId] }),
      client.invalidateQueries({ queryKey: ['invitations', organizationId] }),
      client.invalidateQueries({ queryKey: ['me'] }),
    ])
  }
  const change = (member: Member, patch: MemberPatch): Promise<boolean> =>
    act(async () => {
      await updateMember(organizationId, member.id, patch)
      await refresh()
    }, words.changedRights(member.name))
  return (
    <section class="section">
      <SectionHead title={words.members}>
        {mayWrite && (
          <button type="button" class="button primary" onClick={() => setAsks({ kind: 'invite' })}>
            <Icon name="plus" /> {words.invite}
          </button>
        )}
      </SectionHead>
      {error !== undefined && <Problem error={error} />}
      {members.data === undefined ? (
        members.error ? (
          <Problem error={members.error} onRetry={members.refetch} />
        ) : (
          <Loading />
        )
      ) : members.data.length === 0 ? (
        <Empty title={words.noMemberTitle}>{words.noMember}</Empty>
      ) : (
        <ul class="card rows" aria-label={words.members}>
          {members.data.map((member) => (
            <li key={member.id}>
              <div class="row-text">
                <strong>
                  <bdi>{member.name}</bdi>
                  {member.id === person.id && ` (${words.you})`}
                </strong>
                <span class="quiet small-text">
                  {member.mail}
                  {!member.active && ` · ${words.inactive}`}
                  {!member.mailProven && ` · ${words.unproven}`} · {member.secondFactor ? words.has : words.hasNot}
                </span>
              </div>
              {mayWrite ? (
                <div class="actions">
                  <select
                    aria-label={words.roleOf(member.name)}
                    value={member.role}
                    onChange={(event) => void change(member, { role: event.currentTarget.value as Role })}
                  >
                    {ROLES.map((role) => (
                      <option key={role} value={role}>
                        {words.roles[role]}
                      </option>
                    ))}
                  </select>
                  <Switch checked={member.mayApprove} onChange={(mayApprove) => change(member, { mayApprove })}>
                    {words.approves}
                    <span class="hidden">: {member.name}</span>
                  </Switch>
                  <button type="button" class="button small" onClick={() => setAsks({ kind: 'remove', member })}>
                    {words.remove}
                    <span class="hidden"> {member.name}</span>
                  </button>
                </div>
              ) : (
                <p>
                  {words.roles[member.role]}
                  {member.mayApprove && ` · ${words.approves}`}
                </p>
              )}
            </li>
          ))}
        </ul>
      )}
      <p class="quiet small-text">{words.rolesHint}</p>
      <Switch
        checked={fourEyes}
        disabled={!may('settings:write')}
        onChange={(checked) =>
          act(async () => {
            await updateOrganization(organizationId, { fourEyes: checked })
            await refresh()
          }, words.saved)
        }
      >
        {words.fourEyes}
      </Switch>

      {mayWrite && (invitations.data ?? []).length > 0 && (
        <>
          <h2>{words.invited}</h2>
          <ul class="card rows" aria-label={words.invited}>
            {invitations.data!.map((invitation) => (
              <li key={invitation.id}>
                <div class="row-text">
                  <strong>
                    <bdi>{invitation.mail}</bdi>
                  </strong>
                  <span class="quiet small-text">
                    {words.roles[invitation.role]}
                    {invitation.mayApprove && ` · ${words.approves}`} ·{' '}
                    {words.until(formatInstant(invitation.expiresAt, timeZone))}
                  </span>
                </div>
                <div class="actions">
                  <button type="button" class="button small" onClick={() => setAsks({ kind: 'revoke', invitation })}>
                    {words.takeBack}
                    <span class="hidden"> {invitation.mail}</span>
                  </button>
                </div>
              </li>
            ))}
          </ul>
        </>
      )}

      {asks?.kind === 'invite' && (
        <FormDialog
          title={words.invite}
          submit={words.makeLink}
          onClose={close}
          onSubmit={async (form) => {
            const role = textIn(form, 'role') as Role
            const mayApprove = form.get('mayApprove') === 'on'
            setIssued(await createInvitation(organizationId, { mail: textIn(form, 'mail'), role, mayApprove }))
            close()
            await refresh()
          }}
        >
          <Field label={words.mail}>
            {(attributes) => <input {...attributes} name="mail" type="email" required autofocus />}
          </Field>
          <Field label={words.role} hint={words.rolesHint}>
            {(attributes) => (
              <select {...attributes} name="role">
                {ROLES.map((role) => (
                  <option key={role} value={role} selected={role === 'EDITOR'}>
                    {words.roles[role]}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <label class="check">
            <input type="checkbox" name="mayApprove" />
            {words.approves}
          </label>
        </FormDialog>
      )}
      {issued !== undefined && (
        <ShownOnce
          title={words.inviteReady}
          lead={words.inviteLead(issued.mail, formatInstant(issued.expiresAt, timeZone))}
          onClose={() => setIssued(undefined)}
        >
          <CopyField label={words.link} value={toLink(issued.path)} />
        </ShownOnce>
      )}
      {asks?.kind === 'remove' && (
        <RemoveMember
          member={asks.member}
          onClose={close}
          onDone={async () => {
            close()
            await refresh()
          }}
        />
      )}
      {asks?.kind === 'revoke' && (
        <FormDialog
          title={words.takeBackTitle(asks.invitation.mail)}
          submit={words.takeBack}
          isBad
          onClose={close}
          onSubmit={async () => {
            await revokeInvitation(organizationId, asks.invitation.id)
            close()
            await refresh()
          }}
        >
          <p>{words.takeBackText}</p>
        </FormDialog>
      )}
    </section>
  )
}
