import { useState } from 'preact/hooks'
import type { CalendarPost } from '../../interface/generated/types.ts'
import { isEditable } from '../../interface/post-status.ts'
import { OpenThreads } from '../discussion/open-threads.tsx'
import { Icon, type IconName, NamedIcon } from '../icons.tsx'
import { hrefOf, isWebUrl } from '../navigation.ts'
import { useOrganization } from '../organization.ts'
import { nameOfText } from '../posts/post-text.ts'
import { SmallPicture } from '../small-picture.tsx'
import { formatInstant } from '../times.ts'
import { common, textOf, waits as waitWords, calendar as words } from '../words.ts'

/** The drag data type of a post's id. */
export const DRAG_TYPE = 'application/x-greenroom-post'

/** Actions on the posts of a page, and facts that depend on several posts. */
export interface PostActions {
  onMove: (post: CalendarPost) => void
  onToggle: (id: string) => void
  selected: ReadonlySet<string>
  /** Posts less than an hour from another on the same channel. */
  crowded: ReadonlySet<string>
}

interface PostProps {
  post: CalendarPost
  actions: PostActions
}

/** Returns true if this person may reschedule the post. */
function useIsMovable({ status, channels }: CalendarPost): boolean {
  const ids = channels.map(({ id }) => id)
  return useOrganization().may('posts:write', ids) && isEditable(status)
}

/** Opens the dialog to move a post; absent if the post cannot be moved. */
export function MoveButton({ post, actions, ...attributes }: PostProps & { class: string; tabIndex?: number }) {
  if (!useIsMovable(post)) return null
  const label = (post.scheduledFor === undefined ? words.planOne : words.moveOne)({ name: nameOfText(post.text) })
  return (
    <button type="button" {...attributes} aria-label={label} onClick={() => actions.onMove(post)}>
      <Icon name="SCHEDULED" />
    </button>
  )
}

/** Selects a post to move it with others; absent if it cannot be moved or has no time. */
export function SelectBox({ post, actions, tabIndex }: PostProps & { tabIndex?: number }) {
  if (!useIsMovable(post) || post.scheduledFor === undefined) return null
  return (
    <label class="select-box">
      <input
        type="checkbox"
        tabIndex={tabIndex}
        aria-label={words.selectOne({ name: nameOfText(post.text) })}
        checked={actions.selected.has(post.id)}
        onChange={() => actions.onToggle(post.id)}
      />
    </label>
  )
}

/** The post's picture, or its video's poster with a play sign. A picture that fails to load leaves no gap. */
export function Thumbnail({ post: { media, mediaType } }: { post: CalendarPost }) {
  if (media === undefined || !isWebUrl(media)) return null
  const sign = <NamedIcon name="play" label={words.video} />
  return <SmallPicture class="thumb" url={media} isVideo={mediaType === 'VIDEO'} pixels={32} sign={sign} />
}

const NETWORKS: Record<string, IconName | undefined> = { FB_PAGE: 'FB_PAGE', INSTAGRAM_ACCOUNT: 'INSTAGRAM_ACCOUNT' }

/** The networks that a post goes out on, each once. */
export function Networks({ post: { channels } }: { post: CalendarPost }) {
  const types = channels.length === 1 ? [channels[0]!.type] : [...new Set(channels.map(({ type }) => type))]
  return (
    <>
      {types.map((type) => {
        const name = NETWORKS[type]
        return name && <NamedIcon key={type} name={name} label={textOf(common.channelTypes, type)} />
      })}
    </>
  )
}

/** Warns that another post is close. */
export const CrowdedSign = ({ post, actions }: PostProps) =>
  actions.crowded.has(post.id) ? <NamedIcon name="crowded" className="crowded" label={words.crowded} /> : null

/** Says that the post is late, and why. */
export const LateSign = ({ post: { waitsFor } }: Pick<PostProps, 'post'>) =>
  waitsFor === undefined ? null : (
    <NamedIcon name="FAILED" className="late" label={waitWords.late({ reason: waitWords.reasons[waitsFor] })} />
  )

/**
 * A post on a day: status by shape and word, networks, time, text. A click opens it; a drag, M or its button moves it; X,
 * its checkbox, or a click with Ctrl, Cmd or Shift selects it.
 */
export function Chip({ post, actions, tabIndex }: PostProps & { tabIndex: 0 | -1 }) {
  const { id: organizationId, timeZone } = useOrganization()
  const isMovable = useIsMovable(post)
  const isSelected = actions.selected.has(post.id)
  // A month has hundreds of posts, so controls are rendered only on hover or focus.
  const [isNear, setIsNear] = useState(false)
  const toggle = (): void => {
    if (post.scheduledFor !== undefined) actions.onToggle(post.id)
  }
  return (
    <div
      class={`chip status-${post.status.toLowerCase()} ${isSelected ? 'chip-selected' : ''}`}
      onPointerEnter={() => setIsNear(true)}
      onPointerLeave={() => setIsNear(false)}
      onFocusIn={() => setIsNear(true)}
    >
      <a
        href={hrefOf(organizationId, 'posts', [post.id])}
        tabIndex={tabIndex}
        draggable={isMovable}
        title={`${common.status[post.status]} · ${nameOfText(post.text)}`}
        onClick={(event) => {
          if (!isMovable || !(event.ctrlKey || event.metaKey || event.shiftKey)) return
          event.preventDefault()
          toggle()
        }}
        onDragStart={(event) => {
          event.dataTransfer?.setData(DRAG_TYPE, post.id)
          if (event.dataTransfer) event.dataTransfer.effectAllowed = 'move'
        }}
        onKeyDown={(event) => {
          const key = event.key.toLowerCase()
          if ((key !== 'm' && key !== 'x') || !isMovable || event.ctrlKey || event.metaKey) return
          event.preventDefault()
          if (event.repeat) return
          if (key === 'm') actions.onMove(post)
          else toggle()
        }}
      >
        <Thumbnail post={post} />
        <span class="chip-text">
          <Icon name={post.status} />
          <span class="hidden">{common.status[post.status]} </span>
          <Networks post={post} />
          <LateSign post={post} />
          <CrowdedSign post={post} actions={actions} />
          <OpenThreads many={post.openMessages} />
          {post.scheduledFor !== undefined && (
            <span class="chip-time">{formatInstant(post.scheduledFor, timeZone, 'time')}</span>
          )}{' '}
          <span dir="auto">{nameOfText(post.text)}</span>
        </span>
      </a>
      {(isNear || isSelected) && (
        <div class="chip-controls">
          <SelectBox post={post} actions={actions} tabIndex={tabIndex} />
          {isNear && <MoveButton class="chip-move" post={post} actions={actions} tabIndex={tabIndex} />}
        </div>
      )}
    </div>
  )
}
