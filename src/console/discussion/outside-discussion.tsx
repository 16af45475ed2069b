import { useState } from 'preact/hooks'
import type { ReviewMessage } from '../../interface/discussion.ts'
import { createReviewMessage, listReviewMessages } from '../api.ts'
import { Loaded, useList } from '../list.tsx'
import { keptUnder, tabStorage } from '../store.ts'
import { Button } from '../ui.tsx'
import { MessageText, type ShownMessage, Threads } from './message.tsx'
import { MessageForm } from './message-form.tsx'
import { useReturnFocus } from './use-return-focus.ts'
import { words } from './words.ts'

interface OutsideDiscussionProps {
  token: string
  timeZone: string
  /** Names the author of what no person wrote. */
  organizationName: string
  everyMs: number
}

const draft = keptUnder(tabStorage, 'review-message')

/** The messages that are shared with the holder of a link, who can write there too. */
export function OutsideDiscussion({ token, timeZone, organizationName, everyMs }: OutsideDiscussionProps) {
  const read = useList(['review', token, 'messages'], (query, options) => listReviewMessages(token, query, options), {
    refetchInterval: everyMs,
  })
  const write = async (text: string, replyTo?: string): Promise<void> => {
    await createReviewMessage(token, { text, ...(replyTo === undefined ? {} : { replyTo }) })
    await read.refetch()
  }
  const messages = (read.data ?? []).map((message) => toShown(message, organizationName))
  return (
    <section class="card form discussion" aria-labelledby="discussion-title">
      <h2 id="discussion-title">{words.outsideTitle}</h2>
      <p class="quiet small-text">{words.outsideHint}</p>
      <Loaded read={read} lines={1}>
        {() => (
          <Threads
            messages={messages}
            below={({ top }) => <Reply author={top.author} onSend={(text) => write(text, top.id)} />}
          >
            {(shown) => <MessageText message={shown} timeZone={timeZone} />}
          </Threads>
        )}
      </Loaded>
      <MessageForm label={words.newMessage} submit={words.send} draft={draft} onSend={({ text }) => write(text)} />
    </section>
  )
}

function Reply({ author, onSend }: { author: string; onSend: (text: string) => Promise<void> }) {
  const [isOpen, setOpen] = useState(false)
  const place = useReturnFocus(isOpen)
  return (
    <div ref={place}>
      {isOpen ? (
        <MessageForm
          label={words.replyTo(author)}
          submit={words.send}
          isFocused
          onSend={async ({ text }) => {
            await onSend(text)
            setOpen(false)
          }}
          onCancel={() => setOpen(false)}
        />
      ) : (
        <Button kind="small" of={words.messageOf(author)} onClick={() => setOpen(true)}>
          {words.reply}
        </Button>
      )}
    </div>
  )
}

const toShown = (message: ReviewMessage, organizationName: string): ShownMessage => ({
  ...{ id: message.id, replyTo: message.replyTo, text: message.text, createdAt: message.createdAt, mentions: [] },
  author: message.own ? words.you : (message.author ?? organizationName),
  isEdited: message.edited,
  isDeleted: message.deleted,
  resolved: message.resolved ? words.resolvedOutside : undefined,
})
