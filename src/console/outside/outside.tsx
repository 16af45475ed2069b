import { useQueryClient } from '@tanstack/preact-query'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { PostForReview } from '../../interface/reviews.ts'
import { ApiError, approveByLink, checkMediaByLink, getReview, returnByLink } from '../api.ts'
import { ReviewPage } from '../approvals/review-page.tsx'
import { words as approvalWords } from '../approvals/words.ts'
import { useDecision, type Verdict } from '../decision.ts'
import { OutsideDiscussion } from '../discussion/outside-discussion.tsx'
import { forgetKept, keptUnder, tabStorage } from '../store.ts'
import { formatInstant, zoneName } from '../times.ts'
import { Button, Dialog, Loading, Problem } from '../ui.tsx'
import { usePolled } from '../use-read.ts'
import { OutsidePosts } from './outside-posts.tsx'
import { Over, REVIEW_MS } from './over.tsx'
import { words } from './words.ts'
import './outside.css'

/** The notes of a return that are typed so far. */
const notes = keptUnder(tabStorage, 'review-notes')

/** A link by which the page was opened. */
interface Link {
  token: string
  /** True for a link to several posts. */
  isToSeveral: boolean
}

/** Takes the token out of the address at once. This tab keeps it, so that the page can be loaded again. */
function takeLink(): Link | undefined {
  const [, kind, token] = /^#(link|posts)=(.+)$/.exec(location.hash) ?? []
  if (token === undefined) {
    const kept = tabStorage.get('review-link')
    return kept === undefined ? undefined : { token: kept, isToSeveral: tabStorage.get('review-kind') === 'posts' }
  }
  forgetKept('review-notes')
  forgetKept('review-message')
  tabStorage.set('review-link', token)
  tabStorage.set('review-kind', kind)
  history.replaceState(null, '', location.pathname)
  return { token, isToSeveral: kind === 'posts' }
}

/** Posts for a person without an account, who approves or returns the versions that they see. */
export default function Outside() {
  const [link, setLink] = useState(takeLink)
  useEffect(() => {
    document.title = words.title
    // Another link may be pasted into the address of the open tab: that loads nothing.
    const follow = (): void => setLink(takeLink())
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  return (
    <main class="outside">
      <p class="brand">{words.brand}</p>
      {link === undefined ? (
        <Over />
      ) : link.isToSeveral ? (
        <OutsidePosts key={link.token} token={link.token} />
      ) : (
        <Review key={link.token} token={link.token} />
      )}
    </main>
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
  if (latest.error instanceof ApiError && latest.error.status === 401) return <Over />
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
