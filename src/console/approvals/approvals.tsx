import { useQueryClient } from '@tanstack/preact-query'
import { useRef, useState } from 'preact/hooks'
import type { ScheduledPost } from '../../interface/posts.ts'
import { approveScheduledPost, getScheduledPost, rejectScheduledPost, type VersionedPost } from '../api.ts'
import { Icon } from '../icons.tsx'
import { useUrlQuery } from '../navigation.ts'
import { failureOf, isSamePost, nameOf, refreshPosts, textOf } from '../posts/post-text.ts'
import { Media } from '../posts/preview.tsx'
import { useWaiting } from '../posts/queries.ts'
import { postWords } from '../posts/words.ts'
import { useOrganization } from '../session.tsx'
import { useKeys } from '../shell.tsx'
import { formatDistance, formatInstant } from '../times.ts'
import { announce, Empty, Key, Loading, Page, Problem } from '../ui.tsx'
import { useNow } from '../use-now.ts'
import { ReturnDialog } from './return-dialog.tsx'
import { Review } from './review.tsx'
import { words } from './words.ts'
import './approvals.css'

/** What waits for a decision, the soonest first, and the one that is open beside it. */
export default function Approvals() {
  const { id: organizationId, timeZone, may } = useOrganization()
  const { query, setQuery } = useUrlQuery()
  const client = useQueryClient()
  const waiting = useWaiting()
  const posts = waiting.data?.items ?? []
  const openId = query.post
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [asksNotes, setAsksNotes] = useState(false)
  const [busy, setBusy] = useState(false)
  const [left, setLeft] = useState<{ post: ScheduledPost; reason: string }[]>([])
  const list = useRef<HTMLDivElement>(null)
  const chosen = posts.filter(({ id }) => selected.has(id))

  const open = (id: string | undefined): void => setQuery({ post: id })
  /** The post that was opened because another one was decided. */
  const [openedNext, setOpenedNext] = useState<string>()
  const openNext = (id: string | undefined): void => {
    setOpenedNext(id)
    open(id)
  }
  /** The post after, or before, the open one; the first one where the open one is not in the list. */
  const neighbour = (step: 1 | -1): string | undefined => {
    const index = posts.findIndex(({ id }) => id === openId)
    return index < 0 ? posts[0]?.id : posts[(index + step + posts.length) % posts.length]?.id
  }
  const toggle = (id: string): void =>
    setSelected((before) => {
      const next = new Set(before)
      if (!next.delete(id)) next.add(id)
      return next
    })

  useKeys((key) => {
    if (key === 'n') open(neighbour(1))
    else if (key === 'p') open(neighbour(-1))
    else if (key === 'x' && openId !== undefined) toggle(openId)
    else return false
    return true
  })

  /** Decides about each selected post, if it is still what the list shows; says which ones were left and why. */
  const decideAll = async (decide: (read: VersionedPost) => Promise<unknown>, done: (many: number) => string) => {
    setBusy(true)
    const notDone: typeof left = []
    for (const post of chosen) {
      try {
        const read = await getScheduledPost(organizationId, post.id)
        if (!isSamePost(read.post, post)) throw new Error(words.changedMeanwhile)
        await decide(read)
      } catch (error) {
        notDone.push({ post, reason: failureOf(error) })
      }
    }
    setBusy(false)
    setLeft(notDone)
    setSelected(new Set(notDone.map(({ post }) => post.id)))
    if (notDone.length < chosen.length) announce(done(chosen.length - notDone.length))
    await refreshPosts(client)
  }

  const isOpen = openId !== undefined
  return (
    <Page title={words.title} className={`approvals ${isOpen ? 'approvals-open' : ''}`}>
      {waiting.isPending && <Loading lines={8} />}
      {waiting.error && waiting.data === undefined && <Problem error={waiting.error} onRetry={waiting.refetch} />}
      {waiting.data !== undefined && posts.length === 0 && !isOpen && (
        <Empty title={words.emptyTitle}>{words.empty}</Empty>
      )}
      {waiting.data !== undefined && (posts.length > 0 || isOpen) && (
        <div class="approvals-columns">
          <div class="approvals-list" ref={list}>
            <p class="quiet approvals-lead">
              {waiting.data.nextCursor === undefined ? words.lead(posts.length) : words.leadMore(posts.length)}
            </p>
            {left.length > 0 && (
              <div class="notice notice-warn" role="alert">
                <div>
                  <p>{words.notDone(left.length)}</p>
                  <ul>
                    {left.map(({ post, reason }) => (
                      <li key={post.id}>
                        {nameOf(post)}: {reason}
                      </li>
                    ))}
                  </ul>
                  <button type="button" class="button small" onClick={() => setLeft([])}>
                    {words.clear}
                  </button>
                </div>
              </div>
            )}
            <ul aria-label={words.list}>
              {posts.map((post) => (
                <Row
                  key={post.id}
                  post={post}
                  timeZone={timeZone}
                  isOpen={post.id === openId}
                  isSelected={selected.has(post.id)}
                  canSelect={may('posts:approve')}
                  onOpen={() => open(post.id)}
                  onToggle={() => toggle(post.id)}
                />
              ))}
            </ul>
            {chosen.length > 0 && (
              <div class="selection" role="region" aria-label={words.selected(chosen.length)}>
                <p>{words.selected(chosen.length)}</p>
                <div class="actions">
                  <button
                    type="button"
                    class="button primary"
                    disabled={busy}
                    onClick={() =>
                      void decideAll(
                        ({ post, etag }) => approveScheduledPost(organizationId, post.id, etag),
                        words.approvedMany,
                      )
                    }
                  >
                    {words.approveSelected(chosen.length)}
                  </button>
                  <button type="button" class="button" disabled={busy} onClick={() => setAsksNotes(true)}>
                    {words.returnSelected}
                  </button>
                  <button type="button" class="button plain" onClick={() => setSelected(new Set())}>
                    {words.clear}
                  </button>
                </div>
              </div>
            )}
          </div>
          <div class="approvals-detail">
            {isOpen ? (
              <Review
                key={openId}
                postId={openId}
                onBack={() => open(undefined)}
                onNext={
                  posts.length > (posts.some(({ id }) => id === openId) ? 1 : 0) ? () => open(neighbour(1)) : undefined
                }
                isOpenedNext={openedNext === openId}
                onDecided={() => openNext(nextAfter(posts, openId))}
              />
            ) : (
              <Empty title={words.choose}>
                <button type="button" class="button" onClick={() => open(posts[0]?.id)}>
                  {words.chooseSoonest} <Key name="N" />
                </button>
              </Empty>
            )}
          </div>
        </div>
      )}
      {asksNotes && (
        <ReturnDialog
          many={chosen.length}
          onClose={() => setAsksNotes(false)}
          onReturn={async (notes) => {
            setAsksNotes(false)
            await decideAll(
              ({ post, etag }) => rejectScheduledPost(organizationId, post.id, etag, { notes }),
              words.returnedMany,
            )
          }}
        />
      )}
    </Page>
  )
}

