import { useMemo } from 'preact/hooks'
import { useRoute } from 'preact-iso'
import { useSeen } from '../decision.ts'
import { hrefOf, useUrlQuery } from '../navigation.ts'
import { useOrganization } from '../session.tsx'
import { Empty, isMissing, Loading, Page, Problem, Status } from '../ui.tsx'
import { EMPTY_DRAFT, toDraft } from './draft.ts'
import { Editor } from './editor.tsx'
import { usePost } from './queries.ts'
import { postWords } from './words.ts'
import './post.css'

const words = postWords.editor

/** `/posts/new`, or the post that the address names. */
export default function PostPage() {
  const { params } = useRoute()
  const id = params.rest
  return id === undefined || id === 'new' ? <NewPost /> : <KnownPost key={id} id={id} />
}

function NewPost() {
  const { timeZone, may } = useOrganization()
  const { query } = useUrlQuery()
  const base = useMemo(() => ({ ...EMPTY_DRAFT, time: query.time ?? '' }), [timeZone])
  return (
    <Page title={words.newTitle}>
      {may('posts:write') ? (
        <Editor read={undefined} latest={undefined} base={base} onReload={() => {}} />
      ) : (
        <Empty title={words.permissionMissing} />
      )}
    </Page>
  )
}

function KnownPost({ id }: { id: string }) {
  const { id: organizationId, timeZone } = useOrganization()
  const latest = usePost(id)
  // The form begins with this version, and with the newest one as long as nothing is typed.
  const { shown, show } = useSeen(latest.data)
  const base = useMemo(() => (shown === undefined ? undefined : toDraft(shown.post, timeZone)), [shown, timeZone])
  return (
    <Page title={words.title} aside={latest.data && <Status status={latest.data.post.status} />}>
      {shown === undefined || base === undefined ? (
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
          <Editor read={shown} latest={latest.data} base={base} onReload={show} />
        </>
      )}
    </Page>
  )
}
