import type { Grants, Member } from '../../interface/people.ts'
import { call } from '../api.ts'
import { FormDialog } from '../forms.tsx'
import { Loaded } from '../list.tsx'
import { useMe, useOrganization } from '../organization.ts'
import { formatInstant } from '../times.ts'
import { useRead } from '../use-read.ts'
import { done, useSectionChanges } from './section.tsx'
import { words } from './words.ts'

/** Asks before a person is removed: says what ends with it, and offers to revoke the keys that they issued. */
export function RemoveMember({ member }: { member: Member }) {
  const { id: organizationId } = useOrganization()
  const { finish, close } = useSectionChanges()
  const personId = member.id
  const { person } = useMe()
  const grants = useRead({
    queryKey: ['grants', organizationId, personId],
    queryFn: ({ signal }) => call('getMemberGrants', { organizationId, personId }, { signal }),
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
      onClose={close}
      onSubmit={async (form) => {
        const query = { revokeKeys: form.getAll('key').join() }
        await finish(await done(call('removeMember', { organizationId, personId, query })))
      }}
    >
      <p>{personId === person.id ? words.removeSelf : words.removeText}</p>
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
