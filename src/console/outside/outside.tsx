import { useEffect, useRef, useState } from 'preact/hooks'
import { openReviewLink, readReviewLink } from '../api.ts'
import { LinkButton } from '../link-button.tsx'
import { Refusal } from '../refusal.tsx'
import { forgetKept, tabStorage } from '../store.ts'
import { Loading, Problem } from '../ui.tsx'
import { useAct } from '../use-act.ts'
import { useRead } from '../use-read.ts'
import { outside as words } from '../words.ts'
import { OutsidePosts } from './outside-posts.tsx'
import { isOver, Over } from './over.tsx'
import './outside.css'

/** The link that opened the page. */
interface Link {
  token: string
  /** True once its button was clicked in this tab. */
  isOpened: boolean
}

/** Removes the token from the address immediately. This tab keeps it, so that the page can be reloaded. */
function takeLink(): Link | undefined {
  // Emails from before all links became one kind say `posts`.
  const [, token] = /^#link=([^=]{1,200})$/.exec(location.hash) ?? []
  if (token === undefined) {
    const kept = tabStorage.get('review-link')
    return kept === undefined ? undefined : { token: kept, isOpened: tabStorage.get('review-opened') !== undefined }
  }
  forgetKept('review-notes')
  forgetKept('review-message')
  tabStorage.set('review-link', token)
  tabStorage.set('review-opened', undefined)
  history.replaceState(null, '', location.pathname)
  return { token, isOpened: false }
}

/** The review page for people without an account, who approve or return the versions that they see. */
export default function Outside() {
  const [link, setLink] = useState(takeLink)
  const main = useRef<HTMLElement>(null)
  const onOpened = (): void => {
    tabStorage.set('review-opened', 'yes')
    setLink((before) => before && { ...before, isOpened: true })
    // The focused button is gone.
    main.current?.focus({ preventScroll: true })
  }
  useEffect(() => {
    document.title = words.title
    // Pasting another link into the address of the open tab does not reload the page.
    const follow = (): void => setLink(takeLink())
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  return (
    <main class="outside" ref={main} tabIndex={-1}>
      <p class="brand">{words.brand}</p>
      {link === undefined ? (
        <Over />
      ) : !link.isOpened ? (
        <Door key={link.token} {...link} onOpened={onOpened} />
      ) : (
        <OutsidePosts key={link.token} token={link.token} />
      )}
    </main>
  )
}

/** Says who the link is for. Until its button is clicked, no post is read and the link is not used. */
function Door({ token, onOpened }: Link & { onOpened: () => void }) {
  const head = useRead({
    queryKey: ['review-link', token],
    queryFn: ({ signal }) => readReviewLink(token, { signal }),
  })
  const { busy, error, act } = useAct()
  const open = () =>
    act(async () => {
      await openReviewLink(token)
      onOpened()
    })
  if (isOver(head.error) || isOver(error)) return <Over />
  if (head.data === undefined) {
    return head.error ? <Problem error={head.error} onRetry={head.refetch} /> : <Loading lines={3} />
  }
  const { name, madeBy, organizationName, posts } = head.data
  return (
    <section class="card form">
      <h1>{words.asks({ organization: organizationName })}</h1>
      <p class="quiet">{words.linkFor({ name, maker: madeBy })}</p>
      <LinkButton kind="primary" disabled={busy} onClick={() => void open()}>
        {words.open({ isToSeveral: posts > 1 })}
      </LinkButton>
      <Refusal error={error} />
    </section>
  )
}
