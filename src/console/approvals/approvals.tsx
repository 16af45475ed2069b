import { useEffect, useRef, useState } from 'preact/hooks'
import type { ScheduledPost } from '../../interface/generated/types.ts'
import { Loaded } from '../list.tsx'
import { hrefOf, useUrlQuery } from '../navigation.ts'
import { useOrganization } from '../organization.ts'
import { AllLinks } from '../outside/outside-links.tsx'
import { useWaiting } from '../posts/queries.ts'
import { useKeys } from '../shell.tsx'
import { Button, Empty, Key, Page } from '../ui.tsx'
import { outside as outsideWords, approvals as words } from '../words.ts'
import { DecidedNote, useDecided } from './decided.tsx'
import { Review } from './review.tsx'
import { Left, Selection, useSeveral } from './several.tsx'
import { WaitingPost } from './waiting-post.tsx'
import './approvals.css'

/** The width from which the list and the open post fit side by side (approvals.css). */
const BOTH_FIT = '(min-width: 68.01rem)'

/** The posts waiting for a decision or, if the URL says so, the review links. */
export default function Approvals() {
  const { query } = useUrlQuery()
  return query.view === 'links' ? <Links /> : <Waiting />
}

function Links() {
  const { id: organizationId } = useOrganization()
  const toWaiting = <ViewLink to={hrefOf(organizationId, 'approvals')} text={outsideWords.backToWaiting} />
  return (
    <Page title={outsideWords.allTitle} aside={toWaiting}>
      <AllLinks />
    </Page>
  )
}

/** The link at the top of the page that switches to its other view. */
const ViewLink = ({ to, text }: { to: string; text: string }) => (
  <a class="button small" href={to}>
    {text}
  </a>
)

/** Returns the id of the post in the URL, and functions to open another. */
function useOpened(waiting: ReturnType<typeof useWaiting>) {
  const { query, setQuery } = useUrlQuery()
  const openId = query.post
  /** The post that was opened automatically, when the list first loaded or after a decision. */
  const [autoOpenedId, setAutoOpenedId] = useState<string>()
  const hasLoaded = useRef(false)
  const posts = waiting.data ?? []
  const open = (id: string | undefined, isAutomatic = false): void => {
    setAutoOpenedId(isAutomatic ? id : undefined)
    setQuery({ post: id })
  }
  // Only when the list first loads: a post that opened later would take the focus and interrupt the person.
  useEffect(() => {
    const soonest = waiting.data?.[0]?.id
    if (waiting.data === undefined || hasLoaded.current) return
    hasLoaded.current = true
    if (openId !== undefined || soonest === undefined || !matchMedia(BOTH_FIT).matches) return
    setAutoOpenedId(soonest)
    setQuery({ post: soonest }, { replace: true })
  }, [waiting.data])
  return {
    openId,
    open,
    autoOpenedId,
    openAfter: (id: string): void => open(nextAfter(posts, id), true),
    openNext: (): void => open(neighbour(posts, openId, 1)),
    openPrevious: (): void => open(neighbour(posts, openId, -1)),
  }
}

/** The posts waiting for a decision, soonest first, with the open one beside them. */
function Waiting() {
  const { id: organizationId } = useOrganization()
  const waiting = useWaiting()
  const posts = waiting.data ?? []
  const { openId, open, autoOpenedId, openAfter, openNext, openPrevious } = useOpened(waiting)
  const isOpen = openId !== undefined
  const decided = useDecided((ids) => open(ids[0]))
  const several = useSeveral(posts, decided)
  const decidedSeveral = decided.last !== undefined && decided.last.posts.length > 1
  useKeys((key) => {
    if (key === 'n') openNext()
    else if (key === 'p') openPrevious()
    else if (key === 'x' && isOpen) several.toggle(openId)
    else if (key === 'u' && decided.last !== undefined) void decided.undo()
    else return false
    return true
  })
  const list = (
    <div class="approvals-list">
      <p class="quiet approvals-lead">{words.lead({ many: posts.length })}</p>
      <Left several={several} />
      {decidedSeveral && <DecidedNote decided={decided} />}
      <ul aria-label={words.list}>
        {posts.map((post) => (
          <WaitingPost key={post.id} {...{ post, several }} isOpen={post.id === openId} onOpen={() => open(post.id)} />
        ))}
      </ul>
      <Selection several={several} />
    </div>
  )
  const links = (
    <ViewLink to={hrefOf(organizationId, 'approvals', [], { view: 'links' })} text={outsideWords.allTitle} />
  )
  return (
    <Page title={words.title} aside={links} className={`approvals ${isOpen ? 'approvals-open' : ''}`}>
      <Loaded read={waiting} lines={8}>
        {() =>
          posts.length === 0 && !isOpen ? (
            <>
              <DecidedNote decided={decided} />
              <Empty title={words.emptyTitle}>{words.empty}</Empty>
            </>
          ) : (
            <div class="approvals-columns">
              {list}
              <div class="approvals-detail">
                {!decidedSeveral && <DecidedNote decided={decided} />}
                {isOpen ? (
                  <Review
                    key={openId}
                    postId={openId}
                    onBack={() => open(undefined)}
                    onNext={posts.some(({ id }) => id !== openId) ? openNext : undefined}
                    isOpenedNext={autoOpenedId === openId}
                    onDecided={(text, version) => {
                      decided.show({ text, posts: [version] })
                      openAfter(openId)
                    }}
                  />
                ) : (
                  <NoneOpen onOpen={() => open(posts[0]?.id)} />
                )}
              </div>
            </div>
          )
        }
      </Loaded>
    </Page>
  )
}

const NoneOpen = ({ onOpen }: { onOpen: () => void }) => (
  <Empty title={words.choose}>
    <Button onClick={onOpen}>
      {words.chooseSoonest} <Key name="N" />
    </Button>
  </Empty>
)

/** Returns the post after or before the open one, or the first if the open one is not listed. */
function neighbour(posts: readonly ScheduledPost[], openId: string | undefined, step: 1 | -1): string | undefined {
  const index = posts.findIndex(({ id }) => id === openId)
  return index < 0 ? posts[0]?.id : posts[(index + step + posts.length) % posts.length]?.id
}

/** Returns the post to open after a decision: the next one, or else the previous one. */
function nextAfter(posts: readonly ScheduledPost[], id: string): string | undefined {
  const index = posts.findIndex((post) => post.id === id)
  return (posts[index + 1] ?? posts[index - 1])?.id
}
