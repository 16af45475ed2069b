import { isEditable } from '../../interface/post-status.ts'
import type { ScheduledPost } from '../../interface/posts.ts'
import { Icon } from '../icons.tsx'
import { hrefOf } from '../navigation.ts'
import { nameOf } from '../posts/post-text.ts'
import { useOrganization } from '../session.tsx'
import { formatInstant } from '../times.ts'
import { common } from '../words.ts'
import { words } from './words.ts'

/** The type under which a drag carries the id of a post. */
export const DRAG_TYPE = 'application/x-greenroom-post'

/** A post on a day: state by shape and word, time, text. It opens by a click, moves by a drag, by M, or by its button. */
export function Chip({
  post,
  timeZone,
  canMove,
  tabIndex,
  onMove,
}: {
  post: ScheduledPost
  timeZone: string
  canMove: boolean
  tabIndex: 0 | -1
  onMove: (post: ScheduledPost) => void
}) {
  const { id: organizationId } = useOrganization()
  const moves = canMove && isEditable(post.status)
  const time = post.scheduledFor === undefined ? undefined : formatInstant(post.scheduledFor, timeZone, 'time')
  return (
    <div class={`chip status-${post.status.toLowerCase()}`}>
      <a
        href={hrefOf(organizationId, 'posts', [post.id])}
        tabIndex={tabIndex}
        draggable={moves}
        title={`${common.status[post.status]} · ${nameOf(post)}`}
        onDragStart={(event) => {
          event.dataTransfer?.setData(DRAG_TYPE, post.id)
          if (event.dataTransfer) event.dataTransfer.effectAllowed = 'move'
        }}
        onKeyDown={(event) => {
          if (event.key.toLowerCase() !== 'm' || !moves || event.ctrlKey || event.metaKey) return
          event.preventDefault()
          onMove(post)
        }}
      >
        <Icon name={post.status} />
        <span class="hidden">{common.status[post.status]} </span>
        {time !== undefined && <span class="chip-time">{time}</span>} <span dir="auto">{nameOf(post)}</span>
      </a>
      {moves && (
        <button
          type="button"
          class="chip-move"
          tabIndex={tabIndex}
          aria-label={words.moveOne(nameOf(post))}
          onClick={() => onMove(post)}
        >
          <Icon name="SCHEDULED" />
        </button>
      )}
    </div>
  )
}
