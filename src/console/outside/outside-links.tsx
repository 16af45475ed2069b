import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { ListedReviewLink, ScheduledPost } from '../../interface/generated/types.ts'
import { call } from '../api.ts'
import { Loaded, Rows, useList } from '../list.tsx'
import { hrefOf } from '../navigation.ts'
import { useOrganization } from '../organization.ts'
import { Refusal } from '../refusal.tsx'
import { done, useChanges } from '../settings/section.tsx'
import { formatInstant } from '../times.ts'
import { Button, Empty } from '../ui.tsx'
import { byClock } from '../use-read.ts'
import { outside as words } from '../words.ts'
import { SendPosts, useMaySend } from './send-posts.tsx'
import './outside.css'

/** The review links of a post: lists, creates and revokes them. */
export function OutsideLinks({ post: { id: postId, mediumsData } }: { post: ScheduledPost }) {
  const { may } = useOrganization()
  const maySend = useMaySend()
  const channelIds = Object.keys(mediumsData)
  if (!maySend(channelIds) && !may('people:write')) return null
  return (
    <section class="card outside-links" aria-labelledby="outside-title">
      <h2 id="outside-title">{words.linksTitle}</h2>
      <p class="quiet">{words.linksLead}</p>
      <Links label={words.linksTitle} postId={postId} empty={null} />
      <div class="actions">
        <SendPosts text={words.make} postIds={[postId]} {...{ channelIds }} />
      </div>
    </section>
  )
}

/** The organization's active review links, with recently ended ones collapsed. */
export function AllLinks() {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <p class="quiet">{words.allLead}</p>
      <Links label={words.allTitle} empty={<Empty title={words.noLinks}>{words.noLinksHint}</Empty>} />
      <details class="form" onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>{words.endedTitle}</summary>
        {isOpen && <Links label={words.endedTitle} ended empty={<p class="quiet">{words.noneEnded}</p>} />}
      </details>
    </>
  )
}

interface LinksProps {
  label: string
  ended?: boolean
  /** Lists only this post's links, on its own page. */
  postId?: string
  empty: ComponentChildren
}

/** A list of links: who each is for, its progress, why it ended, and a button to revoke it. */
function Links({ label, ended = false, postId, empty }: LinksProps) {
  const { id: organizationId } = useOrganization()
  const queryKey = ['review-links', organizationId]
  const query = { limit: 200, ended, ...(postId !== undefined && { scheduledPostId: postId }) }
  const links = useList(
    [...queryKey, query],
    (cursor, options) => call('listReviewLinks', { organizationId, query: { ...query, ...cursor } }, options),
    // The revision does not cover opened links.
    { refetchInterval: byClock },
  )
  const { error, change, refresh } = useChanges(queryKey)
  const revoke = async ({ id: linkId, name }: ListedReviewLink): Promise<void> => {
    const revoking = () => done(call('revokeReviewLink', { organizationId, linkId }), words.revoked({ name }))
    // A refusal means that the link is already over; reload so that it is no longer offered.
    if (!(await change(revoking))) await refresh()
  }
  return (
    <>
      <Refusal error={error} />
      <Loaded read={links} lines={1} empty={empty}>
        {(items) => (
          <Rows label={label} items={items} keyOf={({ id }) => id}>
            {(link) => <LinkRow link={link} isOnPost={postId !== undefined} onRevoke={() => void revoke(link)} />}
          </Rows>
        )}
      </Loaded>
    </>
  )
}

interface LinkRowProps {
  link: ListedReviewLink
  isOnPost: boolean
  onRevoke: () => void
}

function LinkRow({ link, isOnPost, onRevoke }: LinkRowProps) {
  const { id: organizationId, timeZone } = useOrganization()
  const { name, mail, madeBy, posts, decided, openedAt, expiresAt, scheduledPostId, mayRevoke, ended } = link
  const time = (instant: string): string => formatInstant(instant, timeZone, 'short')
  return (
    <>
      <div class="row-text">
        <strong>
          <bdi>{mail === undefined ? name : words.nameAndMail({ name, mail })}</bdi>
        </strong>
        {!(isOnPost && posts === 1) && (
          <span>
            {words.decidedOf({ decided, of: posts })}
            {scheduledPostId !== undefined && (
              <>
                {' '}
                <a href={hrefOf(organizationId, 'posts', [scheduledPostId])}>{words.toPost}</a>
              </>
            )}
          </span>
        )}
        {ended && (
          <span>
            {ended.at === undefined
              ? words.whys[ended.why]
              : words.endedBecause({ why: words.whys[ended.why], time: time(ended.at) })}
          </span>
        )}
        <span class="quiet small-text">
          {openedAt === undefined ? words.neverOpened : words.opened({ time: time(openedAt) })}
        </span>
        <span class="quiet small-text">{words.linkOf({ maker: madeBy, until: time(expiresAt) })}</span>
      </div>
      {mayRevoke && (
        <div class="actions">
          <Button kind="small" aria-label={words.revokeOf({ name })} onClick={onRevoke}>
            {words.revoke}
          </Button>
        </div>
      )}
    </>
  )
}
