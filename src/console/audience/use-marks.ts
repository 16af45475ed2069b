import { useQueryClient } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import type { AudienceRow, ChangedVipMarks, VipMarksChange } from '../../interface/generated/types.ts'
import { call, setVipMark } from '../api.ts'
import { useOrganization } from '../organization.ts'
import { announce } from '../ui.tsx'
import { useAct } from '../use-act.ts'
import { audience as words } from '../words.ts'
import { nameOf } from './person.tsx'

/** The VIP marks of a channel's people in a workspace. */
export interface Marks {
  isVip: (row: AudienceRow) => boolean
  /** True while the mark is being changed. */
  isBusy: (row: AudienceRow) => boolean
  /** True for a person unmarked here, who stays in the list of VIPs until it is reloaded. */
  isUnmarked: (row: AudienceRow) => boolean
  /** The error of the last change of the person's mark. */
  errorOf: (row: AudienceRow) => unknown
  set: (row: AudienceRow, vip: boolean) => Promise<void>
  /** Changes several marks together. */
  together: Together
  /** Call when the list is reloaded. */
  forget: () => void
}

interface Together {
  busy: boolean
  error: unknown
  /** The last change, if it changed anything. */
  last: ChangedVipMarks | undefined
  change: (body: VipMarksChange) => Promise<boolean>
  /** Undoes exactly what the last change did. */
  undo: () => Promise<boolean>
}

interface Place {
  workspaceId: string
  channelId: string
}

/** With `isAll` unmarked rows stay; otherwise they leave the list. */
export function useMarks({ workspaceId, channelId, isAll }: Place & { isAll: boolean }): Marks {
  const { id: organizationId } = useOrganization()
  const client = useQueryClient()
  const [changing, setChanging] = useState<ReadonlySet<string>>(new Set())
  const [marked, setMarked] = useState<ReadonlyMap<string, boolean>>(new Map())
  const [refused, setRefused] = useState<{ id: string; error: unknown }>()
  const isVip = ({ conversationId, vip }: AudienceRow): boolean => marked.get(conversationId) ?? vip
  /** Records the new marks until the list catches up. */
  const note = async (changed: readonly (readonly [id: string, vip: boolean])[]): Promise<void> => {
    setMarked((before) => new Map([...before, ...changed]))
    await client.invalidateQueries({ queryKey: ['people', organizationId] })
    // A new list of VIPs no longer contains unmarked people, so their state must be kept here.
    const isKept = (vip: boolean): boolean => !isAll && !vip
    setMarked(
      (before) => new Map([...before].filter(([id, vip]) => isKept(vip) || !changed.some(([one]) => one === id))),
    )
  }
  const together = useTogether({ workspaceId, channelId }, note)
  const set = async (row: AudienceRow, vip: boolean): Promise<void> => {
    const { conversationId } = row
    if (changing.has(conversationId)) return
    setChanging((before) => withId(before, conversationId, true))
    setRefused(undefined)
    try {
      await setVipMark(organizationId, { workspaceId, channelId, conversationId, vip })
      announce(vip ? words.marked({ name: nameOf(row) }) : words.unmarked({ name: nameOf(row) }))
      await note([[conversationId, vip]])
    } catch (error) {
      setRefused({ id: conversationId, error })
    }
    setChanging((before) => withId(before, conversationId, false))
  }
  return {
    isVip,
    isBusy: ({ conversationId }) => changing.has(conversationId),
    isUnmarked: (row) => !isAll && !isVip(row),
    errorOf: ({ conversationId }) => (refused?.id === conversationId ? refused.error : undefined),
    set,
    together,
    forget: () => setMarked(new Map()),
  }
}

/** Changes marks together and undoes the last change. */
function useTogether(
  { workspaceId, channelId }: Place,
  note: (changed: readonly (readonly [id: string, vip: boolean])[]) => Promise<void>,
): Together {
  const { id: organizationId } = useOrganization()
  const { busy, error, act } = useAct()
  const [last, setLast] = useState<ChangedVipMarks>()
  const change = (body: VipMarksChange): Promise<boolean> =>
    act(async () => {
      const changed = await call('changeVipMarks', { organizationId, workspaceId, channelId, body })
      const { marked, unmarked } = changed
      await note([...marked.map((id) => [id, true] as const), ...unmarked.map((id) => [id, false] as const)])
      setLast(marked.length + unmarked.length === 0 ? undefined : changed)
      announce(describeMarks(changed))
    })
  const undo = async (): Promise<boolean> => {
    if (last === undefined) return false
    const isDone = await change({ mark: last.unmarked, unmark: last.marked })
    if (isDone) setLast(undefined)
    return isDone
  }
  return { busy, error, last, change, undo }
}

function withId(ids: ReadonlySet<string>, id: string, isIn: boolean): ReadonlySet<string> {
  const next = new Set(ids)
  if (isIn) next.add(id)
  else next.delete(id)
  return next
}

export const describeMarks = ({ marked, unmarked }: ChangedVipMarks): string =>
  [
    ...(marked.length > 0 ? [words.markedTogether({ many: marked.length })] : []),
    ...(unmarked.length > 0 ? [words.unmarkedTogether({ many: unmarked.length })] : []),
  ].join(' ') || words.nothingChanged
