import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { LinkedPost, PostsForReview, ReviewedPost } from '../../interface/generated/types.ts'
import {
  approvePostForReview,
  checkMediaForReview,
  listPostsForReview,
  returnPostForReview,
  undoDecisionForReview,
} from '../api.ts'
import { ReviewPage } from '../approvals/review-page.tsx'
import { words as approvalWords } from '../approvals/words.ts'
import { useDecision, type Verdict } from '../decision.ts'
import { OpenThreads } from '../discussion/open-threads.tsx'
import { FoldedDiscussion } from '../discussion/outside-discussion.tsx'
import { MediaNote } from '../posts/media-note.tsx'
import { ChannelPreview } from '../posts/preview.tsx'
import { postWords } from '../posts/words.ts'
import { Refusal } from '../refusal.tsx'
import { keptUnder, tabStorage } from '../store.ts'
import { formatInstant, zoneName } from '../times.ts'
import { Button, Loading, Note, Problem } from '../ui.tsx'
import { useAct } from '../use-act.ts'
import { usePolled } from '../use-read.ts'
import { useSettled } from '../use-settled.ts'
import { common } from '../words.ts'
import { isOver, Over, REVIEW_MS } from './over.tsx'
import { words } from './words.ts'

/** The card that the address names: a number, or all of them; undefined for the first that is open. */
type Card = number | 'all' | undefined

function readCard(): Card {
  const named = new URLSearchParams(location.search).get('post')
  return named === 'all' ? named : Number(named) || undefined
}

/** The open card, which the address keeps for a reload. */
function useCard(): [card: Card, open: (card: Card) => void] {
  const [card, setCard] = useState(readCard)
  const open = (next: Card): void => {
    history.replaceState(null, '', `${location.pathname}${next === undefined ? '' : `?post=${next}`}`)
    setCard(next)
  }
  return [card, open]
}

/** A decision that was made just now. */
interface Last {
  number: number
  verdict: Verdict
}

/** The posts of a link, which of them is open, and how to decide and to take back. */
function useSeveral(token: string) {
  const latest = usePolled(['review', token], (options) => listPostsForReview(token, options), {
    refetchInterval: REVIEW_MS,
  })
  const [card, open] = useCard()
  const [last, setLast] = useState<Last>()
  const { busy, error, act } = useAct({ onConflict: () => latest.refetch() })
  const posts = latest.data?.posts ?? []
  const undo = ({ number, etag }: LinkedPost): Promise<unknown> =>
    act(async () => {
      await undoDecisionForReview(token, number, etag ?? '')
      setLast(undefined)
      await latest.refetch()
      open(number)
    })
  const onDecided = async (number: number, verdict: Verdict): Promise<void> => {
    await latest.refetch()
    setLast({ number, verdict })
    open(nextOpen(posts, number))
  }
  const named = posts.find((post) => post.number === card)
  const current = card === 'all' ? undefined : (named ?? posts.find(({ state }) => state === 'open'))
  return { latest, posts, current, open, last, busy, error, undo, onDecided }
}

type Several = ReturnType<typeof useSeveral>

/** The posts of a link to several: card by card, with an overview of all. */
export function OutsidePosts({ token }: { token: string }) {
  const several = useSeveral(token)
  const { latest, posts, current, open, last, busy, undo, onDecided } = several
  if (isOver(latest.error)) return <Over text={words.overSeveral} />
  const review = latest.data
  if (review === undefined) {
    return latest.error ? <Problem error={latest.error} onRetry={latest.refetch} /> : <Loading lines={8} />
  }
  if (current === undefined) return <Overview review={review} several={several} />
  const next = nextOpen(posts, current.number)
  return (
    <>
      <header class="outside-head">
        <h1>{words.asks(review.organizationName)}</h1>
        <p class="quiet">{words.leadSeveral(review.name, review.madeBy, posts.length)}</p>
      </header>
      <Progress {...{ posts, current, open }} />
      <LastDecision several={several} />
      {current.state === 'open' && current.content !== undefined ? (
        <OpenCard
          key={current.number}
          {...{ token, review, current, onDecided }}
          refetch={latest.refetch}
          isAfterDecision={last !== undefined}
          onSkip={next === undefined ? undefined : () => open(next)}
        />
      ) : (
        <DecidedCard key={current.number} {...{ current, busy, undo }} timeZone={review.timeZone} />
      )}
      <p class="quiet small-text">
        {words.untilSeveral(formatInstant(review.expiresAt, review.timeZone), zoneName(review.timeZone))}
      </p>
    </>
  )
}

