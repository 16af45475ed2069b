import { useState } from 'preact/hooks'
import type { VipUser } from '../../interface/generated/types.ts'
import { hrefOf, useUrlQuery } from '../navigation.ts'
import { useOrganization } from '../organization.ts'

type Named = { [K in 'firstName' | 'lastName' | 'userName']?: string | null | undefined }

/** Returns a person's name, else the handle, else the given id. */
export const nameOr = (id: string, { firstName, lastName, userName }: Named = {}): string =>
  [firstName, lastName].filter(Boolean).join(' ') || userName || id

/** Returns a person's name, with the person's id as the fallback. */
export const nameOf = (row: VipUser): string => nameOr(row.cuid, row)

/** A person's picture and name. */
export function Person({ row }: { row: VipUser }) {
  const { id: organizationId } = useOrganization()
  const { query } = useUrlQuery()
  const [failed, setFailed] = useState<string>()
  const name = nameOf(row)
  const { profilePic, userName } = row
  // The content security policy allows pictures only over https.
  const isShown = profilePic !== undefined && /^https:\/\//i.test(profilePic) && failed !== profilePic
  return (
    <span class="person">
      {isShown ? (
        <img
          class="face"
          src={profilePic}
          alt=""
          width="36"
          height="36"
          loading="lazy"
          referrerpolicy="no-referrer"
          onError={() => setFailed(profilePic)}
        />
      ) : (
        <span class="face" aria-hidden="true">
          {[...name][0]?.toUpperCase()}
        </span>
      )}
      <span class="person-name">
        <a class="lone-link" href={hrefOf(organizationId, 'audience', [], { ...query, person: row.cuid })}>
          <bdi>{name}</bdi>
        </a>
        {userName !== undefined && userName !== name && <bdi class="quiet small-text">{userName}</bdi>}
      </span>
    </span>
  )
}
