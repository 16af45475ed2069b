import { useQueryClient } from '@tanstack/preact-query'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { PostChange, ScheduledPost } from '../../interface/posts.ts'
import { ApiError, approveScheduledPost, getLastReview, rejectScheduledPost, type VersionedPost } from '../api.ts'
import { Icon } from '../icons.tsx'
import { hrefOf } from '../navigation.ts'
import { OutsideLinks } from '../outside/outside-links.tsx'
import { words as outsideWords } from '../outside/words.ts'
import { hashtagsOf } from '../posts/caption.ts'
import { actorName, changedFields, History, sinceDecision } from '../posts/history.tsx'
import { refreshPosts } from '../posts/post-text.ts'
import { ChannelPreview } from '../posts/preview.tsx'
import { useHistory, usePost } from '../posts/queries.ts'
import { postWords } from '../posts/words.ts'
import { useOrganization } from '../session.tsx'
import { useKeys } from '../shell.tsx'
import { formatDistance, formatInstant, zoneName } from '../times.ts'
import { announce, Empty, Key, Loading, Problem, Status } from '../ui.tsx'
import { useNow } from '../use-now.ts'
import { useRead } from '../use-read.ts'
import { common } from '../words.ts'
import { compareContents, isNothing } from './difference.ts'
import { DifferenceView } from './difference-view.tsx'
import { ReturnDialog } from './return-dialog.tsx'
import { words } from './words.ts'

/** A post that opens after a decision accepts none for this long: a double click or a second press was meant for the one before. */
const SETTLE_MS = 500

/**
 * One post to decide about. What is shown stays the version that was opened: a newer one is said, and shown when the person
 * asks for it, so that a decision is always of what they have seen.
 */
export function Review({
  postId,
  onBack,
  onNext,
  isOpenedNext,
  onDecided,
}: {
  postId: string
  onBack: () => void
  onNext: (() => void) | undefined
  /** Whether it was opened because another one was decided. */
  isOpenedNext: boolean
  onDecided: () => void
}) {
  const { id: organizationId, timeZone, may } = useOrganization()
  const client = useQueryClient()
  const nowMs = useNow()
  const latest = usePost(postId)
  const [seen, setSeen] = useState<VersionedPost>()
  const [error, setError] = useState<unknown>()
  const [busy, setBusy] = useState(false)
  const [asksNotes, setAsksNotes] = useState(false)
  const [isSettled, setSettled] = useState(!isOpenedNext)
  const notes = useRef('')
  const heading = useRef<HTMLHeadingElement>(null)
  const history = useHistory(postId, latest.data?.etag)
  const shown = seen ?? latest.data

  useEffect(() => {
    if (seen === undefined && latest.data !== undefined) setSeen(latest.data)
  }, [latest.data])
  // In the layout effect: after the paint it would take the focus from what a key has just opened.
  useLayoutEffect(() => {
    if (shown !== undefined) heading.current?.focus({ preventScroll: true })
  }, [shown === undefined])

  useEffect(() => {
    if (shown === undefined || isSettled) return undefined
    const timer = setTimeout(() => setSettled(true), SETTLE_MS)
    return () => clearTimeout(timer)
  }, [shown === undefined])

  const isNewer = shown !== undefined && latest.data !== undefined && latest.data.etag !== shown.etag
  const waits = latest.data === undefined || latest.data.post.status === 'WAITING_FOR_APPROVAL'
  const isOver = shown?.post.scheduledFor !== undefined && Date.parse(shown.post.scheduledFor) <= nowMs
  const isReady = shown !== undefined && isSettled && waits && !isNewer && !busy
  const canDecide = may('posts:approve') && isReady
  const canReturn = isReady && (may('posts:approve') || may('posts:write'))

  /** Decides about the version that is shown. What changed meanwhile is said, not overwritten. */
  const decide = async (call: () => Promise<unknown>, done: string): Promise<void> => {
    setBusy(true)
    setError(undefined)
    try {
      await call()
      announce(done)
      onDecided()
    } catch (thrown) {
      if (thrown instanceof ApiError && thrown.code === 'post_changed') await latest.refetch()
      else setError(thrown)
    } finally {
      setBusy(false)
      await refreshPosts(client)
    }
  }
  const approve = (): void => {
    if (!canDecide || isOver || shown === undefined) return
    const { post, etag } = shown
    const time = formatInstant(post.scheduledFor ?? nowMs, timeZone, 'short')
    void decide(() => approveScheduledPost(organizationId, post.id, etag), words.approved(time))
  }
  const giveBack = async (text: string): Promise<void> => {
    setAsksNotes(false)
    await decide(() => rejectScheduledPost(organizationId, postId, shown!.etag, { notes: text }), words.returned)
  }

  useKeys((key) => {
    if (key === 'a') approve()
    else if (key === 'r' && canReturn) setAsksNotes(true)
    else return false
    return true
  })

  const back = (
    <button type="button" class="button plain review-back" onClick={onBack}>
      <Icon name="left" /> {words.back}
    </button>
  )
  if (shown === undefined) {
    if (latest.error) {
      return (
        <>
          {back}
          <Problem error={latest.error} onRetry={latest.refetch} />
        </>
      )
    }
    return <Loading lines={8} />
  }

  const { post } = shown
  const channels = Object.entries(post.mediumsData)
  const channelName = (id: string): string => post.mediumsData[id]?.mediumName ?? id
  const hashtags = [...new Set(channels.flatMap(([, { caption }]) => hashtagsOf(caption ?? '')))]
  return (
    <article class="review" aria-labelledby="review-title">
      {back}
      <header class="review-head">
        <div>
          <h2 id="review-title" ref={heading} tabIndex={-1}>
            {post.scheduledFor === undefined ? postWords.noTime : formatInstant(post.scheduledFor, timeZone)}
          </h2>
          <p class="quiet">
            {post.scheduledFor !== undefined && `${formatDistance(post.scheduledFor, nowMs)} · `}
            {zoneName(timeZone)}
          </p>
        </div>
        <Status status={latest.data?.post.status ?? post.status} />
      </header>

      {isNewer && waits && (
        <div class="notice notice-warn" role="alert">
          <div>
            <p>{describeNewer(history.data, shown.etag, channelName)}</p>
            <button type="button" class="button small" onClick={() => setSeen(latest.data)}>
              {words.showNew}
            </button>
          </div>
        </div>
      )}
      {!waits && latest.data && (
        <div class="notice" role="status">
          <p>{words.goneNow(common.status[latest.data.post.status])}</p>
        </div>
      )}
      {isOver && waits && (
        <div class="notice notice-warn">
          <p>{words.cannotPublish}</p>
        </div>
      )}
      {error !== undefined && <Problem error={error} />}

      <Since post={post} changes={history.data} channelName={channelName} timeZone={timeZone} />

      <div class="previews">
        {channels.map(([id, channel]) => (
          <ChannelPreview
            key={id}
            channel={channel}
            media={post.media}
            mediaType={post.mediaType}
            timeZone={timeZone}
          />
        ))}
        {channels.length === 0 && <Empty title={postWords.preview.noText} />}
      </div>

      {hashtags.length > 0 && (
        <p>
          <span class="label">{words.hashtags}</span> {hashtags.join(' ')}
        </p>
      )}
      {post.notes !== undefined && post.notes !== '' && (
        <div>
          <h3>{words.notes}</h3>
          <p class="quote">{post.notes}</p>
        </div>
      )}
      <details>
        <summary>{words.history}</summary>
        {history.data && <History changes={history.data} timeZone={timeZone} channelName={channelName} />}
      </details>

      {waits && may('posts:approve') && (
        <details>
          <summary>{outsideWords.linksTitle}</summary>
          <OutsideLinks postId={post.id} />
        </details>
      )}

      <div class="decide">
        {may('posts:approve') || may('posts:write') ? (
          <>
            {may('posts:approve') && (
              <button type="button" class="button primary" disabled={!canDecide || isOver} onClick={approve}>
                {words.approve} <Key name="A" />
              </button>
            )}
            <button type="button" class="button" disabled={!canReturn} onClick={() => setAsksNotes(true)}>
              {words.return} <Key name="R" />
            </button>
          </>
        ) : (
          <p class="quiet">{words.mayNot}</p>
        )}
        {may('posts:write') && (
          <a class="button plain" href={hrefOf(organizationId, 'posts', [post.id])}>
            {words.edit}
          </a>
        )}
        {onNext && (
          <button type="button" class="button plain decide-next" onClick={onNext}>
            {words.next} <Key name="N" />
          </button>
        )}
      </div>
      {asksNotes && <ReturnDialog many={1} draft={notes} onClose={() => setAsksNotes(false)} onReturn={giveBack} />}
    </article>
  )
}

