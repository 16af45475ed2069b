import { useQueryClient } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import type { ScheduledPost } from '../../interface/posts.ts'
import { getScheduledPost, updateScheduledPost } from '../api.ts'
import { now } from '../clock.ts'
import { addDays } from '../days.ts'
import { FormDialog } from '../forms.tsx'
import { Icon } from '../icons.tsx'
import { useOrganization } from '../organization.ts'
import { isSamePost, nameOf, refreshPosts } from '../posts/post-text.ts'
import { ScheduleField, useSchedule } from '../posts/schedule-field.tsx'
import { formatInstant } from '../times.ts'
import { Button } from '../ui.tsx'
import { useAct } from '../use-act.ts'
import { common } from '../words.ts'
import { readWallTime, startOfDay, toDay, toWallTime } from '../zoned.ts'
import { words } from './words.ts'

/** A move that can be undone: `etag` is the version of the post after it. */
interface Move {
  post: ScheduledPost
  from: string | undefined
  etag: string
}

/** Moves posts to other times: `ask` opens a dialog, `drop` moves to another day. The last move can be undone. */
export function useMoves() {
  const { id: organizationId, timeZone } = useOrganization()
  const client = useQueryClient()
  const { error, act } = useAct()
  const [asked, setAsked] = useState<{ post: ScheduledPost; time: string }>()
  const [last, setLast] = useState<Move>()
  const close = (): void => setAsked(undefined)
  /** Gives the post another time, if it is still the one that is shown. */
  const move = async (shown: ScheduledPost, scheduledFor: string): Promise<void> => {
    close()
    const isMoved = await act(async () => {
      const read = await getScheduledPost(organizationId, shown.id)
      if (!isSamePost(read.post, shown)) {
        await refreshPosts(client)
        throw new Error(words.changedMeanwhile)
      }
      const { post, etag } = await updateScheduledPost(organizationId, shown.id, read.etag, { scheduledFor })
      await refreshPosts(client)
      setLast({ post, from: shown.scheduledFor, etag })
    })
    if (!isMoved) setLast(undefined)
  }
  /** Moves it back, unless it was changed since. */
  const undo = async ({ post, from, etag }: Move): Promise<void> => {
    await act(async () => {
      await updateScheduledPost(organizationId, post.id, etag, { scheduledFor: from ?? null })
      await refreshPosts(client)
    }, words.movedBack)
    setLast(undefined)
  }
  const ask = (post: ScheduledPost): void => {
    const tomorrow = startOfDay(addDays(toDay(now(), timeZone), 1), timeZone)
    setAsked({ post, time: toWallTime(post.scheduledFor ?? tomorrow, timeZone) })
  }
  /** Moves to the same time of another day; asks where that time does not exist there, occurs twice or has passed. */
  const drop = (post: ScheduledPost, day: string): void => {
    if (post.scheduledFor === undefined || toDay(post.scheduledFor, timeZone) === day) return
    const time = `${day}T${toWallTime(post.scheduledFor, timeZone).slice(11)}`
    const read = readWallTime(time, timeZone)
    if (read?.kind === 'once' && Date.parse(read.instant) > now()) void move(post, read.instant)
    else setAsked({ post, time })
  }
  const dialogs = (
    <>
      {/* Screen readers tell a change only of what was there before. */}
      <div class={last === undefined ? '' : 'undo'} role="status">
        {last !== undefined && (
          <>
            <p>{words.moved(formatInstant(last.post.scheduledFor ?? '', timeZone))}</p>
            <Button kind="small" onClick={() => void undo(last)}>
              {common.undo}
            </Button>
            <Button kind="icon-button" aria-label={common.close} onClick={() => setLast(undefined)}>
              <Icon name="close" />
            </Button>
          </>
        )}
      </div>
      {asked && <MoveDialog {...asked} onClose={close} onMove={(instant) => void move(asked.post, instant)} />}
    </>
  )
  return { error, ask, drop, dialogs }
}

interface MoveDialogProps {
  post: ScheduledPost
  /** On the wall clock, to begin with. */
  time: string
  onClose: () => void
  onMove: (instant: string) => void
}

/** Asks for another time: what dragging does, by keyboard, and where a dropped time does not exist or comes twice. */
function MoveDialog({ post, time, onClose, onMove }: MoveDialogProps) {
  const { field, instant } = useSchedule(time)
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
