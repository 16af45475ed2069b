import type { Grants, Member } from '../../interface/people.ts'
import { listGrants, removeMember } from '../api.ts'
import { FormDialog } from '../forms.tsx'
import { Loaded } from '../list.tsx'
import { useMe, useOrganization } from '../session.tsx'
import { formatInstant } from '../times.ts'
import { useRead } from '../use-read.ts'
import { words } from './words.ts'

/** Asks before a person is removed: says what ends with it, and offers to revoke the keys that they issued. */
export function RemoveMember({
  member,
  onDone,
  onClose,
}: {
  member: Member
  onDone: () => Promise<void>
  onClose: () => void
}) {
  const { id: organizationId } = useOrganization()
  const { person } = useMe()
  const grants = useRead({
    queryKey: ['grants', organizationId, member.id],
    queryFn: ({ signal }) => listGrants(organizationId, member.id, { signal }),
    // The answer to an earlier question may have changed since.
    gcTime: 0,
  })
  return (
    <FormDialog
      title={words.removeTitle(member.name)}
      submit={words.remove}
      isBad
      // The list is waited for, because the keys are chosen from it; a person must be removable where it cannot be read.
      disabled={grants.data === undefined && !grants.error}
      onClose={onClose}
      onSubmit={async (form) => {
        await removeMember(organizationId, member.id, form.getAll('key').map(String))
        await onDone()
      }}
    >
      <p>{member.id === person.id ? words.removeSelf : words.removeText}</p>
      <Loaded read={grants} lines={2}>
        {(found) => <Consequences grants={found} />}
      </Loaded>
    </FormDialog>
  )
}

function Consequences({ grants }: { grants: Grants }) {
  const { timeZone } = useOrganization()
  const { invitations, reviewLinks, signInLinks, operatorTokens, keys } = grants
  const ends = [
    ...words.endsCount(invitations, reviewLinks, signInLinks),
    ...operatorTokens.map(({ name }) => words.endsToken(name)),
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
            <label key={id} class="check">
              <input type="checkbox" name="key" value={id} />
              <span class="row-text">
                <bdi>{name || id}</bdi>
                <span class="quiet small-text">
                  {words.issued(formatInstant(createdAt, timeZone, 'date'), undefined)} ·{' '}
                  {words.lastUsed(lastUsedAt && formatInstant(lastUsedAt, timeZone, 'short'))}
                </span>
              </span>
            </label>
          ))}
        </fieldset>
      )}
    </>
  )
}
