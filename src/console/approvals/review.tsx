import { useQueryClient } from '@tanstack/preact-query'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { PostChange, ScheduledPost } from '../../interface/generated/types.ts'
import { approveScheduledPost, checkPostMedia, rejectScheduledPost, type VersionedPost } from '../api.ts'
import { type Decision, useDecision } from '../decision.ts'
import { Discussion } from '../discussion/discussion.tsx'
import { Icon } from '../icons.tsx'
import { hrefOf } from '../navigation.ts'
import { useMe, useOrganization } from '../organization.ts'
import { OutsideLinks } from '../outside/outside-links.tsx'
import { hashtagsOf } from '../posts/caption.ts'
import { describeNewer, History } from '../posts/history.tsx'
import { channelsOf, refreshPosts } from '../posts/post-text.ts'
import { usePost } from '../posts/queries.ts'
import { RaffleProofs } from '../posts/raffles.tsx'
import { SuperpowerRemarks, toChannelType } from '../posts/try-out.tsx'
import { useKeys } from '../shell.tsx'
import { keptUnder, preferences } from '../store.ts'
import { formatInstant } from '../times.ts'
import { Button, Key, Loading, Note, Problem, Status } from '../ui.tsx'
import { useSettled } from '../use-settled.ts'
import { common, outside as outsideWords, posts as postWords, approvals as words } from '../words.ts'
import { ReviewPage } from './review-page.tsx'
import { Since, useBackground } from './since.tsx'

interface ReviewProps {
  postId: string
  onBack: () => void
  onNext: (() => void) | undefined
  /** True if it opened automatically. */
  isOpenedNext: boolean
  onDecided: (text: string, version: VersionedPost) => void
}

/** A member's decision about a post, made with buttons or keys. */
function useReview({ postId, isOpenedNext, onDecided }: ReviewProps) {
  const { id: organizationId, timeZone, may } = useOrganization()
  const client = useQueryClient()
  const latest = usePost(postId)
  const background = useBackground(postId, latest.data?.etag)
  const isSettled = useSettled(!isOpenedNext, latest.data !== undefined)
  const waits = latest.data === undefined || latest.data.post.status === 'WAITING_FOR_APPROVAL'
  const ofPost = latest.data && channelsOf(latest.data.post)
  const mayApprove = may('posts:approve', ofPost)
  const mayReturn = ofPost
    ? ofPost.every((id) => may('posts:approve', [id]) || may('posts:write', [id]))
    : mayApprove || may('posts:write')
  const decision = useDecision({
    latest,
    isLate: ({ post: { scheduledFor } }, nowMs) => scheduledFor !== undefined && Date.parse(scheduledFor) <= nowMs,
    isOpen: isSettled && waits,
    isComplete: background.isComplete,
    approve: ({ etag }) => approveScheduledPost(organizationId, postId, etag),
    giveBack: ({ etag }, notes) => rejectScheduledPost(organizationId, postId, etag, { notes }),
    onDecided: (verdict, version) => {
      const { scheduledFor } = version.post
      const time = formatInstant(scheduledFor ?? decision.nowMs, timeZone, 'short')
      onDecided(verdict === 'approved' ? words.approved({ time }) : words.returned, version)
    },
    onSettled: () => refreshPosts(client),
  })
  useKeys((key) => {
    if (key === 'a') void (mayApprove && decision.approve())
    else if (key === 'r' && mayReturn && decision.canReturn) decision.ask('returned')
    else return false
    return true
  })
  return { latest, background, waits, mayApprove, mayReturn, decision }
}

