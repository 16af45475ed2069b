import { useQueryClient } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import type { VipUser } from '../../interface/audience.ts'
import { setVipMark } from '../api.ts'
import { useOrganization } from '../session.tsx'
import { announce } from '../ui.tsx'
import type { Act } from '../use-act.ts'
import { usePolled } from '../use-read.ts'
import { nameOf } from './person.tsx'
import { readMarks } from './read-people.ts'
import { words } from './words.ts'

/** The VIP marks of a channel's people in a workspace. */
export interface Marks {
  isVip: (row: VipUser) => boolean
  /** True while the mark changes, or is not known. */
  isBusy: (row: VipUser) => boolean
  set: (row: VipUser, vip: boolean) => Promise<void>
}

/** `isAll`: rows may be unmarked, and do not say so, so that the ids of all who are marked are read. */
export function useMarks({
  workspaceId,
  channelId,
  isAll,
  act,
  onMarked,
}: {
  workspaceId: string
  channelId: string
  isAll: boolean
  act: Act
  onMarked: () => void
}): Marks {
  const { id: organizationId } = useOrganization()
  const client = useQueryClient()
  const [changing, setChanging] = useState<ReadonlySet<string>>(new Set())
  const marked = usePolled(
    ['marks', organizationId, workspaceId, channelId],
    ({ signal }) => readMarks(organizationId, { workspaceId, mediumId: channelId }, signal),
    { enabled: isAll },
  )
  const set = async (row: VipUser, vip: boolean): Promise<void> => {
    const { conversationId } = row
    setChanging((before) => new Set([...before, conversationId]))
    await act(async () => {
      await setVipMark(organizationId, { workspaceId, channelId, conversationId, vip })
      announce(vip ? words.marked(nameOf(row)) : words.unmarked(nameOf(row)))
      onMarked()
      await Promise.all(
        ['people', 'marks'].map((name) => client.invalidateQueries({ queryKey: [name, organizationId] })),
      )
    })
    setChanging((before) => new Set([...before].filter((id) => id !== conversationId)))
  }
  return {
    isVip: ({ conversationId }) => !isAll || (marked.data?.has(conversationId) ?? false),
    isBusy: ({ conversationId }) => changing.has(conversationId) || (isAll && marked.data === undefined),
    set,
  }
}
