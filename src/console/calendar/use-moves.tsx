import { useQueryClient } from '@tanstack/preact-query'
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { CalendarPost } from '../../interface/generated/types.ts'
import { updateScheduledPost } from '../api.ts'
import { now } from '../clock.ts'
import { addDays } from '../days.ts'
import { Icon } from '../icons.tsx'
import { useOrganization } from '../organization.ts'
import { failureOf, nameOfText, refreshPosts } from '../posts/post-text.ts'
import { Refusal } from '../refusal.tsx'
import { formatInstant } from '../times.ts'
import { Button } from '../ui.tsx'
import { isConflict, useAct } from '../use-act.ts'
import { common, calendar as words } from '../words.ts'
import { readWallTime, startOfDay, toDay, toWallTime } from '../zoned.ts'
import { MoveDialog } from './move-dialog.tsx'

/** A move that can be undone. `etag` is the version of the post after it. */
interface Move {
  before: CalendarPost
  /** Undefined for a post that was unscheduled. */
  scheduledFor: string | undefined
  etag: string
}

/** The moves of one action, and why others were refused. */
interface Outcome {
  moves: Move[]
  refused: string[]
}

/** A post before its move. `note` is shown in its old place, with a button that moves it back. */
export interface Moved {
  post: CalendarPost
  note: ComponentChildren
}

/** Moves each post that has not changed since, and collects the refusals. */
async function moveAll(organizationId: string, targets: readonly Target[]): Promise<Outcome & { error: unknown }> {
  const outcome: Outcome & { error: unknown } = { moves: [], refused: [], error: undefined }
  for (const { post, etag, scheduledFor } of targets) {
    try {
      const changed = await updateScheduledPost(organizationId, post.id, etag, { scheduledFor: scheduledFor ?? null })
      outcome.moves.push({ before: post, scheduledFor, etag: changed.etag })
    } catch (error) {
      outcome.error = error
      outcome.refused.push(refusalOf(post, isConflict(error) ? words.changed : failureOf(error)))
    }
  }
  return outcome
}

