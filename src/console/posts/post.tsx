import { useRoute } from 'preact-iso'
import type { ScheduledPost } from '../../interface/generated/types.ts'
import { Icon } from '../icons.tsx'
import { lazyPage } from '../lazy-page.tsx'
import { findWayBack, hrefOf, useUrlQuery } from '../navigation.ts'
import { useOrganization } from '../organization.ts'
import { Empty, isMissing, Loading, Page, Problem, Status } from '../ui.tsx'
import { postImport as importWords, posts as postWords, shell as shellWords } from '../words.ts'
import { PostComments } from './comments.tsx'
import { CopiedPost } from './copied-post.tsx'
import { PostCopies } from './copies.tsx'
import { Editor } from './editor.tsx'
import { nameOf } from './post-text.ts'
import { usePost } from './queries.ts'
import { PostRaffles } from './raffles.tsx'
import './post.css'

const words = postWords.editor

const ImportPosts = lazyPage(() => import('./import-posts.tsx'))

/** Statuses in which a channel may have published the post, so that its superpower acts. */
const WATCHED: readonly string[] = ['PUBLISHED', 'PUBLISHING', 'FAILED']

/** `/posts/new`, or the post that the address names. */
export default function PostPage() {
  const { params } = useRoute()
  const id = params.rest
  if (id === 'import') return <ImportPosts />
  return id === undefined || id === 'new' ? <NewPost /> : <KnownPost key={id} id={id} />
}

/** Reads a new post's time, channel and return address from the query. */
const readBeginning = (organizationId: string, { time, channel, back }: Record<string, string | undefined>) => ({
  time,
  channelId: channel,
  back: back && hrefOf(organizationId, 'calendar', [], Object.fromEntries(new URLSearchParams(back))),
})

function NewPost() {
  const { id: organizationId, mayAnywhere } = useOrganization()
  const { query } = useUrlQuery()
  const mayWrite = mayAnywhere('posts:write')
  return (
    <Page title={words.newTitle} aside={mayWrite && <ImportLink />}>
      {!mayWrite ? (
        <Empty title={words.permissionMissing} />
      ) : query.copy === undefined ? (
        <Editor key={query.time} latest={undefined} {...readBeginning(organizationId, query)} />
      ) : (
        <CopiedPost key={`${query.copy} ${query.to}`} id={query.copy} from={query.from} to={query.to} />
      )}
    </Page>
  )
}

function KnownPost({ id }: { id: string }) {
  const { id: organizationId } = useOrganization()
  const latest = usePost(id)
  const back = findWayBack(organizationId)
  const title = latest.data === undefined ? words.title : words.titleOf({ name: nameOf(latest.data.post) })
  return (
    <Page title={title} aside={latest.data && <PostHead post={latest.data.post} />}>
      <a class="way-back" href={back.href}>
        <Icon name="left" /> {words.backTo({ page: shellWords.nav[back.page] })}
      </a>
      {latest.data === undefined ? (
        latest.error ? (
          <>
            <Problem error={latest.error} onRetry={latest.refetch} />
            {isMissing(latest.error) && <a href={hrefOf(organizationId, 'calendar')}>{words.toCalendar}</a>}
          </>
        ) : (
          <Loading lines={10} />
        )
      ) : (
        <>
          {isMissing(latest.error) && <Problem error={latest.error} />}
          <Editor latest={latest.data} />
          {WATCHED.includes(latest.data.post.status) && (
            <>
              <PostComments id={id} />
              <PostRaffles id={id} />
            </>
          )}
        </>
      )}
    </Page>
  )
}

function ImportLink() {
  const { id: organizationId } = useOrganization()
  return (
    <a class="button small" href={hrefOf(organizationId, 'posts', ['import'])}>
      {importWords.open}
    </a>
  )
}

const PostHead = ({ post }: { post: ScheduledPost }) => (
  <div class="actions">
    <Status status={post.status} />
    <PostCopies post={post} />
  </div>
)
