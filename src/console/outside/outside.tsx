import { useQueryClient } from '@tanstack/preact-query'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { ApiError, approveByLink, getReview, returnByLink, type VersionedReview } from '../api.ts'
import { ReturnDialog } from '../approvals/return-dialog.tsx'
import { POLL_MS } from '../clock.ts'
import { ChannelPreview } from '../posts/preview.tsx'
import { formatDistance, formatInstant, zoneName } from '../times.ts'
import { Dialog, Empty, Loading, Problem } from '../ui.tsx'
import { useNow } from '../use-now.ts'
import { words } from './words.ts'
import './outside.css'
import { useRead } from '../use-read.ts'

const KEPT = 'greenroom.review-link'

/** What the link brought in its fragment. It is taken out of the address at once; this tab keeps it, so that the page can be loaded again. */
function takeToken(): string | undefined {
  const [, token] = /^#link=(.+)$/.exec(location.hash) ?? []
  try {
    if (token === undefined) return sessionStorage.getItem(KEPT) ?? undefined
    sessionStorage.setItem(KEPT, token)
  } catch {
    // Then the page that is loaded again asks for the link.
  }
  if (token !== undefined) history.replaceState(null, '', location.pathname)
  return token
}

const given = takeToken()

/** One post for one who has no account: to read it as the channels will show it, and to approve or return that version. */
export default function Outside() {
  useEffect(() => {
    document.title = words.title
  }, [])
  return (
    <main class="outside">
      <p class="brand">{words.brand}</p>
      {given === undefined ? <Over /> : <Review token={given} />}
    </main>
  )
}

const Over = () => (
  <div class="card">
    <Empty title={words.overTitle}>
      <p>{words.over}</p>
    </Empty>
  </div>
)

type Decision = { approved: boolean; at: string | undefined }

function Review({ token }: { token: string }) {
  const client = useQueryClient()
  const nowMs = useNow()
  const [seen, setSeen] = useState<VersionedReview>()
  const [error, setError] = useState<unknown>()
  const [busy, setBusy] = useState(false)
  const [asks, setAsks] = useState<'approve' | 'return'>()
  const [decided, setDecided] = useState<Decision>()
  const notes = useRef('')
  const latest = useRead({
    queryKey: ['review', token],
    queryFn: ({ signal }) => getReview(token, { signal }),
    enabled: decided === undefined,
    refetchInterval: POLL_MS,
  })
  useEffect(() => {
    if (seen === undefined && latest.data !== undefined) setSeen(latest.data)
  }, [latest.data])
  const shown = seen ?? latest.data

  if (decided !== undefined && shown !== undefined) {
    return <Thanks decided={decided} name={shown.review.name} timeZone={shown.review.timeZone} />
  }
  if (latest.error instanceof ApiError && latest.error.status === 401) return <Over />
  if (shown === undefined) {
    return latest.error ? <Problem error={latest.error} onRetry={latest.refetch} /> : <Loading lines={8} />
  }

  const { review, etag } = shown
  const { timeZone, scheduledFor } = review
  const isNewer = latest.data !== undefined && latest.data.etag !== etag
  const isPast = scheduledFor === undefined || Date.parse(scheduledFor) <= nowMs
  const decide = async (call: () => Promise<unknown>, approved: boolean): Promise<void> => {
    setAsks(undefined)
    setBusy(true)
    setError(undefined)
    try {
      await call()
      setDecided({ approved, at: scheduledFor })
      client.removeQueries({ queryKey: ['review'] })
    } catch (thrown) {
      if (thrown instanceof ApiError && (thrown.code === 'post_changed' || thrown.status === 401))
        await latest.refetch()
      else setError(thrown)
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <header class="outside-head">
        <h1>{words.asks(review.organizationName)}</h1>
        <p class="quiet">{words.lead(review.name, review.madeBy)}</p>
      </header>
      <section class="card outside-time">
        <h2>{scheduledFor === undefined ? words.noTime : formatInstant(scheduledFor, timeZone)}</h2>
        {scheduledFor !== undefined && (
          <p class="quiet">
            {formatDistance(scheduledFor, nowMs)} · {zoneName(timeZone)}
          </p>
        )}
      </section>
      {isNewer && (
        <div class="notice notice-warn" role="alert">
          <div>
            <p>{words.changed}</p>
            <button type="button" class="button small" onClick={() => setSeen(latest.data)}>
              {words.showNew}
            </button>
          </div>
        </div>
      )}
      {isPast && (
        <div class="notice notice-warn">
          <p>{words.past}</p>
        </div>
      )}
      {error !== undefined && <Problem error={error} />}
      <div class="outside-previews">
        {review.channels.map((channel, index) => (
          <ChannelPreview
            key={index}
            channel={{ ...channel, failedToPublish: false }}
            media={review.media}
            mediaType={review.mediaType}
            timeZone={timeZone}
          />
        ))}
      </div>
      <div class="outside-decide">
        <button
          type="button"
          class="button primary"
          disabled={busy || isNewer || isPast}
          onClick={() => setAsks('approve')}
        >
          {words.approve}
        </button>
        <button type="button" class="button" disabled={busy || isNewer} onClick={() => setAsks('return')}>
          {words.return}
        </button>
      </div>
      <p class="quiet small-text">{words.until(formatInstant(review.expiresAt, timeZone), zoneName(timeZone))}</p>
      {asks === 'approve' && scheduledFor !== undefined && (
        <Dialog title={words.approveTitle} onClose={() => setAsks(undefined)}>
          <p>{words.approveText(formatInstant(scheduledFor, timeZone))}</p>
          <div class="actions">
            <button
              type="button"
              class="button primary"
              disabled={isNewer}
              onClick={() => void decide(() => approveByLink(token, etag), true)}
            >
              {words.approve}
            </button>
            <button type="button" class="button" onClick={() => setAsks(undefined)}>
              {words.notYet}
            </button>
          </div>
        </Dialog>
      )}
      {asks === 'return' && (
        <ReturnDialog
          many={1}
          draft={notes}
          onClose={() => setAsks(undefined)}
          onReturn={(text) => decide(() => returnByLink(token, etag, { notes: text }), false)}
        />
      )}
    </>
  )
}

function Thanks({ decided, name, timeZone }: { decided: Decision; name: string; timeZone: string }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => heading.current?.focus(), [])
  return (
    <section class="card outside-head">
      <h1 ref={heading} tabIndex={-1}>
        {words.thanks(name)}
      </h1>
      <p>
        {decided.approved && decided.at !== undefined
          ? words.approved(formatInstant(decided.at, timeZone), zoneName(timeZone))
          : words.returned}
      </p>
      <p class="quiet">{words.done}</p>
    </section>
  )
}
