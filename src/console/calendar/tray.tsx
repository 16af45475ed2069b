import { useState } from 'preact/hooks'
import type { CalendarPost } from '../../interface/generated/types.ts'
import { hrefOf, useUrlQuery } from '../navigation.ts'
import { useOrganization } from '../organization.ts'
import { nameOfText } from '../posts/post-text.ts'
import { Button } from '../ui.tsx'
import { calendar as words } from '../words.ts'
import { Chip, DRAG_TYPE, type PostActions } from './chip.tsx'

/** Posts shown; the rest are behind a link to the list. */
const SHOWN_MAX = 24

interface TrayProps {
  posts: readonly CalendarPost[]
  actions: PostActions
  /** `id` is the dropped post, which loses its time. */
  onDrop: (id: string) => void
}

/** Posts without a time. Drag one onto a day or use its button to schedule it; drop a post here to unschedule it. */
export function Tray({ posts, actions, onDrop }: TrayProps) {
  const { id: organizationId, mayAnywhere } = useOrganization()
  const { query } = useUrlQuery()
  const [isOver, setIsOver] = useState(false)
  const mayPlan = mayAnywhere('posts:write')
  return (
    <section
      class={`tray card ${isOver ? 'day-over' : ''}`}
      aria-labelledby="tray-name"
      onDragOver={(event) => {
        if (!mayPlan || !event.dataTransfer?.types.includes(DRAG_TYPE)) return
        event.preventDefault()
        setIsOver(true)
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setIsOver(false)
        const id = event.dataTransfer?.getData(DRAG_TYPE)
        if (id) onDrop(id)
      }}
    >
      <h2 id="tray-name">{words.tray}</h2>
      <p class="quiet small-text">{posts.length === 0 ? words.trayEmpty : mayPlan && words.trayHint}</p>
      {posts.length > 0 && (
        <ul>
          {posts.slice(0, SHOWN_MAX).map((post) => (
            <li key={post.id}>
              <Chip post={post} actions={actions} tabIndex={0} />
              {mayPlan && (
                <Button kind="small" of={nameOfText(post.text)} onClick={() => actions.onMove(post)}>
                  {words.plan}
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {posts.length > SHOWN_MAX && (
        <a href={hrefOf(organizationId, 'calendar', [], { ...query, view: 'list' })}>
          {words.moreOnDay({ many: posts.length - SHOWN_MAX })}
        </a>
      )}
    </section>
  )
}
