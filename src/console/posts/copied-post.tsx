import { Loaded } from '../list.tsx'
import { Note } from '../ui.tsx'
import { list } from '../wording.ts'
import { copies as words } from '../words.ts'
import { planCopy } from './copy.ts'
import { Editor } from './editor.tsx'
import { useChannels, usePost } from './queries.ts'

/** The form of a new post, filled with another post or with its content on one channel. */
export const CopiedPost = ({ id, from, to }: { id: string; from: string | undefined; to: string | undefined }) => {
  const channels = useChannels()
  return (
    <Loaded read={usePost(id)} lines={10}>
      {({ post }) => (
        <Loaded read={channels} lines={10}>
          {(live) => {
            const only = from === undefined || to === undefined ? undefined : { from, to }
            const { post: copyOf, source, hashtags, gone } = planCopy(post, live, only)
            return (
              <>
                {hashtags.length + gone.length > 0 && (
                  <Note kind="warn">
                    {hashtags.length > 0 && <p>{words.leftOut({ many: hashtags.length, hashtags: list(hashtags) })}</p>}
                    {gone.length > 0 && <p>{words.goneChannels({ many: gone.length, channels: list(gone) })}</p>}
                  </Note>
                )}
                <Editor latest={undefined} copyOf={copyOf} copiedFrom={source} />
              </>
            )
          }}
        </Loaded>
      )}
    </Loaded>
  )
}