/** What is open once this one is decided: the one after it, else the one before. */
function nextAfter(posts: readonly ScheduledPost[], id: string): string | undefined {
  const index = posts.findIndex((post) => post.id === id)
  return (posts[index + 1] ?? posts[index - 1])?.id
}

interface RowProps {
  post: ScheduledPost
  timeZone: string
  isOpen: boolean
  isSelected: boolean
  canSelect: boolean
  onOpen: () => void
  onToggle: () => void
}

function Row({ post, timeZone, isOpen, isSelected, canSelect, onOpen, onToggle }: RowProps) {
  const nowMs = useNow()
  const due = post.scheduledFor
  return (
    <li class={`approval ${isOpen ? 'approval-open' : ''}`}>
      {canSelect && (
        <label class="approval-check">
          <span class="hidden">{words.select(nameOf(post))}</span>
          <input type="checkbox" checked={isSelected} onChange={onToggle} />
        </label>
      )}
      <a
        href={`?post=${encodeURIComponent(post.id)}`}
        aria-current={isOpen ? 'true' : undefined}
        onClick={(event) => {
          if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return
          event.preventDefault()
          onOpen()
        }}
      >
        <Media url={post.media} type={post.mediaType} small />
        <span class="approval-text">
          <span class="approval-due">
            {due === undefined ? (
              postWords.noTime
            ) : (
              <>
                <strong>{formatInstant(due, timeZone, 'short')}</strong>
                <span class={Date.parse(due) <= nowMs ? 'overdue' : 'quiet'}>
                  {Date.parse(due) <= nowMs ? postWords.overdue : formatDistance(due, nowMs)}
                </span>
              </>
            )}
          </span>
          <span class="approval-caption" dir="auto">
            {textOf(post)}
          </span>
          <span class="quiet small-text">
            {Object.values(post.mediumsData)
              .map(({ mediumName }) => mediumName)
              .join(', ')}
            {Object.values(post.mediumsData).some(({ superpower }) => superpower != null) && <Icon name="spark" />}
          </span>
        </span>
      </a>
    </li>
  )
}
