import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { ListedReviewLink } from '../../interface/generated/types.ts'
import { call } from '../api.ts'
import { Loaded, Rows, useList } from '../list.tsx'
import { hrefOf } from '../navigation.ts'
import { useOrganization } from '../organization.ts'
import { Refusal } from '../refusal.tsx'
import { done, useChanges } from '../settings/section.tsx'
import { formatInstant } from '../times.ts'
import { Button, Empty } from '../ui.tsx'
import { words } from './words.ts'
import './outside.css'

/** All review links of the organization that work, and folded away those that have ended lately. */
export function AllLinks() {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <p class="quiet">{words.allLead}</p>
      <Links label={words.allTitle} ended={false} empty={<Empty title={words.noLinks}>{words.noLinksHint}</Empty>} />
      <details class="form" onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>{words.endedTitle}</summary>
        {isOpen && <Links label={words.endedTitle} ended empty={<p class="quiet">{words.noneEnded}</p>} />}
      </details>
    </>
  )
}

/** A list of links: for whom, how far they are, why they ended, and a button that ends one. */
function Links({ label, ended, empty }: { label: string; ended: boolean; empty: ComponentChildren }) {
  const { id: organizationId } = useOrganization()
  const queryKey = ['all-review-links', organizationId]
  const links = useList([...queryKey, ended], (cursor, options) =>
    call('listOrganizationReviewLinks', { organizationId, query: { limit: 200, ended, ...cursor } }, options),
  )
  const { error, change, refresh } = useChanges(queryKey, ['review-links', organizationId])
  const revoke = async ({ id: linkId, name }: ListedReviewLink): Promise<void> => {
    const revoking = () => done(call('revokeOrganizationReviewLink', { organizationId, linkId }), words.revoked(name))
    if (!(await change(revoking))) await refresh()
  }
  return (
    <>
      <Refusal error={error} />
      <Loaded read={links} empty={empty}>
        {(items) => (
          <Rows label={label} items={items} keyOf={({ id }) => id}>
            {(link) => <LinkRow link={link} onRevoke={() => void revoke(link)} />}
          </Rows>
        )}
      </Loaded>
    </>
  )
}

function LinkRow({ link, onRevoke }: { link: ListedReviewLink; onRevoke: () => void }) {
  const { id: organizationId, timeZone } = useOrganization()
  const { name, mail, madeBy, posts, decided, openedAt, expiresAt, scheduledPostId, mayRevoke, ended } = link
  const time = (instant: string): string => formatInstant(instant, timeZone, 'short')
  return (
    <>
      <div class="row-text">
        <strong>
          <bdi>{mail === undefined ? name : words.nameAndMail(name, mail)}</bdi>
        </strong>
        <span>
          {words.decidedOf(decided, posts)}
          {scheduledPostId !== undefined && (
            <>
              {' '}
              <a href={hrefOf(organizationId, 'posts', [scheduledPostId])}>{words.toPost}</a>
            </>
          )}
        </span>
        {ended && (
          <span>
            {ended.at === undefined ? words.whys[ended.why] : words.endedBecause(words.whys[ended.why], time(ended.at))}
          </span>
        )}
        <span class="quiet small-text">
          {openedAt === undefined ? words.neverOpened : words.opened(time(openedAt))}
        </span>
        <span class="quiet small-text">{words.linkOf(madeBy, time(expiresAt))}</span>
      </div>
      {mayRevoke && (
        <div class="actions">
          <Button kind="small" aria-label={words.revokeOf(name)} onClick={onRevoke}>
            {words.revoke}
          </Button>
        </div>
      )}
    </>
  )
}
