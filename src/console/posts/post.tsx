import { useRoute } from 'preact-iso'
import type { ScheduledPost } from '../../interface/posts.ts'
import { hrefOf, useUrlQuery } from '../navigation.ts'
import { useOrganization } from '../organization.ts'
import { Empty, isMissing, Loading, Page, Problem, Status } from '../ui.tsx'
import { PostComments } from './comments.tsx'
import { CopiedPost } from './copied-post.tsx'
import { PostCopies } from './copies.tsx'
import { Editor } from './editor.tsx'
import { usePost } from './queries.ts'
import { PostRaffles } from './raffles.tsx'
import { postWords } from './words.ts'
import './post.css'

const words = postWords.editor

/** In these a post may be out on a channel, where its superpower acts. */
const WATCHED: readonly string[] = ['PUBLISHED', 'PUBLISHING', 'FAILED']

/** `/posts/new`, or the post that the address names. */
export default function PostPage() {
  const { params } = useRoute()
  const id = params.rest
  return id === undefined || id === 'new' ? <NewPost /> : <KnownPost key={id} id={id} />
}

function NewPost() {
  const { may } = useOrganization()
  const { query } = useUrlQuery()
  return (
    <Page title={words.newTitle}>
      {!may('posts:write') ? (
        <Empty title={words.permissionMissing} />
      ) : query.copy === undefined ? (
        <Editor latest={undefined} time={query.time} />
      ) : (
        <CopiedPost key={`${query.copy} ${query.to}`} id={query.copy} from={query.from} to={query.to} />
      )}
    </Page>
  )
}

function KnownPost({ id }: { id: string }) {
  const { id: organizationId } = useOrganization()
  const latest = usePost(id)
  return (
    <Page title={words.title} aside={latest.data && <PostHead post={latest.data.post} />}>
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

const PostHead = ({ post }: { post: ScheduledPost }) => (
  <div class="actions">
    <Status status={post.status} />
    <PostCopies post={post} />
  </div>
)
