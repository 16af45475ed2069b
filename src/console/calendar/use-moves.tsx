import { useQueryClient } from '@tanstack/preact-query'
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { ScheduledPost } from '../../interface/posts.ts'
import { getScheduledPost, updateScheduledPost } from '../api.ts'
import { now } from '../clock.ts'
import { addDays } from '../days.ts'
import { FormDialog } from '../forms.tsx'
import { Icon } from '../icons.tsx'
import { useOrganization } from '../organization.ts'
import { isSamePost, nameOf, refreshPosts } from '../posts/post-text.ts'
import { ScheduleField, useSchedule } from '../posts/schedule-field.tsx'
import { Refusal } from '../refusal.tsx'
import { formatInstant } from '../times.ts'
import { Button } from '../ui.tsx'
import { useAct } from '../use-act.ts'
import { common } from '../words.ts'
import { readWallTime, startOfDay, toDay, toWallTime } from '../zoned.ts'
import { words } from './words.ts'

/** A move that can be undone: `etag` is the version of the post after it. */
interface Move {
  before: ScheduledPost
  post: ScheduledPost
  etag: string
}

/** A post as it was before its move: `note` says so in its old place, with a button that moves it back. */
export interface Moved {
  post: ScheduledPost
  note: ComponentChildren
}

/** The last move: what says so, with the button that moves back, and with the focus where the move left it nowhere. */
function useLastMove() {
  const { id: organizationId, timeZone } = useOrganization()
  const client = useQueryClient()
  const { busy, error, act, forgetError } = useAct()
  const [last, setLast] = useState<Move>()
  const undoButton = useRef<HTMLButtonElement>(null)
  const lastId = useRef<string>()
  const isFirst = useRef(true)
  // The move, or the end of the note, may take the focus away: the keyboard goes on from what stands there now.
  useLayoutEffect(() => {
    if (last !== undefined) lastId.current = last.post.id
    const isLost = document.activeElement === document.body && !isFirst.current
    isFirst.current = false
    if (!isLost) return
    if (last !== undefined) undoButton.current?.focus({ preventScroll: true })
    else document.querySelector<HTMLElement>(`main a[href$="/posts/${lastId.current}"]`)?.focus({ preventScroll: true })
  }, [last])
  const show = (move: Move | undefined): void => {
    forgetError()
    setLast(move)
  }
  /** Moves it back, unless it was changed since. */
  const undo = ({ before, etag }: Move): Promise<unknown> =>
    act(async () => {
      const scheduledFor = before.scheduledFor ?? null
      await updateScheduledPost(organizationId, before.id, etag, { scheduledFor })
      await refreshPosts(client)
      show(undefined)
    }, words.movedBack)
  const text = last === undefined ? '' : words.moved(formatInstant(last.post.scheduledFor ?? '', timeZone))
  const moved: Moved | undefined = last && {
    post: last.before,
    note: (
      <div class="moved">
        {/* Read as the status of the page. */}
        <p aria-hidden="true">{text}</p>
        <button type="button" class="button small" ref={undoButton} disabled={busy} onClick={() => void undo(last)}>
          {common.undo}
        </button>
        <Button kind="icon-button" aria-label={common.close} onClick={() => show(undefined)}>
          <Icon name="close" />
        </Button>
        <Refusal error={error} />
      </div>
    ),
  }
  return { text, moved, show }
}

/** Moves posts to other times: `ask` opens a dialog, `drop` moves to another day. The last move can be undone. */
export function useMoves() {
  const { id: organizationId, timeZone } = useOrganization()
  const client = useQueryClient()
  const { error, act } = useAct()
  const [asked, setAsked] = useState<{ post: ScheduledPost; time: string }>()
  const { text, moved, show } = useLastMove()
  /** Gives the post another time, if it is still the one that is shown. */
  const move = async (shown: ScheduledPost, scheduledFor: string): Promise<void> => {
    const read = await getScheduledPost(organizationId, shown.id)
    if (!isSamePost(read.post, shown)) {
      await refreshPosts(client)
      throw new Error(words.changedMeanwhile)
    }
    const { post, etag } = await updateScheduledPost(organizationId, shown.id, read.etag, { scheduledFor })
    await refreshPosts(client)
    // Together, so that the focus that the dialog leaves is found lost.
    setAsked(undefined)
    show({ before: shown, post, etag })
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
    if (read?.kind === 'once' && Date.parse(read.instant) > now()) void act(() => move(post, read.instant))
    else setAsked({ post, time })
  }
  const dialogs = (
    <>
      {/* Screen readers tell a change only of what was there before. */}
      <div class="hidden" role="status">
        {text}
      </div>
      {asked && (
        <MoveDialog {...asked} onClose={() => setAsked(undefined)} onMove={(instant) => move(asked.post, instant)} />
      )}
    </>
  )
  return { error, ask, drop, moved, dialogs }
}

interface MoveDialogProps {
  post: ScheduledPost
  /** On the wall clock, to begin with. */
  time: string
  onClose: () => void
  onMove: (instant: string) => Promise<void>
}

/** Asks for another time: what dragging does, by keyboard, and where a dropped time does not exist or comes twice. */
function MoveDialog({ post, time, onClose, onMove }: MoveDialogProps) {
  const { field, instant } = useSchedule(time)
  return (
    <FormDialog
      title={words.moveTitle}
      submit={words.move}
      disabled={instant === undefined}
      onSubmit={async () => instant !== undefined && (await onMove(instant))}
      onClose={onClose}
    >
      <p class="quiet" dir="auto">
        {nameOf(post)}
      </p>
      <ScheduleField {...field} />
    </FormDialog>
  )
}
