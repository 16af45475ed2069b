import { useQueryClient } from '@tanstack/preact-query'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { LinkedPost, PostsForReview, ReviewedPost } from '../../interface/generated/types.ts'
import { listPostsForReview, undoDecisionForReview } from '../api.ts'
import type { Verdict } from '../decision.ts'
import { OpenThreads } from '../discussion/open-threads.tsx'
import { Refusal } from '../refusal.tsx'
import { formatInstant, zoneName } from '../times.ts'
import { Button, Loading, Note, Problem } from '../ui.tsx'
import { useAct } from '../use-act.ts'
import { usePolled } from '../use-read.ts'
import { common, posts as postWords, outside as words } from '../words.ts'
import { DecidedCard, OpenCard } from './outside-card.tsx'
import { isOver, Over, REVIEW_MS } from './over.tsx'

/** The card that the address names: a number or all; undefined means the first open one. */
type Card = number | 'all' | undefined

function readCard(): Card {
  const named = new URLSearchParams(location.search).get('post')
  return named === 'all' ? named : Number(named) || undefined
}

/** The open card, kept in the address so that a reload keeps it. */
function useCard(): [card: Card, open: (card: Card) => void] {
  const [card, setCard] = useState(readCard)
  const open = (next: Card): void => {
    history.replaceState(null, '', `${location.pathname}${next === undefined ? '' : `?post=${next}`}`)
    setCard(next)
  }
  return [card, open]
}

/** The decision just made. */
interface Last {
  number: number
  verdict: Verdict
}

/** The decision about a link's only post, which ended the link. */
interface End {
  verdict: Verdict
  review: PostsForReview
  content: ReviewedPost
}