/** Who changed what after the version with this ETag, where the history has it. */
function describeNewer(
  changes: readonly PostChange[] | undefined,
  etag: string,
  channelName: (id: string) => string,
): string {
  const version = Number(/^"(\d+)/.exec(etag)?.[1])
  const later = (changes ?? []).filter((change) => change.version > version)
  const fields = changedFields(later, channelName)
  const last = later.at(-1)
  if (last === undefined || fields.length === 0) return words.changedNow
  return words.changedBy(actorName(last), common.list(fields))
}

/** What was decided about the post before, and what has changed since. */
function Since({
  post,
  changes,
  channelName,
  timeZone,
}: {
  /** As it is shown. */
  post: ScheduledPost
  changes: readonly PostChange[] | undefined
  channelName: (id: string) => string
  timeZone: string
}) {
  const { id: organizationId } = useOrganization()
  const since = changes && sinceDecision(changes)
  const last = useRead({
    queryKey: ['last-review', organizationId, post.id, since?.decision.version],
    queryFn: ({ signal }) => getLastReview(organizationId, post.id, { signal }),
    enabled: since !== undefined,
  })
  if (changes === undefined) return null
  const asked = changes.findLast(
    ({ action, toStatus }) => action === 'submitted' || toStatus === 'WAITING_FOR_APPROVAL',
  )
  const askedText = asked && words.written(actorName(asked), formatInstant(asked.at, timeZone, 'short'))
  if (since === undefined) return <p class="quiet">{[askedText, words.firstTime].filter(Boolean).join('. ')}</p>
  const { decision } = since
  const fields = changedFields(since.changes, channelName)
  const notes = decision.detail?.notes
  // Absent for a decision from before this was kept: then only the fields are known.
  const review = last.data?.review
  return (
    <div class="notice">
      <div>
        <p>
          <strong>
            {words.since(
              decision.action as 'approved' | 'rejected',
              actorName(decision),
              formatInstant(decision.at, timeZone, 'short'),
            )}
          </strong>
        </p>
        {typeof notes === 'string' && <p class="quote">{notes}</p>}
        {last.isPending ? (
          <Loading lines={1} />
        ) : review != null ? (
          isNothing(compareContents(review.content, post)) ? (
            <p>{words.unchanged}</p>
          ) : (
            <>
              <p>{words.changedSince}</p>
              <DifferenceView before={review.content} now={post} timeZone={timeZone} />
            </>
          )
        ) : fields.length === 0 ? (
          <p>{words.unchanged}</p>
        ) : (
          <>
            <p>{words.changedSince}</p>
            <ul class="bullets">
              {fields.map((field) => (
                <li key={field}>{field}</li>
              ))}
            </ul>
          </>
        )}
      </div>
    </div>
  )
}
