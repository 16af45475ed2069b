import type { CalendarPost } from '../../interface/generated/types.ts'
import { FormDialog } from '../forms.tsx'
import { nameOfText } from '../posts/post-text.ts'
import { ScheduleField, useSchedule } from '../posts/schedule-field.tsx'
import { Button } from '../ui.tsx'
import { calendar as words } from '../words.ts'

interface MoveDialogProps {
  post: CalendarPost
  /** The initial wall-clock time. */
  time: string
  onClose: () => void
  onMove: (instant: string) => Promise<void>
  /** Absent if the post must keep a time. */
  onTakeOut: ((post: CalendarPost) => void) | undefined
}

/** Asks for a new time: the keyboard's way to drag, and the fallback if a dropped time does not exist or occurs twice. */
export function MoveDialog({ post, time, onClose, onMove, onTakeOut }: MoveDialogProps) {
  const { field, instant } = useSchedule(time)
  return (
    <FormDialog
      title={post.scheduledFor === undefined ? words.planTitle : words.moveTitle}
      submit={post.scheduledFor === undefined ? words.planSubmit : words.move}
      disabled={instant === undefined}
      onSubmit={async () => instant !== undefined && (await onMove(instant))}
      onClose={onClose}
    >
      <p class="quiet" dir="auto">
        {nameOfText(post.text)}
      </p>
      <ScheduleField {...field} />
      {onTakeOut && (
        <Button kind="plain small" onClick={() => onTakeOut(post)}>
          {words.takeOut}
        </Button>
      )}
    </FormDialog>
  )
}
