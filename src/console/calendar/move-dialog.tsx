import type { ScheduledPost } from '../../interface/posts.ts'
import { FormDialog } from '../forms.tsx'
import { nameOf } from '../posts/post-text.ts'
import { ScheduleField, useSchedule } from '../posts/schedule-field.tsx'
import { words } from './words.ts'

/**
 * Asks for another time of a post: what dragging does, by keyboard, and where a dropped time does not exist or comes
 * twice.
 */
export function MoveDialog({
  post,
  time,
  timeZone,
  onClose,
  onMove,
}: {
  post: ScheduledPost
  /** On the wall clock, to begin with. */
  time: string
  timeZone: string
  onClose: () => void
  onMove: (instant: string) => void
}) {
  const { field, instant } = useSchedule(timeZone, time)
  return (
    <FormDialog
      title={words.moveTitle}
      submit={words.move}
      disabled={instant === undefined}
      onSubmit={() => instant !== undefined && onMove(instant)}
      onClose={onClose}
    >
      <p class="quiet" dir="auto">
        {nameOf(post)}
      </p>
      <ScheduleField {...field} />
    </FormDialog>
  )
}
