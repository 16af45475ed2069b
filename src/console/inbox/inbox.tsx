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

/** The posts waiting for the person, followed by news about their posts. */
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
 * Rows stay in place: new entries and changes of read status move nothing until the person asks. Entries that they have not
 * seen are not marked as read.
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
  // A row that no longer matches the filter still shows its current state.
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

/** Says how many entries were marked as read, with an Undo button. */
function Marked({ marks: { last, busy, undo, forget } }: { marks: Marks }) {
  // The button disappears with the note, so focus moves to the list.
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