/** Says what was decided last, with a button that takes it back, and why that was refused. */
function LastDecision({ several: { posts, last, busy, error, undo } }: { several: Several }) {
  // The post may have changed since the decision.
  const post = posts.find(({ number, state }) => number === last?.number && state === last.verdict)
  return (
    <>
      {/* Screen readers tell a change only of what was there before. */}
      <div role="status">
        {last !== undefined && post !== undefined && (
          <Note kind="good">
            <p>{words.decidedNow(placeOf(posts, last.number), last.verdict === 'approved')}</p>
            {post.mayUndo && (
              <Button kind="small" disabled={busy} onClick={() => void undo(post)}>
                {common.undo}
              </Button>
            )}
          </Note>
        )}
      </div>
      <Refusal error={error} />
    </>
  )
}

/** The place of a post among those of the link, as people count. */
const placeOf = (posts: readonly LinkedPost[], number: number): number =>
  posts.findIndex((post) => post.number === number) + 1

/** The next post that is open behind this one, or else the first; undefined where no other is open. */
function nextOpen(posts: readonly LinkedPost[], number: number): number | undefined {
  const others = posts.filter((post) => post.state === 'open' && post.number !== number)
  return (others.find((post) => post.number > number) ?? others[0])?.number
}

interface ProgressProps {
  posts: readonly LinkedPost[]
  current: LinkedPost
  open: (card: Card) => void
}

/** Says how far the person is. */
function Progress({ posts, current, open }: ProgressProps) {
  const decided = posts.filter(({ state }) => state !== 'open').length
  return (
    <div class="outside-progress">
      <p>
        <strong>{words.place(placeOf(posts, current.number), posts.length)}</strong>{' '}
        <span class="quiet small-text">{words.decidedOf(decided, posts.length)}</span>
      </p>
      <Button kind="small" onClick={() => open('all')}>
        {words.overview}
      </Button>
      <progress aria-label={words.decidedOf(decided, posts.length)} value={decided} max={posts.length} />
    </div>
  )
}

interface OpenCardProps {
  token: string
  review: PostsForReview
  current: LinkedPost
  refetch: () => Promise<unknown>
  isAfterDecision: boolean
  onDecided: (number: number, verdict: Verdict) => Promise<void>
  onSkip: (() => void) | undefined
}

/** A post to decide about: the version that is shown. */
function OpenCard(props: OpenCardProps) {
  const { token, review, current, refetch, isAfterDecision, onDecided, onSkip } = props
  const { number } = current
  const heading = useRef<HTMLHeadingElement>(null)
  const isSettled = useSettled(!isAfterDecision, true)
  const draft = keptUnder(tabStorage, `review-notes.${number}`)
  const decision = useDecision({
    latest: { data: { content: current.content!, etag: current.etag ?? '' }, refetch: refetch as never },
    isLate: ({ content: { scheduledFor } }, nowMs) => scheduledFor === undefined || Date.parse(scheduledFor) <= nowMs,
    isOpen: isSettled,
    approve: ({ etag }) => approvePostForReview(token, number, etag),
    giveBack: ({ etag }, notes) => returnPostForReview(token, number, etag, { notes }),
    onDecided: (verdict) => {
      draft.set(undefined)
      return onDecided(number, verdict)
    },
  })
  useLayoutEffect(() => {
    if (isAfterDecision) heading.current?.focus({ preventScroll: true })
    scrollTo(0, 0)
  }, [])
  const { content } = decision.shown!
  return (
    <ReviewPage
      {...{ decision, draft, heading }}
      remarks={
        current.isBack && (
          <Note>
            <p>{words.isBack}</p>
          </Note>
        )
      }
      details={
        <FoldedDiscussion
          {...{ token, number, timeZone: review.timeZone, organizationName: review.organizationName }}
          openMessages={current.openMessages ?? 0}
          everyMs={REVIEW_MS}
          onChanged={refetch}
        />
      }
      post={content}
      version={`${number} ${current.etag}`}
      checkMedia={() => checkMediaForReview(token, number)}
      channels={channelsOf(content)}
      timeZone={review.timeZone}
      headClass="card outside-time"
      changed={approvalWords.changedNow}
      late={words.past}
      approve={() => void decision.approve()}
      mayReturn
    >
      {onSkip && (
        <Button kind="plain" onClick={onSkip}>
          {words.skip}
        </Button>
      )}
    </ReviewPage>
  )
}

