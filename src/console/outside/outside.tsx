import { useQueryClient } from '@tanstack/preact-query'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { PostForReview } from '../../interface/generated/types.ts'
import { approveByLink, checkMediaByLink, getReview, openReviewLink, readReviewLink, returnByLink } from '../api.ts'
import { ReviewPage } from '../approvals/review-page.tsx'
import { words as approvalWords } from '../approvals/words.ts'
import { useDecision, type Verdict } from '../decision.ts'
import { OutsideDiscussion } from '../discussion/outside-discussion.tsx'
import { LinkButton } from '../link-button.tsx'
import { Refusal } from '../refusal.tsx'
import { forgetKept, keptUnder, tabStorage } from '../store.ts'
import { formatInstant, zoneName } from '../times.ts'
import { Button, Dialog, Loading, Problem } from '../ui.tsx'
import { useAct } from '../use-act.ts'
import { usePolled, useRead } from '../use-read.ts'
import { OutsidePosts } from './outside-posts.tsx'
import { isOver, Over, REVIEW_MS } from './over.tsx'
import { words } from './words.ts'
import './outside.css'

/** The notes of a return that are typed so far. */
const notes = keptUnder(tabStorage, 'review-notes')

/** A link by which the page was opened. */
interface Link {
  token: string
  /** True for a link to several posts. */
  isToSeveral: boolean
  /** True once its button was clicked in this tab. */
  isOpened: boolean
}

/** Takes the token out of the address at once. This tab keeps it, so that the page can be loaded again. */
function takeLink(): Link | undefined {
  const [, kind, token] = /^#(link|posts)=(.+)$/.exec(location.hash) ?? []
  if (token === undefined) {
    const kept = tabStorage.get('review-link')
    if (kept === undefined) return undefined
    const isOpened = tabStorage.get('review-opened') !== undefined
    return { token: kept, isToSeveral: tabStorage.get('review-kind') === 'posts', isOpened }
  }
  forgetKept('review-notes')
  forgetKept('review-message')
  tabStorage.set('review-link', token)
  tabStorage.set('review-kind', kind)
  tabStorage.set('review-opened', undefined)
  history.replaceState(null, '', location.pathname)
  return { token, isToSeveral: kind === 'posts', isOpened: false }
}

/** Posts for a person without an account, who approves or returns the versions that they see. */
export default function Outside() {
  const [link, setLink] = useState(takeLink)
  const main = useRef<HTMLElement>(null)
  const onOpened = (): void => {
    tabStorage.set('review-opened', 'yes')
    setLink((before) => before && { ...before, isOpened: true })
    // The button that had it is gone.
    main.current?.focus({ preventScroll: true })
  }
  useEffect(() => {
    document.title = words.title
    // Another link may be pasted into the address of the open tab: that loads nothing.
    const follow = (): void => setLink(takeLink())
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  return (
    <main class="outside" ref={main} tabIndex={-1}>
      <p class="brand">{words.brand}</p>
      {link === undefined ? (
        <Over />
      ) : !link.isOpened ? (
        <Door key={link.token} {...link} onOpened={onOpened} />
      ) : link.isToSeveral ? (
        <OutsidePosts key={link.token} token={link.token} />
      ) : (
        <Review key={link.token} token={link.token} />
      )}
    </main>
  )
}

/** Says for whom the link is, with the button that opens it: until then no post is read, and the link is not used. */
function Door({ token, isToSeveral, onOpened }: Link & { onOpened: () => void }) {
  const head = useRead({
    queryKey: ['review-link', token],
    queryFn: ({ signal }) => readReviewLink(token, { signal }),
  })
  const { busy, error, act } = useAct()
  const open = () =>
    act(async () => {
      await openReviewLink(token)
      onOpened()
    })
  if (isOver(head.error) || isOver(error)) return <Over text={isToSeveral ? words.overSeveral : words.over} />
  if (head.data === undefined) {
    return head.error ? <Problem error={head.error} onRetry={head.refetch} /> : <Loading lines={3} />
  }
  const { name, madeBy, organizationName } = head.data
  return (
    <section class="card form">
      <h1>{words.asks(organizationName)}</h1>
      <p class="quiet">{words.linkFor(name, madeBy)}</p>
      <LinkButton kind="primary" disabled={busy} onClick={() => void open()}>
        {words.open(isToSeveral)}
      </LinkButton>
      <Refusal error={error} />
    </section>
  )
}

interface Decided {
  verdict: Verdict
  review: PostForReview
}

function Review({ token }: { token: string }) {
  const client = useQueryClient()
  const [decided, setDecided] = useState<Decided>()
  const latest = usePolled(['review', token], (options) => getReview(token, options), {
    enabled: decided === undefined,
    refetchInterval: REVIEW_MS,
  })
  const decision = useDecision({
    latest,
    isLate: ({ review: { scheduledFor } }, nowMs) => scheduledFor === undefined || Date.parse(scheduledFor) <= nowMs,
    approve: ({ etag }) => approveByLink(token, etag),
    giveBack: ({ etag }, notes) => returnByLink(token, etag, { notes }),
    onDecided: (verdict, _answer, { review }) => {
      setDecided({ verdict, review })
      client.removeQueries({ queryKey: ['review'] })
    },
  })
  if (decided !== undefined) return <Thanks {...decided} />
  if (isOver(latest.error)) return <Over />
  if (decision.shown === undefined) {
    return latest.error ? <Problem error={latest.error} onRetry={latest.refetch} /> : <Loading lines={8} />
  }
  const { review } = decision.shown
  const { timeZone, scheduledFor } = review
  return (
    <>
      <header class="outside-head">
        <h1>{words.asks(review.organizationName)}</h1>
        <p class="quiet">{words.lead(review.name, review.madeBy)}</p>
      </header>
      <ReviewPage
        decision={decision}
        post={review}
        version={decision.shown.etag}
        checkMedia={() => checkMediaByLink(token)}
        channels={review.channels.map((channel, index) => [String(index), channel])}
        timeZone={timeZone}
        headClass="card outside-time"
        changed={approvalWords.changedNow}
        late={words.past}
        approve={() => decision.ask('approved')}
        draft={notes}
        details={
          <OutsideDiscussion {...{ token, timeZone }} organizationName={review.organizationName} everyMs={REVIEW_MS} />
        }
        mayReturn
      />
      <p class="quiet small-text">{words.until(formatInstant(review.expiresAt, timeZone), zoneName(timeZone))}</p>
      {decision.asks === 'approved' && scheduledFor !== undefined && (
        <Dialog title={words.approveTitle} onClose={() => decision.ask(undefined)}>
          <p>{words.approveText(formatInstant(scheduledFor, timeZone))}</p>
          <div class="actions">
            <Button kind="primary" disabled={!decision.canApprove} onClick={() => void decision.approve()}>
              {approvalWords.approve}
            </Button>
            <Button onClick={() => decision.ask(undefined)}>{words.notYet}</Button>
          </div>
        </Dialog>
      )}
    </>
  )
}

function Thanks({ verdict, review: { name, scheduledFor, timeZone } }: Decided) {
  const heading = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => heading.current?.focus(), [])
  return (
    <section class="card outside-head">
      <h1 ref={heading} tabIndex={-1}>
        {words.thanks(name)}
      </h1>
      <p>
        {verdict === 'approved' && scheduledFor !== undefined
          ? words.approved(formatInstant(scheduledFor, timeZone), zoneName(timeZone))
          : words.returned}
      </p>
      <p class="quiet">{words.done}</p>
    </section>
  )
}
