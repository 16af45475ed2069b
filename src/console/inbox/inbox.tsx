import { useState } from 'preact/hooks'
import type { InboxEntry } from '../../interface/generated/types.ts'
import { Choice } from '../fields.tsx'
import { Icon } from '../icons.tsx'
import { Loaded, Rows } from '../list.tsx'
import { useUrlQuery } from '../navigation.ts'
import { useOrganization } from '../organization.ts'
import { useChannelFacts } from '../posts/queries.ts'
import { Refusal } from '../refusal.tsx'
import { useSteady } from '../steady.ts'
import { Button, Empty, Note, Page } from '../ui.tsx'
import { common, inbox as words } from '../words.ts'
import { Entry } from './entry.tsx'
import { type Marks, useInbox, useMarks } from './use-inbox.ts'
import { Waiting } from './waiting.tsx'
import './inbox.css'

const SHOWN_ROWS = 30

/** Shows what waits for the person who is signed in, and below it the news about their posts. */
export default function Inbox() {
  const { mayAnywhere } = useOrganization()
  return (
    <Page title={words.title} className="inbox">
      {mayAnywhere('posts:approve') && <Waiting />}
      <News />
    </Page>
  )
}

/**
 * The rows stay in their places: news that comes, and what is read meanwhile, moves none until the person asks. What they
 * have not seen is not marked either.
 */
function News() {
  const { query, setQuery } = useUrlQuery()
  const show = query.show === 'unread' ? 'unread' : ''
  const read = useInbox()
  const marks = useMarks()
  const { nameOf } = useChannelFacts(undefined)
  const entries = read.data ?? []
  const meant = show === 'unread' ? entries.filter(({ isRead }) => !isRead) : entries
  const steady = useSteady(`${show} ${entries.length === 0}`, meant, ({ id }) => id)
  const byId = new Map(entries.map((entry) => [entry.id, entry]))
  // A row that has left the filter still says what it is now.
  const rows = steady.rows.map((row) => byId.get(row.id) ?? row)
  const newest = rows[0]
  return (
    <section aria-labelledby="news">
      <h2 id="news" tabIndex={-1}>
        {words.news}
      </h2>
      <div class="bar">
        <Choice
          label={words.filter}
          value={show}
          options={[
            ['', words.all],
            ['unread', words.unread],
          ]}
          onChoose={(value) => setQuery({ show: value })}
        />
        {newest !== undefined && rows.some(({ isRead }) => !isRead) && (
          <Button disabled={marks.busy} onClick={() => void marks.allRead(newest.at)}>
            {words.allRead}
          </Button>
        )}
        {steady.changed > 0 && <Button onClick={steady.show}>{words.changed({ many: steady.changed })}</Button>}
      </div>
      <Marked marks={marks} />
      <Refusal error={marks.error} />
      <Loaded read={read} lines={6} empty={<Empty title={words.emptyTitle}>{words.empty}</Empty>}>
        {() => <Entries rows={rows} channelName={nameOf} marks={marks} />}
      </Loaded>
    </section>
  )
}

/** Says how many were marked as read, with a button that takes it back. */
function Marked({ marks: { last, busy, undo, forget } }: { marks: Marks }) {
  // The button is gone with the note: the keyboard goes on from the list.
  const focusNews = (): void => document.getElementById('news')?.focus({ preventScroll: true })
  return (
    <div role="status">
      {last !== undefined && (
        <Note kind="good">
          <p>{words.marked({ many: last.length })}</p>
          <div class="actions">
            <Button kind="small" disabled={busy} onClick={() => void undo().then(focusNews)}>
              {common.undo}
            </Button>
            <Button
              kind="icon-button"
              aria-label={common.close}
              onClick={() => {
                forget()
                focusNews()
              }}
            >
              <Icon name="close" />
            </Button>
          </div>
        </Note>
      )}
    </div>
  )
}

interface EntriesProps {
  rows: readonly InboxEntry[]
  channelName: (id: string) => string
  marks: Marks
}

function Entries({ rows, channelName, marks }: EntriesProps) {
  const [shown, setShown] = useState(SHOWN_ROWS)
  const left = rows.length - shown
  if (rows.length === 0) return <Empty title={words.emptyUnread} />
  return (
    <>
      <Rows label={words.news} items={rows.slice(0, shown)} keyOf={({ id }) => id}>
        {(entry) => <Entry entry={entry} channelName={channelName} marks={marks} />}
      </Rows>
      {left > 0 && (
        <Button kind="small" onClick={() => setShown(shown + SHOWN_ROWS)}>
          {words.more({ many: Math.min(left, SHOWN_ROWS) })}
        </Button>
      )}
    </>
  )
}
