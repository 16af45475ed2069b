import type { ComponentChildren } from 'preact'
import type { Grants, ListedPerson, Member, RemoveMemberQuery } from '../../interface/generated/types.ts'
import { call } from '../api.ts'
import { CheckField } from '../fields.tsx'
import { FormDialog } from '../forms.tsx'
import { Loaded } from '../list.tsx'
import { useMe, useOrganization } from '../organization.ts'
import { formatInstant } from '../times.ts'
import { useRead } from '../use-read.ts'
import { settings as words } from '../words.ts'
import { NameToDelete } from './delete-dialog.tsx'
import { done, type Outcome, useSectionChanges } from './section.tsx'

/** Asks before removing a person from the organization. */
export function RemoveMember({ member: { id: personId, name } }: { member: Member }) {
  const { id: organizationId } = useOrganization()
  const { person } = useMe()
  const path = { organizationId, personId }
  return (
    <LeaveDialog
      title={words.removeTitle({ name })}
      submit={words.remove}
      text={personId === person.id ? words.removeSelf : words.removeText}
      grantsKey={[organizationId, personId]}
      readGrants={(options) => call('getMemberGrants', path, options)}
      leave={(query) => done(call('removeMember', { ...path, query }))}
    />
  )
}

/** Asks before permanently deleting an account. */
export function DeleteAccount({ of: { id: personId, name, mail } }: { of: ListedPerson }) {
  return (
    <LeaveDialog
      title={words.deleteTitle({ name })}
      submit={words.delete}
      text={words.deletePerson({ mail })}
      grantsKey={[personId]}
      readGrants={(options) => call('getPersonGrants', { personId }, options)}
      leave={(query) => done(call('deletePerson', { personId, query }), words.deleted({ name }))}
    >
      <NameToDelete name={name} />
    </LeaveDialog>
  )
}

interface LeaveDialogProps {
  title: string
  submit: string
  text: string
  grantsKey: string[]
  readGrants: (options: { signal: AbortSignal }) => Promise<Grants>
  leave: (query: RemoveMemberQuery) => Promise<Outcome>
  children?: ComponentChildren
}

/** Lists what ends when a person leaves, and offers to revoke the keys that they issued. */
function LeaveDialog({ title, submit, text, grantsKey, readGrants, leave, children }: LeaveDialogProps) {
  const { finish, close } = useSectionChanges()
  const grants = useRead({
    queryKey: ['grants', ...grantsKey],
    queryFn: ({ signal }) => readGrants({ signal }),
    // An earlier answer may be outdated.
    gcTime: 0,
  })
  return (
    <FormDialog
      title={title}
      submit={submit}
      isBad
      // Wait for the list, since keys are chosen from it; but if it cannot be read, the person must still be removable.
      disabled={grants.data === undefined && !grants.error}
      onClose={close}
      onSubmit={async (form) => finish(await leave({ revokeKeys: form.getAll('key').join() }))}
    >
      <p>{text}</p>
      <Loaded read={grants} lines={2}>
        {(found) => <Consequences grants={found} />}
      </Loaded>
      {children}
    </FormDialog>
  )
}

function Consequences({ grants }: { grants: Grants }) {
  const { timeZone } = useOrganization()
  const { invitations, reviewLinks, signInLinks, operatorTokens, keys } = grants
  const ends = [
    ...(invitations > 0 ? [words.endsCount.invitations({ many: invitations })] : []),
    ...(reviewLinks > 0 ? [words.endsCount.reviewLinks({ many: reviewLinks })] : []),
    ...(signInLinks > 0 ? [words.endsCount.signInLinks({ many: signInLinks })] : []),
    ...operatorTokens.map(({ name }) => words.endsToken({ name })),
  ]
  return (
    <>
      {ends.length === 0 ? (
        <p class="quiet">{words.endsNothing}</p>
      ) : (
        <div>
          <h3>{words.ends}</h3>
          <ul class="bullets">
            {ends.map((one) => (
              <li key={one}>{one}</li>
            ))}
          </ul>
        </div>
      )}
      {keys.length > 0 && (
        <fieldset class="form">
          <legend class="label">{words.keysOf}</legend>
          <p class="quiet small-text">{words.keysOfHint}</p>
          {keys.map(({ id, name, createdAt, lastUsedAt }) => (
            <CheckField key={id} name="key" value={id}>
              <span class="row-text">
                <bdi>{name || id}</bdi>
                <span class="quiet small-text">
                  {words.issued({ day: formatInstant(createdAt, timeZone, 'date'), who: undefined })} ·{' '}
                  {words.lastUsed({ time: lastUsedAt && formatInstant(lastUsedAt, timeZone, 'short') })}
                </span>
              </span>
            </CheckField>
          ))}
        </fieldset>
      )}
    </>
  )
}
