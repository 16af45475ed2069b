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

/** All review links of the organization that work: for whom, how far they are, and a button that ends one. */
export function AllLinks() {
  const { id: organizationId, timeZone } = useOrganization()
  const queryKey = ['all-review-links', organizationId]
  const links = useList(queryKey, (cursor, options) =>
    call('listOrganizationReviewLinks', { organizationId, query: { limit: 200, ...cursor } }, options),
  )
  const { error, change, refresh } = useChanges(queryKey, ['review-links', organizationId])
  const time = (instant: string): string => formatInstant(instant, timeZone, 'short')
  const revoke = async (linkId: string, name: string): Promise<void> => {
    const revoking = () => done(call('revokeOrganizationReviewLink', { organizationId, linkId }), words.revoked(name))
    if (!(await change(revoking))) await refresh()
  }
  return (
    <>
      <p class="quiet">{words.allLead}</p>
      <Refusal error={error} />
      <Loaded read={links} empty={<Empty title={words.noLinks}>{words.noLinksHint}</Empty>}>
        {(items) => (
          <Rows label={words.allTitle} items={items} keyOf={({ id }) => id}>
            {({ id, name, mail, madeBy, posts, decided, openedAt, expiresAt, scheduledPostId, mayRevoke }) => (
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
                  <span class="quiet small-text">
                    {openedAt === undefined ? words.neverOpened : words.opened(time(openedAt))}
                  </span>
                  <span class="quiet small-text">{words.linkOf(madeBy, time(expiresAt))}</span>
                </div>
                {mayRevoke && (
                  <div class="actions">
                    <Button kind="small" aria-label={words.revokeOf(name)} onClick={() => void revoke(id, name)}>
                      {words.revoke}
                    </Button>
                  </div>
                )}
              </>
            )}
          </Rows>
        )}
      </Loaded>
    </>
  )
}
