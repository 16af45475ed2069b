import type { Review, ScheduledPost } from '../../interface/generated/types.ts'
import { getLastReview } from '../api.ts'
import { Loaded } from '../list.tsx'
import { useOrganization } from '../organization.ts'
import { actorName, changedFields, DecisionText, sinceDecision } from '../posts/history.tsx'
import { useHistory } from '../posts/queries.ts'
import { formatInstant } from '../times.ts'
import { Note, Problem } from '../ui.tsx'
import { useRead } from '../use-read.ts'
import { approvals as words } from '../words.ts'
import { compareContents, isNothing } from './difference.ts'
import { DifferenceView } from './difference-view.tsx'

/** The history of a post, and its content at the last standing decision. */
type Background = ReturnType<typeof useBackground>

/** Reads what a reviewer needs to know before deciding. */
export function useBackground(postId: string, etag: string | undefined) {
  const { id: organizationId } = useOrganization()
  const history = useHistory(postId, etag)
  const since = history.data && sinceDecision(history.data)
  const review = useRead({
    queryKey: ['last-review', organizationId, postId, since?.decision.version],
    queryFn: ({ signal }) => getLastReview(organizationId, postId, { signal }),
    enabled: since !== undefined,
  })
  const isComplete = history.data !== undefined && (since === undefined || review.data !== undefined)
  return { history, since, review, isComplete }
}

interface SinceProps {
  post: ScheduledPost
  background: Background
  channelName: (id: string) => string
}

/** The last decision about the post, and what has changed since. */
export function Since({ post, background: { history, since, review: last }, channelName }: SinceProps) {
  const { timeZone } = useOrganization()
  const changes = history.data
  if (changes === undefined) return <Problem error={history.error} onRetry={history.refetch} />
  // Edits of a waiting post, and undone decisions, are not new requests for approval.
  const asked = changes.findLast(
    ({ action, fromStatus, toStatus }) =>
      toStatus === 'WAITING_FOR_APPROVAL' && fromStatus !== toStatus && action !== 'reverted',
  )
  const askedText = asked && words.written({ who: actorName(asked), time: formatInstant(asked.at, timeZone, 'short') })
  if (since === undefined) return <p class="quiet">{[askedText, words.firstTime].filter(Boolean).join('. ')}</p>
  return (
    <Note>
      <DecisionText decision={since.decision} />
      <Loaded read={last} lines={1}>
        {({ review }) => <Changed post={post} review={review} fields={changedFields(since.changes, channelName)} />}
      </Loaded>
    </Note>
  )
}

/** Decisions from before content was kept have no review: only the names of the changed fields are known. */
function Changed({ post, review, fields }: { post: ScheduledPost; review: Review | null; fields: readonly string[] }) {
  const isSame = review === null ? fields.length === 0 : isNothing(compareContents(review.content, post))
  if (isSame) return <p>{words.unchanged}</p>
  return (
    <>
      <p>{words.changedSince}</p>
      {review === null ? (
        <ul class="bullets">
          {fields.map((field) => (
            <li key={field}>{field}</li>
          ))}
        </ul>
      ) : (
        <DifferenceView before={review.content} now={post} />
      )}
    </>
  )
}