const channelsOf = ({ channels }: ReviewedPost) => channels.map((channel, index) => [String(index), channel] as const)

interface DecidedProps {
  current: LinkedPost
  timeZone: string
  busy: boolean
  undo: (post: LinkedPost) => Promise<unknown>
}

/** A post that is decided about, as it was then; or only that, where it is another one by now. */
function DecidedCard({ current, timeZone, busy, undo }: DecidedProps) {
  const { content, state, mayUndo } = current
  return (
    <>
      <Note>
        <p>{words.states[state]}</p>
        {mayUndo && (
          <Button kind="small" disabled={busy} onClick={() => void undo(current)}>
            {common.undo}
          </Button>
        )}
      </Note>
      {content !== undefined && (
        <MediaNote url={content.media} check={content.mediaCheck} version={`${current.number} ${current.etag}`} />
      )}
      {content !== undefined && (
        <div class="previews">
          {channelsOf(content).map(([key, channel]) => (
            <ChannelPreview
              key={key}
              channel={channel}
              media={content.media}
              mediaType={content.mediaType}
              timeZone={timeZone}
            />
          ))}
        </div>
      )}
    </>
  )
}

/** All posts of the link with what was decided; a thank-you once none is open. */
function Overview({ review, several }: { review: PostsForReview; several: Several }) {
  const { posts, name, timeZone, expiresAt } = review
  const heading = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => {
    heading.current?.focus()
    scrollTo(0, 0)
  }, [])
  const many = (state: LinkedPost['state']): number => posts.filter((post) => post.state === state).length
  const isDone = many('open') === 0
  return (
    <>
      <header class="outside-head">
        <h1 ref={heading} tabIndex={-1}>
          {isDone ? words.thanks(name) : words.overviewTitle}
        </h1>
        <p>{words.counts(many('approved'), many('returned'), many('open'))}</p>
        {isDone && <p class="quiet">{words.doneSeveral(formatInstant(expiresAt, timeZone), zoneName(timeZone))}</p>}
        {!isDone && (
          <div class="actions">
            <Button kind="primary" onClick={() => several.open(undefined)}>
              {words.goOn}
            </Button>
          </div>
        )}
      </header>
      <LastDecision several={several} />
      <ol class="card rows outside-posts">
        {posts.map((post, index) => (
          <li key={post.number}>
            <OverviewRow at={index + 1} {...{ post, several, timeZone }} />
          </li>
        ))}
      </ol>
    </>
  )
}

interface OverviewRowProps {
  at: number
  post: LinkedPost
  several: Several
  timeZone: string
}

function OverviewRow({ at, post, several: { posts, busy, open, undo }, timeZone }: OverviewRowProps) {
  const { state, content, mayUndo, openMessages } = post
  const place = words.place(at, posts.length)
  return (
    <>
      <div class="row-text">
        <strong>
          {words.stateOf(at, state)} <OpenThreads many={openMessages} />
        </strong>
        {content !== undefined && (
          <span class="quiet small-text" dir="auto">
            {words.beginning(
              content.scheduledFor === undefined
                ? postWords.noTime
                : formatInstant(content.scheduledFor, timeZone, 'short'),
              content.channels.find(({ caption }) => caption)?.caption ?? '',
            )}
          </span>
        )}
      </div>
      <div class="actions">
        {mayUndo && (
          <Button kind="small" of={place} disabled={busy} onClick={() => void undo(post)}>
            {common.undo}
          </Button>
        )}
        {content !== undefined && (
          <Button kind="small" of={place} onClick={() => open(post.number)}>
            {words.show}
          </Button>
        )}
      </div>
    </>
  )
}
