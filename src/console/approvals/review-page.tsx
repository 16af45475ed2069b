import type { ComponentChildren, RefObject } from 'preact'
import type { MediaCheck, PostForPeople } from '../../interface/generated/types.ts'
import type { Decision } from '../decision.ts'
import { MediaNote } from '../posts/media-note.tsx'
import { ChannelPreview, type PreviewedChannel, type PreviewedPost } from '../posts/preview.tsx'
import { Refusal } from '../refusal.tsx'
import type { KeptText } from '../store.ts'
import { formatDistance, formatInstant, zoneName } from '../times.ts'
import { Button, Empty, Key, Note } from '../ui.tsx'
import { posts as postWords, approvals as words } from '../words.ts'
import { ReturnDialog } from './return-dialog.tsx'

interface ReviewPageProps {
  decision: Decision
  post: PreviewedPost & Pick<PostForPeople, 'scheduledFor' | 'mediaCheck'>
  /** The version that is shown. */
  version: string
  /** Checks external media if the person may decide. */
  checkMedia: (() => Promise<MediaCheck>) | undefined
  timeZone: string
  headClass: string
  /** Gets the focus. */
  heading?: RefObject<HTMLHeadingElement>
  beside?: ComponentChildren
  channels: readonly (readonly [key: string, channel: PreviewedChannel])[]
  /** Says that there is a newer version; undefined if that no longer matters. */
  changed: string | undefined
  /** Says what can be done about a post whose time has passed. */
  late: string | undefined
  remarks?: ComponentChildren
  details?: ComponentChildren
  /** Undefined if the person may not approve. */
  approve: (() => void) | undefined
  /** Keeps the notes until they are sent. */
  draft: KeptText
  mayReturn: boolean
  /** Shows the keyboard shortcuts of the buttons. */
  keys?: boolean
  /** Shown beside the button: why the post cannot be approved right now. */
  why?: string | undefined
  children?: ComponentChildren
}

/**
 * The review of a post, for members and for people with a link. Anything that only one of these groups sees is passed in,
 * and shown beside the time, among the remarks, below the previews, or beside the buttons.
 */
export function ReviewPage(props: ReviewPageProps) {
  const { decision, post, channels, timeZone, changed, late, approve } = props
  return (
    <>
      <ReviewHead {...props} />
      {decision.isNewer && changed !== undefined && (
        <Note kind="warn" role="alert">
          <p>{changed}</p>
          <Button kind="small" onClick={decision.showNewest}>
            {words.showNew}
          </Button>
        </Note>
      )}
      {decision.isLate && late !== undefined && (
        <Note kind="warn">
          <p>{late}</p>
        </Note>
      )}
      {props.remarks}
      <MediaNote url={post.media} check={post.mediaCheck} version={props.version} ask={props.checkMedia} />
      <div class="previews">
        {channels.map(([key, channel]) => (
          <ChannelPreview key={key} {...post} {...{ channel, timeZone }} isWhole />
        ))}
        {channels.length === 0 && <Empty title={postWords.preview.noText} />}
      </div>
      {props.details}
      <div class="decide">
        {approve && (
          <Button
            kind="primary"
            disabled={!decision.canApprove}
            aria-describedby={props.why === undefined ? undefined : 'approve-why'}
            onClick={approve}
          >
            {words.approve} {props.keys && <Key name="A" />}
          </Button>
        )}
        {props.mayReturn && (
          <Button disabled={!decision.canReturn} onClick={() => decision.ask('returned')}>
            {words.return} {props.keys && <Key name="R" />}
          </Button>
        )}
        {props.children}
        {props.why !== undefined && (
          <p id="approve-why" class="quiet small-text">
            {props.why}
          </p>
        )}
        <Refusal error={decision.error} />
      </div>
      {decision.asks === 'returned' && (
        <ReturnDialog
          many={1}
          draft={props.draft}
          onClose={() => decision.ask(undefined)}
          onReturn={decision.giveBack}
        />
      )}
    </>
  )
}

/** Shows when the post is due. */
function ReviewHead({ decision, post: { scheduledFor }, timeZone, heading, headClass, beside }: ReviewPageProps) {
  const zone = zoneName(timeZone)
  return (
    <header class={headClass}>
      <div>
        <h2 id="review-title" ref={heading} tabIndex={heading && -1}>
          {scheduledFor === undefined ? postWords.noTime : formatInstant(scheduledFor, timeZone)}
        </h2>
        <p class="quiet">
          {scheduledFor === undefined ? zone : `${formatDistance(scheduledFor, decision.nowMs)} · ${zone}`}
        </p>
      </div>
      {beside}
    </header>
  )
}
