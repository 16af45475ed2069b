import { useState } from 'preact/hooks'
import type { ScheduledPost } from '../../interface/posts.ts'
import { FormDialog } from '../forms.tsx'
import { nameOf } from '../posts/post-text.ts'
import { instantOf, problemOfTime, ScheduleField } from '../posts/schedule-field.tsx'
import { useNow } from '../use-now.ts'
import { words } from './words.ts'

/** Asks for another time of a post: what dragging does, by keyboard, and where a dropped time does not exist or comes twice. */
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
  const [value, setValue] = useState(time)
  const [occurrence, setOccurrence] = useState<'earlier' | 'later' | ''>('')
  const nowMs = useNow()
  const instant = instantOf(value, occurrence, timeZone)
  const isGood = instant !== undefined && problemOfTime(value, occurrence, timeZone, nowMs) === undefined
  return (
    <FormDialog
      title={words.moveTitle}
      submit={words.move}
      disabled={!isGood}
      onSubmit={() => isGood && onMove(instant)}
      onClose={onClose}
    >
      <p class="quiet" dir="auto">
        {nameOf(post)}
      </p>
      <ScheduleField
        time={value}
        occurrence={occurrence}
        timeZone={timeZone}
        onChange={(next, which) => {
          setValue(next)
          setOccurrence(which)
        }}
      />
    </FormDialog>
  )
}
