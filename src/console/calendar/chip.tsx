import { isEditable } from '../../interface/post-status.ts'
import type { ScheduledPost } from '../../interface/posts.ts'
import { Icon } from '../icons.tsx'
import { hrefOf } from '../navigation.ts'
import { useOrganization } from '../organization.ts'
import { nameOf } from '../posts/post-text.ts'
import { formatInstant } from '../times.ts'
import { common } from '../words.ts'
import { words } from './words.ts'

/** The type under which a drag carries the id of a post. */
export const DRAG_TYPE = 'application/x-greenroom-post'

interface PostProps {
  post: ScheduledPost
  onMove: (post: ScheduledPost) => void
}

/** True where this person may give the post another time. */
const useIsMovable = ({ status }: ScheduledPost): boolean => useOrganization().may('posts:write') && isEditable(status)

/** Asks for another time of a post; absent where it has to stay. */
export function MoveButton({ post, onMove, ...attributes }: PostProps & { class: string; tabIndex?: number }) {
  if (!useIsMovable(post)) return null
  return (
    <button type="button" {...attributes} aria-label={words.moveOne(nameOf(post))} onClick={() => onMove(post)}>
      <Icon name="SCHEDULED" />
    </button>
  )
}

/** A post on a day: state by shape and word, time, text. It opens by a click, moves by a drag, by M, or by its button. */
export function Chip({ post, onMove, tabIndex }: PostProps & { tabIndex: 0 | -1 }) {
  const { id: organizationId, timeZone } = useOrganization()
  const isMovable = useIsMovable(post)
  return (
    <div class={`chip status-${post.status.toLowerCase()}`}>
      <a
        href={hrefOf(organizationId, 'posts', [post.id])}
        tabIndex={tabIndex}
        draggable={isMovable}
        title={`${common.status[post.status]} · ${nameOf(post)}`}
        onDragStart={(event) => {
          event.dataTransfer?.setData(DRAG_TYPE, post.id)
          if (event.dataTransfer) event.dataTransfer.effectAllowed = 'move'
        }}
        onKeyDown={(event) => {
          if (event.key.toLowerCase() !== 'm' || !isMovable || event.ctrlKey || event.metaKey) return
          event.preventDefault()
          onMove(post)
        }}
      >
        <span class="chip-text">
          <Icon name={post.status} />
          <span class="hidden">{common.status[post.status]} </span>
          {post.scheduledFor !== undefined && (
            <span class="chip-time">{formatInstant(post.scheduledFor, timeZone, 'time')}</span>
          )}{' '}
          <span dir="auto">{nameOf(post)}</span>
        </span>
      </a>
      <MoveButton class="chip-move" post={post} tabIndex={tabIndex} onMove={onMove} />
    </div>
  )
}
