import { useQueryClient } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import { undoDecision, type VersionedPost } from '../api.ts'
import { Icon } from '../icons.tsx'
import { useOrganization } from '../organization.ts'
import { refreshPosts } from '../posts/post-text.ts'
import { Refusal } from '../refusal.tsx'
import { Button, Key, Note } from '../ui.tsx'
import { useAct } from '../use-act.ts'
import { common, approvals as words } from '../words.ts'

/** Decisions made together: the posts as they are afterwards. */
interface Decisions {
  text: string
  posts: readonly VersionedPost[]
}

/** Keeps the last decisions, which can be undone until the publisher claims the posts. */
export function useDecided(onUndone: (postIds: string[]) => void) {
  const { id: organizationId } = useOrganization()
  const client = useQueryClient()
  const { busy, error, act, forgetError } = useAct({ onSettled: () => refreshPosts(client) })
  const [last, setLast] = useState<Decisions>()
  const show = (decisions: Decisions | undefined): void => {
    forgetError()
    setLast(decisions)
  }
  /** Undoes what it can; the rest stays, with the first refusal as the reason. */
  const undo = (): Promise<unknown> =>
    act(async () => {
      const kept: VersionedPost[] = []
      const reasons: unknown[] = []
      for (const version of last?.posts ?? []) {
        try {
          await undoDecision(organizationId, version.post.id, version.etag)
        } catch (thrown) {
          kept.push(version)
          reasons.push(thrown)
        }
      }
      const undone = (last?.posts ?? []).filter((version) => !kept.includes(version))
      setLast(kept.length === 0 ? undefined : { text: words.notUndone({ many: kept.length }), posts: kept })
      for (const { post } of undone) await client.invalidateQueries({ queryKey: ['post', organizationId, post.id] })
      if (undone.length > 0) onUndone(undone.map(({ post }) => post.id))
      if (reasons.length > 0) throw reasons[0]
    })
  return { last, busy, error, show, undo }
}

export type Decided = ReturnType<typeof useDecided>

/** Says what was last decided, with an Undo button. It is placed where the decision changes the page anyway. */
export function DecidedNote({ decided: { last, busy, error, show, undo } }: { decided: Decided }) {
  const close = (): void => {
    show(undefined)
    // The button disappears with the note, so focus moves to the post, or to the page.
    const heading = document.getElementById('review-title') ?? document.querySelector('h1')
    heading?.focus({ preventScroll: true })
  }
  return (
    // Screen readers announce changes only inside elements that already exist.
    <div class="decided" role="status">
      {last !== undefined && (
        <Note kind="good">
          <p>{last.text}</p>
          <div class="actions">
            <Button kind="small" disabled={busy} onClick={() => void undo()}>
              {common.undo} <Key name="U" />
            </Button>
            <Button kind="icon-button" aria-label={common.close} onClick={close}>
              <Icon name="close" />
            </Button>
          </div>
          <Refusal error={error} />
        </Note>
      )}
    </div>
  )
}
