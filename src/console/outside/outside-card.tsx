import { useLayoutEffect, useRef } from 'preact/hooks'
import type { LinkedPost, PostsForReview, ReviewedPost } from '../../interface/generated/types.ts'
import { approvePostForReview, checkMediaForReview, returnPostForReview } from '../api.ts'
import { ReviewPage } from '../approvals/review-page.tsx'
import { type Decision, useDecision, type Verdict } from '../decision.ts'
import { FoldedDiscussion, OutsideDiscussion } from '../discussion/outside-discussion.tsx'
import { MediaNote } from '../posts/media-note.tsx'
import { ChannelPreview } from '../posts/preview.tsx'
import { keptUnder, tabStorage } from '../store.ts'
import { formatInstant } from '../times.ts'
import { Button, Dialog, Note } from '../ui.tsx'
import { useSettled } from '../use-settled.ts'
import { approvals as approvalWords, common, outside as words } from '../words.ts'
import { REVIEW_MS } from './over.tsx'

interface OpenCardProps {
  token: string
  review: PostsForReview
  current: LinkedPost
  content: ReviewedPost
  /** True for a link's only post: the decision ends the link and cannot be undone. */
  isOnly: boolean
  refetch: () => Promise<unknown>
  isAfterDecision: boolean
  onDecided: (number: number, verdict: Verdict, content: ReviewedPost) => Promise<void>
  onSkip: (() => void) | undefined
}

/** A post to decide about, at the version on screen. */
export function OpenCard(props: OpenCardProps) {
  const { token, review, current, isOnly, refetch, isAfterDecision, onDecided, onSkip } = props
  const { number } = current
  const { timeZone, organizationName } = review
  const heading = useRef<HTMLHeadingElement>(null)
  const isSettled = useSettled(!isAfterDecision, true)
  const draft = keptUnder(tabStorage, `review-notes.${number}`)
  const decision = useDecision({
    latest: { data: { content: props.content, etag: current.etag ?? '' }, refetch: refetch as never },
    isLate: ({ content: { scheduledFor } }, nowMs) => scheduledFor === undefined || Date.parse(scheduledFor) <= nowMs,
    isOpen: isSettled,
    approve: ({ etag }) => approvePostForReview(token, number, etag),
    giveBack: ({ etag }, notes) => returnPostForReview(token, number, etag, { notes }),
    onDecided: (verdict, _answer, { content }) => {
      draft.set(undefined)
      return onDecided(number, verdict, content)
    },
  })
  useLayoutEffect(() => {
    if (isAfterDecision) heading.current?.focus({ preventScroll: true })
    scrollTo(0, 0)
  }, [])
  const { content, etag } = decision.shown!
  const discussed = { token, number, timeZone, organizationName, everyMs: REVIEW_MS, onChanged: refetch }
  return (
    <>
      <ReviewPage
        {...{ decision, draft, heading, timeZone }}
        remarks={
          current.isBack && (
            <Note>
              <p>{words.isBack}</p>
            </Note>
          )
        }
        details={
          isOnly ? (
            <OutsideDiscussion {...discussed} />
          ) : (
            <FoldedDiscussion {...discussed} openMessages={current.openMessages ?? 0} />
          )
        }
        post={content}
        version={`${number} ${etag}`}
        checkMedia={() => checkMediaForReview(token, number)}
        channels={channelsOf(content)}
        headClass="card outside-time"
        changed={approvalWords.changedNow}
        late={words.past}
        approve={() => (isOnly ? decision.ask('approved') : void decision.approve())}
        mayReturn
      >
        {onSkip && (
          <Button kind="plain" onClick={onSkip}>
            {words.skip}
          </Button>
        )}
      </ReviewPage>
      {decision.asks === 'approved' && <ApprovalQuestion {...{ decision, content, timeZone }} />}
    </>
  )
}

interface QuestionProps {
  decision: Decision
  content: ReviewedPost
  timeZone: string
}

/** Asks before an approval that cannot be undone. */
function ApprovalQuestion({ decision, content: { scheduledFor }, timeZone }: QuestionProps) {
  const close = (): void => decision.ask(undefined)
  if (scheduledFor === undefined) return null
  return (
    <Dialog title={words.approveTitle} onClose={close}>
      <p>{words.approveText({ time: formatInstant(scheduledFor, timeZone) })}</p>
      <div class="actions">
        <Button kind="primary" disabled={!decision.canApprove} onClick={() => void decision.approve()}>
          {approvalWords.approve}
        </Button>
        <Button onClick={close}>{words.notYet}</Button>
      </div>
    </Dialog>
  )
}

const channelsOf = ({ channels }: ReviewedPost) => channels.map((channel, index) => [String(index), channel] as const)

interface DecidedProps {
  current: LinkedPost
  timeZone: string
  busy: boolean
  undo: (post: LinkedPost) => Promise<unknown>
}

/** A decided post as it was then, or only the decision if the post has changed since. */
export function DecidedCard({ current, timeZone, busy, undo }: DecidedProps) {
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