/** The last action: its note, its Undo button, and the focus if the move has lost it. */
function useLastMove() {
  const { id: organizationId, timeZone } = useOrganization()
  const client = useQueryClient()
  const { busy, error, act, forgetError } = useAct()
  const [last, setLast] = useState<Outcome>()
  const undoButton = useRef<HTMLButtonElement>(null)
  const lastId = useRef<string>()
  const isFirst = useRef(true)
  // The move, or the note's removal, may lose the focus; continue from what is in that place now.
  useLayoutEffect(() => {
    if (last !== undefined) lastId.current = last.moves[0]?.before.id
    const isLost = document.activeElement === document.body && !isFirst.current
    isFirst.current = false
    if (!isLost) return
    if (last !== undefined) undoButton.current?.focus({ preventScroll: true })
    else document.querySelector<HTMLElement>(`main a[href$="/posts/${lastId.current}"]`)?.focus({ preventScroll: true })
  }, [last])
  const show = (outcome: Outcome | undefined): void => {
    forgetError()
    setLast(outcome)
  }
  /** Undoes all moves of posts that have not changed since; the rest stay, with the reason. */
  const undo = ({ moves }: Outcome): Promise<unknown> =>
    act(async () => {
      const back = moves.map(({ before, etag }) => ({ post: before, etag, scheduledFor: before.scheduledFor }))
      const undone = await moveAll(organizationId, back)
      await refreshPosts(client)
      if (undone.refused.length === 0) return show(undefined)
      const isBack = new Set(undone.moves.map(({ before }) => before.id))
      setLast({ moves: moves.filter(({ before }) => !isBack.has(before.id)), refused: [] })
      throw moves.length === 1 ? undone.error : new Error(words.notMovedBack(toRefused(undone.refused)))
    }, words.movedBack)
  const text = last === undefined ? '' : describeMoves(last, timeZone)
  const first = last?.moves[0]
  const moved: Moved | undefined = last &&
    first && {
      post: first.before,
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

function describeMoves({ moves, refused }: Outcome, timeZone: string): string {
  const [{ before, scheduledFor } = { before: undefined, scheduledFor: undefined }] = moves
  const moved =
    moves.length > 1
      ? words.movedMany({ many: moves.length })
      : scheduledFor === undefined
        ? words.takenOut({ name: nameOfText(before?.text ?? '') })
        : words.moved({ time: formatInstant(scheduledFor, timeZone) })
  return refused.length === 0 ? moved : `${moved} ${words.notMoved(toRefused(refused))}`
}

const refusalOf = (post: CalendarPost, reason: string): string =>
  words.refusedOne({ name: nameOfText(post.text), reason: reason.replace(/\.$/, '') })

const toRefused = (refused: readonly string[]) => ({ many: refused.length, refused: refused.join('; ') })

interface Target {
  post: CalendarPost
  etag: string
  /** Undefined unschedules the post. */
  scheduledFor: string | undefined
}

/** Returns each post's time that many days later, or why that is not possible. */
function planShift(posts: readonly CalendarPost[], days: number, timeZone: string) {
  const targets: Target[] = []
  const problems: string[] = []
  for (const post of posts) {
    const to = readShifted(post, days, timeZone)
    if ('instant' in to) targets.push({ post, etag: post.etag, scheduledFor: to.instant })
    else problems.push(refusalOf(post, to.problem))
  }
  return { targets, problems }
}

/** Returns the instant of the same time on another day, or why the post cannot go out then. */
function readShifted(post: CalendarPost, days: number, timeZone: string): { instant: string } | { problem: string } {
  const wall = toWallTime(post.scheduledFor!, timeZone)
  const read = readWallTime(`${addDays(wall.slice(0, 'YYYY-MM-DD'.length), days)}${wall.slice(10)}`, timeZone)
  if (read?.kind === 'twice') return { problem: words.timeTwice }
  if (read?.kind !== 'once') return { problem: words.timeNever }
  return Date.parse(read.instant) > now() ? { instant: read.instant } : { problem: words.timePast }
}

/**
 * Reschedules posts: `ask` opens a dialog, `drop` moves to another day, `shift` moves several by days, `takeOut` clears the
 * time. The last action can be undone. `timeFor` proposes a time for an unscheduled post, on a given day or soon.
 */
export function useMoves(timeFor: (post: CalendarPost, day?: string) => string | undefined) {
  const { id: organizationId, timeZone } = useOrganization()
  const client = useQueryClient()
  const { busy, error, act } = useAct()
  const [asked, setAsked] = useState<{ post: CalendarPost; time: string }>()
  const { text, moved, show } = useLastMove()
  /** Reschedules the post if it has not changed since. */
  const move = async (post: CalendarPost, scheduledFor: string | undefined): Promise<void> => {
    const outcome = await moveAll(organizationId, [{ post, etag: post.etag, scheduledFor }])
    await refreshPosts(client)
    if (outcome.refused.length > 0) {
      throw isConflict(outcome.error) ? new Error(words.changedMeanwhile) : outcome.error
    }
    // In one batch with the move, so that the focus lost by closing the dialog is noticed.
    setAsked(undefined)
    show(outcome)
  }
  const ask = (post: CalendarPost): void => {
    const tomorrow = startOfDay(addDays(toDay(now(), timeZone), 1), timeZone)
    const time = post.scheduledFor === undefined ? timeFor(post) : undefined
    setAsked({ post, time: time ?? toWallTime(post.scheduledFor ?? tomorrow, timeZone) })
  }
  /** Moves to the same time on another day. Asks if that time does not exist there, occurs twice, or has passed. */
  const drop = (post: CalendarPost, day: string): void => {
    if (post.scheduledFor !== undefined && toDay(post.scheduledFor, timeZone) === day) return
    const time = timeOnDay(post, day, timeZone) ?? timeFor(post, day) ?? `${day}T00:00`
    const read = readWallTime(time, timeZone)
    if (read?.kind === 'once' && Date.parse(read.instant) > now()) void act(() => move(post, read.instant))
    else setAsked({ post, time })
  }
  const takeOut = (post: CalendarPost): void => {
    setAsked(undefined)
    if (post.scheduledFor === undefined) return
    void act(async () => {
      if (!canTakeOut(post)) throw new Error(words.takeOutRefused({ status: common.status[post.status] }))
      await move(post, undefined)
    })
  }
  const shift = (posts: readonly CalendarPost[], days: number): void =>
    void act(async () => {
      const { targets, problems } = planShift(posts, days, timeZone)
      const { moves, refused } = await moveAll(organizationId, targets)
      await refreshPosts(client)
      const all = [...problems, ...refused]
      if (moves.length === 0) throw new Error(words.notMoved(toRefused(all)))
      show({ moves, refused: all })
    })
  const dialogs = (
    <>
      {/* Screen readers tell a change only of what was there before. */}
      <div class="hidden" role="status">
        {text}
      </div>
      {asked && (
        <MoveDialog
          {...asked}
          onClose={() => setAsked(undefined)}
          onMove={(instant) => move(asked.post, instant)}
          onTakeOut={asked.post.scheduledFor !== undefined && canTakeOut(asked.post) ? takeOut : undefined}
        />
      )}
    </>
  )
  return { busy, error, ask, drop, shift, takeOut, moved, dialogs }
}

/** Returns the post's own time on another day. */
const timeOnDay = ({ scheduledFor }: CalendarPost, day: string, timeZone: string): string | undefined =>
  scheduledFor && `${day}T${toWallTime(scheduledFor, timeZone).slice(11)}`

/** Waiting and scheduled posts must have a time. */
const canTakeOut = ({ status }: CalendarPost): boolean => status === 'DRAFT' || status === 'REJECTED'
