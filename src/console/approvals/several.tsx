import { useQueryClient } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import type { ScheduledPost } from '../../interface/generated/types.ts'
import { approveScheduledPost, getScheduledPost, rejectScheduledPost, type VersionedPost } from '../api.ts'
import { useMe, useOrganization } from '../organization.ts'
import { SendPosts } from '../outside/send-posts.tsx'
import { channelsOf, failureOf, isSamePost, nameOf, refreshPosts } from '../posts/post-text.ts'
import { keptUnder, preferences } from '../store.ts'
import { Button, Note } from '../ui.tsx'
import { useAct } from '../use-act.ts'
import { outside as outsideWords, approvals as words } from '../words.ts'
import type { Decided } from './decided.tsx'
import { ReturnDialog } from './return-dialog.tsx'

interface LeftPost {
  post: ScheduledPost
  reason: string
}

/** Selects posts, decides about them together, and reports which were skipped. */
export function useSeveral(posts: readonly ScheduledPost[], decided: Decided) {
  const { id: organizationId } = useOrganization()
  const client = useQueryClient()
  const { busy, act } = useAct({ onSettled: () => refreshPosts(client) })
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [left, setLeft] = useState<LeftPost[]>([])
  const chosen = posts.filter(({ id }) => selected.has(id))
  const toggle = (id: string): void =>
    setSelected((before) => {
      const next = new Set(before)
      if (!next.delete(id)) next.add(id)
      return next
    })
  /** Decides about each selected post that has not changed since; returns whether all were decided. */
  const decide = async (
    call: (version: VersionedPost) => Promise<VersionedPost>,
    done: (many: number) => string,
  ): Promise<boolean> => {
    const notDone: LeftPost[] = []
    await act(async () => {
      const isDone: VersionedPost[] = []
      for (const post of chosen) {
        try {
          const read = await getScheduledPost(organizationId, post.id)
          if (!isSamePost(read.post, post)) throw new Error(words.changedMeanwhile)
          isDone.push(await call(read))
        } catch (error) {
          notDone.push({ post, reason: failureOf(error) })
        }
      }
      setLeft(notDone)
      setSelected(new Set(notDone.map(({ post }) => post.id)))
      if (isDone.length > 0) decided.show({ text: done(isDone.length), posts: isDone })
    })
    return notDone.length === 0
  }
  return {
    many: chosen.length,
    ids: chosen.map(({ id }) => id),
    channelIds: chosen.flatMap(channelsOf),
    left,
    busy,
    isSelected: ({ id }: ScheduledPost): boolean => selected.has(id),
    toggle,
    clear: () => setSelected(new Set()),
    forgetLeft: () => setLeft([]),
    approve: () =>
      decide(
        ({ post, etag }) => approveScheduledPost(organizationId, post.id, etag),
        (many) => words.approvedMany({ many }),
      ),
    giveBack: (notes: string) =>
      decide(
        ({ post, etag }) => rejectScheduledPost(organizationId, post.id, etag, { notes }),
        (many) => words.returnedMany({ many }),
      ),
  }
}

export type Several = ReturnType<typeof useSeveral>

/** Says which posts were skipped, and why. */
export function Left({ several: { left, forgetLeft } }: { several: Several }) {
  if (left.length === 0) return null
  return (
    <Note kind="warn" role="alert">
      <p>{words.notDone({ many: left.length })}</p>
      <ul>
        {left.map(({ post, reason }) => (
          <li key={post.id}>
            {nameOf(post)}: {reason}
          </li>
        ))}
      </ul>
      <Button kind="small" onClick={forgetLeft}>
        {words.clear}
      </Button>
    </Note>
  )
}

/** The buttons for the selected posts, shown while any are selected. */
export function Selection({ several }: { several: Several }) {
  const { many, ids, channelIds, busy, clear, approve, giveBack } = several
  const { id: organizationId, may } = useOrganization()
  const { person } = useMe()
  const [asksNotes, setAsksNotes] = useState(false)
  return (
    <>
      {many > 0 && (
        <div class="selection" role="region" aria-label={words.selected({ many })}>
          <p>{words.selected({ many })}</p>
          <div class="actions">
            {may('posts:approve', channelIds) && (
              <>
                <Button kind="primary" disabled={busy} onClick={() => void approve()}>
                  {words.approveSelected({ many })}
                </Button>
                <Button disabled={busy} onClick={() => setAsksNotes(true)}>
                  {words.returnSelected}
                </Button>
              </>
            )}
            <SendPosts text={outsideWords.sendSelected} {...{ channelIds }} postIds={ids} />
            <Button kind="plain" onClick={clear}>
              {words.clear}
            </Button>
          </div>
        </div>
      )}
      {asksNotes && (
        <ReturnDialog
          many={many}
          draft={keptUnder(preferences, `draft.${person.id}.${organizationId}.return-several`)}
          onClose={() => setAsksNotes(false)}
          onReturn={async (notes) => {
            const isSent = await giveBack(notes)
            setAsksNotes(false)
            return isSent
          }}
        />
      )}
    </>
  )
}
