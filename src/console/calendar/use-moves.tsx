import { useQueryClient } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import type { ScheduledPost } from '../../interface/posts.ts'
import { now } from '../clock.ts'
import { addDays } from '../days.ts'
import { Icon } from '../icons.tsx'
import { useOrganization } from '../session.tsx'
import { formatInstant } from '../times.ts'
import { Button } from '../ui.tsx'
import { useAct } from '../use-act.ts'
import { common } from '../words.ts'
import { readWallTime, startOfDay, toDay, toWallTime } from '../zoned.ts'
import { type Move, moveBack, movePost } from './move.ts'
import { MoveDialog } from './move-dialog.tsx'
import { words } from './words.ts'

/** Moves posts to other times: `ask` opens a dialog, `drop` moves to another day. The last move can be undone. */
export function useMoves() {
  const { id: organizationId, timeZone } = useOrganization()
  const client = useQueryClient()
  const { error, act } = useAct()
  const [asked, setAsked] = useState<{ post: ScheduledPost; time: string }>()
  const [last, setLast] = useState<Move>()
  const close = (): void => setAsked(undefined)
  const move = async (post: ScheduledPost, instant: string): Promise<void> => {
    close()
    const isMoved = await act(
      async () => {
        setLast(await movePost(client, organizationId, post, instant))
      },
      words.moved(formatInstant(instant, timeZone)),
    )
    if (!isMoved) setLast(undefined)
  }
  const undo = async (done: Move): Promise<void> => {
    await act(() => moveBack(client, organizationId, done), words.movedBack)
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
      {last !== undefined && <Undo last={last} onUndo={() => void undo(last)} onClose={() => setLast(undefined)} />}
      {asked && (
        <MoveDialog {...asked} timeZone={timeZone} onClose={close} onMove={(to) => void move(asked.post, to)} />
      )}
    </>
  )
  return { error, ask, drop, dialogs }
}

function Undo({ last, onUndo, onClose }: { last: Move; onUndo: () => void; onClose: () => void }) {
  const { timeZone } = useOrganization()
  return (
    <div class="undo" role="status">
      <p>{words.moved(formatInstant(last.post.scheduledFor ?? '', timeZone))}</p>
      {last.from !== undefined && (
        <Button kind="small" onClick={onUndo}>
          {words.undo}
        </Button>
      )}
      <Button kind="icon-button" aria-label={common.close} onClick={onClose}>
        <Icon name="close" />
      </Button>
    </div>
  )
}