/** A link's posts, the open card, and how to decide and undo. */
function useSeveral(token: string) {
  const client = useQueryClient()
  const [end, setEnd] = useState<End>()
  const latest = usePolled(['review', token], (options) => listPostsForReview(token, options), {
    enabled: end === undefined,
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
  const onDecided = async (number: number, verdict: Verdict, content: ReviewedPost): Promise<void> => {
    if (posts.length === 1) {
      setEnd({ verdict, review: latest.data!, content })
      client.removeQueries({ queryKey: ['review'] })
      return
    }
    await latest.refetch()
    setLast({ number, verdict })
    open(nextOpen(posts, number))
  }
  const named = posts.find((post) => post.number === card)
  const firstOpen = posts.find(({ state }) => state === 'open')
  const current = posts.length === 1 ? posts[0] : card === 'all' ? undefined : (named ?? firstOpen)
  return { latest, posts, current, open, end, last, busy, error, undo, onDecided }
}

type Several = ReturnType<typeof useSeveral>

/** A link's posts card by card, with an overview of all. A link to one post shows only its card. */
export function OutsidePosts({ token }: { token: string }) {
  const several = useSeveral(token)
  const { latest, posts, current, open, end, last, busy, undo, onDecided } = several
  if (end !== undefined) return <Thanks {...end} />
  if (isOver(latest.error)) return <Over />
  const review = latest.data
  if (review === undefined) {
    return latest.error ? <Problem error={latest.error} onRetry={latest.refetch} /> : <Loading lines={8} />
  }
  if (current === undefined) return <Overview review={review} several={several} />
  const { name, madeBy, organizationName, timeZone } = review
  const isOnly = posts.length === 1
  const next = nextOpen(posts, current.number)
  const until = { time: formatInstant(review.expiresAt, timeZone), zone: zoneName(timeZone) }
  return (
    <>
      <header class="outside-head">
        <h1>{words.asks({ organization: organizationName })}</h1>
        <p class="quiet">
          {isOnly
            ? words.lead({ name, maker: madeBy })
            : words.leadSeveral({ name, maker: madeBy, many: posts.length })}
        </p>
      </header>
      {isOnly ? (
        <Refusal error={several.error} />
      ) : (
        <>
          <Progress {...{ posts, current, open }} />
          <LastDecision several={several} />
        </>
      )}
      {current.state === 'open' && current.content !== undefined ? (
        <OpenCard
          key={current.number}
          {...{ token, review, current, isOnly, onDecided }}
          content={current.content}
          refetch={latest.refetch}
          isAfterDecision={last !== undefined}
          onSkip={next === undefined ? undefined : () => open(next)}
        />
      ) : (
        <DecidedCard key={current.number} {...{ current, busy, undo, timeZone }} />
      )}
      <p class="quiet small-text">{isOnly ? words.until(until) : words.untilSeveral(until)}</p>
    </>
  )
}

/** Says what was decided about the only post, and that the link has ended. */
function Thanks({ verdict, review: { name, timeZone }, content: { scheduledFor } }: End) {
  const heading = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => heading.current?.focus(), [])
  return (
    <section class="card outside-head">
      <h1 ref={heading} tabIndex={-1}>
        {words.thanks({ name })}
      </h1>
      <p>
        {verdict === 'approved' && scheduledFor !== undefined
          ? words.approved({ time: formatInstant(scheduledFor, timeZone), zone: zoneName(timeZone) })
          : words.returned}
      </p>
      <p class="quiet">{words.done}</p>
    </section>
  )
}

/** Says what was last decided, with an Undo button, and why an undo was refused. */
function LastDecision({ several: { posts, last, busy, error, undo } }: { several: Several }) {
  // The post may have changed since.
  const post = posts.find(({ number, state }) => number === last?.number && state === last.verdict)
  return (
    <>
      {/* Screen readers tell a change only of what was there before. */}
      <div role="status">
        {last !== undefined && post !== undefined && (
          <Note kind="good">
            <p>{words.decidedNow({ at: placeOf(posts, last.number), isApproved: last.verdict === 'approved' })}</p>
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

/** Returns a post's position within the link, starting at 1. */
const placeOf = (posts: readonly LinkedPost[], number: number): number =>
  posts.findIndex((post) => post.number === number) + 1

/** Returns the next open post after this one, else the first; undefined if no other is open. */
function nextOpen(posts: readonly LinkedPost[], number: number): number | undefined {
  const others = posts.filter((post) => post.state === 'open' && post.number !== number)
  return (others.find((post) => post.number > number) ?? others[0])?.number
}

interface ProgressProps {
  posts: readonly LinkedPost[]
  current: LinkedPost
  open: (card: Card) => void
}

/** Shows the person's progress. */
function Progress({ posts, current, open }: ProgressProps) {
  const decided = posts.filter(({ state }) => state !== 'open').length
  return (
    <div class="outside-progress">
      <p>
        <strong>{words.place({ at: placeOf(posts, current.number), of: posts.length })}</strong>{' '}
        <span class="quiet small-text">{words.decidedOf({ decided, of: posts.length })}</span>
      </p>
      <Button kind="small" onClick={() => open('all')}>
        {words.overview}
      </Button>
      <progress aria-label={words.decidedOf({ decided, of: posts.length })} value={decided} max={posts.length} />
    </div>
  )
}

/** All posts of the link with their decisions, and thanks once none is open. */
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
          {isDone ? words.thanks({ name }) : words.overviewTitle}
        </h1>
        <p>{describeCounts(many('approved'), many('returned'), many('open'))}</p>
        {isDone && (
          <p class="quiet">
            {words.doneSeveral({ time: formatInstant(expiresAt, timeZone), zone: zoneName(timeZone) })}
          </p>
        )}
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

const describeCounts = (approved: number, returned: number, open: number): string =>
  [words.counts({ approved, returned }), open === 0 ? '' : words.countOpen({ open })].filter(Boolean).join(' ')

const BEGINNING_CHARS = 80

/** Returns a post's time and the beginning of its text, without splitting a character. */
function beginningOf(time: string, text: string): string {
  const chars = [...text]
  const beginning = `${chars.slice(0, BEGINNING_CHARS).join('')}${chars.length > BEGINNING_CHARS ? '…' : ''}`
  return text === '' ? time : `${time} · ${beginning}`
}

interface OverviewRowProps {
  at: number
  post: LinkedPost
  several: Several
  timeZone: string
}

function OverviewRow({ at, post, several: { posts, busy, open, undo }, timeZone }: OverviewRowProps) {
  const { state, content, mayUndo, openMessages } = post
  const place = words.place({ at, of: posts.length })
  return (
    <>
      <div class="row-text">
        <strong>
          {`${at}: ${words.shortStates[state]}`} <OpenThreads many={openMessages} />
        </strong>
        {content !== undefined && (
          <span class="quiet small-text" dir="auto">
            {beginningOf(
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
