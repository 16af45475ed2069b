import { listCalendarPosts } from '../api.ts'
import { useSlots } from '../calendar/queries.ts'
import { nextFreeSlot } from '../calendar/slots.ts'
import { hrefOf } from '../navigation.ts'
import { useOrganization } from '../organization.ts'
import { formatInstant } from '../times.ts'
import { Button, Note } from '../ui.tsx'
import { usePolled } from '../use-read.ts'
import { posts as postWords } from '../words.ts'
import { toDay } from '../zoned.ts'
import { nameOfText } from './post-text.ts'
import type { PostEditor } from './use-editor.ts'

const words = postWords.editor

const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000
/** How far ahead to look for the next slot. */
const PLANNED_MS = 29 * DAY_MS

const toIso = (ms: number): string => new Date(ms).toISOString()

/** Shown beside a post's time: its channels' next free slot, and other posts less than an hour away. */
export function TimeHelp({ editor }: { editor: PostEditor }) {
  const channelIds = Object.keys(editor.draft.channels)
  if (channelIds.length === 0) return null
  return (
    <>
      <NextSlot editor={editor} channelIds={channelIds} />
      {editor.scheduledFor !== undefined && (
        <Crowd editor={editor} channelIds={channelIds} atMs={Date.parse(editor.scheduledFor)} />
      )}
    </>
  )
}

interface HelpProps {
  editor: PostEditor
  channelIds: readonly string[]
}

/** Offers a channel's next free slot. */
function NextSlot({ editor, channelIds }: HelpProps) {
  const { id: organizationId, timeZone } = useOrganization()
  const slots = useSlots()
  const hasSlots = slots.some(({ channelId }) => channelIds.includes(channelId))
  // Rounded down to the hour, so that the cached answer can be reused.
  const fromMs = Math.floor(editor.nowMs / HOUR_MS) * HOUR_MS
  const range = { scheduledFrom: toIso(fromMs), scheduledBefore: toIso(fromMs + PLANNED_MS) }
  const { data } = usePolled(
    ['posts', organizationId, 'planned', range.scheduledFrom],
    (options) => listCalendarPosts(organizationId, range, options),
    { enabled: hasSlots },
  )
  if (data === undefined) return null
  const next = nextFreeSlot(channelIds, { slots, posts: data.items, timeZone, nowMs: editor.nowMs })
  const time = next && `${toDay(next.instant, timeZone)}T${next.time}`
  if (next === undefined || time === undefined || time === editor.draft.time) return null
  return (
    <Button kind="small" onClick={() => editor.change({ time, occurrence: '' })}>
      {words.nextSlot({ time: formatInstant(next.instant, timeZone), channel: editor.channels.nameOf(next.channelId) })}
    </Button>
  )
}

/** Warns of other posts on a channel less than an hour away; it does not block. */
function Crowd({ editor, channelIds, atMs }: HelpProps & { atMs: number }) {
  const { id: organizationId, timeZone } = useOrganization()
  const range = { scheduledFrom: toIso(atMs - HOUR_MS + 1), scheduledBefore: toIso(atMs + HOUR_MS) }
  const { data } = usePolled(['posts', organizationId, 'near', atMs], (options) =>
    listCalendarPosts(organizationId, range, options),
  )
  const near = (data?.items ?? []).filter(
    ({ id, status, channels }) =>
      id !== editor.post?.id && status !== 'FAILED' && channels.some((one) => channelIds.includes(one.id)),
  )
  return (
    <div role="status">
      {near.length > 0 && (
        <Note kind="warn" icon="crowded">
          <p>{words.crowded({ many: near.length })}</p>
          <ul class="bullets">
            {near.map((post) => (
              <li key={post.id}>
                {formatInstant(post.scheduledFor!, timeZone)}{' '}
                <a class="near-post" href={hrefOf(organizationId, 'posts', [post.id])}>
                  <bdi>{nameOfText(post.text)}</bdi>
                </a>
              </li>
            ))}
          </ul>
        </Note>
      )}
    </div>
  )
}
