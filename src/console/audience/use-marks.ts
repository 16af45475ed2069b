import { useQueryClient } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import type { VipUser } from '../../interface/audience.ts'
import { setVipMark } from '../api.ts'
import { useOrganization } from '../organization.ts'
import { announce } from '../ui.tsx'
import { usePolled } from '../use-read.ts'
import { nameOf } from './person.tsx'
import { readMarks } from './read-people.ts'
import { words } from './words.ts'

/** The VIP marks of a channel's people in a workspace. */
export interface Marks {
  isVip: (row: VipUser) => boolean
  /** True while the mark changes, or is not known. */
  isBusy: (row: VipUser) => boolean
  /** True for a person who was unmarked here, and stays in the list of VIPs until it is shown again. */
  isUnmarked: (row: VipUser) => boolean
  /** Why the last change of the person's mark was refused. */
  errorOf: (row: VipUser) => unknown
  set: (row: VipUser, vip: boolean) => Promise<void>
  /** Called where the list is shown again. */
  forget: () => void
}

/** `isAll`: rows may be unmarked, and do not say so, so that the ids of all who are marked are read. */
export function useMarks({
  workspaceId,
  channelId,
  isAll,
}: {
  workspaceId: string
  channelId: string
  isAll: boolean
}): Marks {
  const { id: organizationId } = useOrganization()
  const client = useQueryClient()
  const [changing, setChanging] = useState<ReadonlySet<string>>(new Set())
  const [unmarked, setUnmarked] = useState<ReadonlySet<string>>(new Set())
  const [refused, setRefused] = useState<{ id: string; error: unknown }>()
  const marked = usePolled(
    ['marks', organizationId, workspaceId, channelId],
    ({ signal }) => readMarks(organizationId, { workspaceId, mediumId: channelId }, signal),
    { enabled: isAll },
  )
  const set = async (row: VipUser, vip: boolean): Promise<void> => {
    const { conversationId } = row
    if (changing.has(conversationId)) return
    setChanging((before) => withId(before, conversationId, true))
    setRefused(undefined)
    try {
      await setVipMark(organizationId, { workspaceId, channelId, conversationId, vip })
      announce(vip ? words.marked(nameOf(row)) : words.unmarked(nameOf(row)))
      setUnmarked((before) => withId(before, conversationId, !vip))
      await Promise.all(
        ['people', 'marks'].map((name) => client.invalidateQueries({ queryKey: [name, organizationId] })),
      )
    } catch (error) {
      setRefused({ id: conversationId, error })
    }
    setChanging((before) => withId(before, conversationId, false))
  }
  return {
    isVip: ({ conversationId }) =>
      isAll ? (marked.data?.has(conversationId) ?? false) : !unmarked.has(conversationId),
    isBusy: ({ conversationId }) => changing.has(conversationId) || (isAll && marked.data === undefined),
    isUnmarked: ({ conversationId }) => !isAll && unmarked.has(conversationId),
    errorOf: ({ conversationId }) => (refused?.id === conversationId ? refused.error : undefined),
    set,
    forget: () => setUnmarked(new Set()),
  }
}

function withId(ids: ReadonlySet<string>, id: string, isIn: boolean): ReadonlySet<string> {
  const next = new Set(ids)
  if (isIn) next.add(id)
  else next.delete(id)
  return next
}