/** The review of a waiting post, for members. */
export function Review(props: ReviewProps) {
  const { id: organizationId, timeZone, may } = useOrganization()
  const { latest, background, waits, mayApprove, mayReturn, decision } = useReview(props)
  const history = background.history
  const { person } = useMe()
  const heading = useRef<HTMLHeadingElement>(null)
  const { shown } = decision
  // Before paint: later, this would take the focus from whatever a key has just opened.
  useLayoutEffect(() => {
    if (shown !== undefined) heading.current?.focus({ preventScroll: true })
  }, [shown === undefined])
  const back = (
    <Button kind="plain review-back" onClick={props.onBack}>
      <Icon name="left" /> {words.back}
    </Button>
  )
  if (shown === undefined) {
    if (!latest.error) return <Loading lines={8} />
    return (
      <>
        {back}
        <Problem error={latest.error} onRetry={latest.refetch} />
      </>
    )
  }
  const { post, etag } = shown
  const status = latest.data?.post.status ?? post.status
  const channelName = (id: string): string => post.mediumsData[id]?.mediumName ?? id
  const newer = describeNewer(history.data, etag, channelName)
  return (
    <article class="review" aria-labelledby="review-title">
      {back}
      <ReviewPage
        {...{ decision, post, timeZone, heading, mayReturn }}
        version={`${post.id} ${etag}`}
        checkMedia={waits && mayApprove ? () => checkPostMedia(organizationId, post.id) : undefined}
        channels={Object.entries(post.mediumsData)}
        headClass="review-head"
        beside={<Status status={status} />}
        changed={
          waits
            ? newer.what === ''
              ? words.changedNow
              : words.changedBy({ who: newer.who, what: newer.what })
            : undefined
        }
        late={waits ? words.cannotPublish : undefined}
        remarks={
          <>
            {!waits && (
              <Note role="status">
                <p>{words.goneNow({ status: common.statusWithin[status] })}</p>
              </Note>
            )}
            <Since {...{ post, background, channelName }} />
            {Object.entries(post.mediumsData).map(
              ([id, { superpower, mediumType }]) =>
                superpower != null && (
                  <SuperpowerRemarks key={id} superpower={superpower} channelType={toChannelType(mediumType)} />
                ),
            )}
            {Object.values(post.mediumsData).some(({ superpower }) => superpower?.raffle !== undefined) && (
              <RaffleProofs id={post.id} />
            )}
          </>
        }
        details={<Details {...{ post, changes: history.data, channelName }} hasLinks={waits && mayApprove} />}
        approve={mayApprove ? () => void decision.approve() : undefined}
        keys
        draft={keptUnder(preferences, `draft.${person.id}.${organizationId}.return.${post.id}`)}
        why={whyNot({
          waits,
          decision,
          isComplete: background.isComplete,
          error: background.history.error ?? background.review.error,
        })}
      >
        {!mayReturn && <p class="quiet">{words.mayNot}</p>}
        {may('posts:write', channelsOf(post)) && (
          <a class="button plain" href={hrefOf(organizationId, 'posts', [post.id])}>
            {words.edit}
          </a>
        )}
        {props.onNext && (
          <Button kind="plain decide-next" onClick={props.onNext}>
            {words.next} <Key name="N" />
          </Button>
        )}
      </ReviewPage>
    </article>
  )
}

/** Returns why the post cannot be approved as shown, or undefined if it can, or soon will be. */
function whyNot({
  waits,
  decision,
  isComplete,
  error,
}: {
  waits: boolean
  decision: Decision
  isComplete: boolean
  error: unknown
}): string | undefined {
  if (!waits) return undefined
  if (decision.isNewer) return words.whyNewer
  if (decision.isLate) return words.whyLate
  return !isComplete && error !== null ? words.whyIncomplete : undefined
}

interface DetailsProps {
  post: ScheduledPost
  changes: readonly PostChange[] | undefined
  channelName: (id: string) => string
  hasLinks: boolean
}

/** Shows a post's hashtags, notes, history and links. */
function Details({ post, changes, channelName, hasLinks }: DetailsProps) {
  const captions = Object.values(post.mediumsData).map(({ caption = '' }) => caption)
  const hashtags = [...new Set(captions.flatMap(hashtagsOf))]
  return (
    <>
      {hashtags.length > 0 && (
        <p>
          <span class="label">{words.hashtags}</span> {hashtags.join(' ')}
        </p>
      )}
      {post.notes !== undefined && post.notes !== '' && (
        <div>
          <h3>{postWords.editor.notes}</h3>
          <p class="quote">{post.notes}</p>
        </div>
      )}
      <Discussion key={post.id} postId={post.id} />
      <details>
        <summary>{words.history}</summary>
        {changes && <History id={post.id} changes={changes} channelName={channelName} />}
      </details>
      {hasLinks && (
        <details>
          <summary>{outsideWords.linksTitle}</summary>
          <OutsideLinks post={post} />
        </details>
      )}
    </>
  )
}
