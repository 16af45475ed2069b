import { useState } from 'preact/hooks'
import type { ReviewMessage } from '../../interface/generated/types.ts'
import { reviewMessages } from '../api.ts'
import { FormDialog } from '../forms.tsx'
import { Loaded, useList } from '../list.tsx'
import { keptUnder, tabStorage } from '../store.ts'
import { announce, Button } from '../ui.tsx'
import { common, discussion as words } from '../words.ts'
import { MessageText, type ShownMessage, Threads } from './message.tsx'
import { MessageForm } from './message-form.tsx'
import { OpenThreads } from './open-threads.tsx'
import { useReturnFocus } from './use-return-focus.ts'

interface OutsideDiscussionProps {
  token: string
  timeZone: string
  /** Shown as the author of automatic messages. */
  organizationName: string
  everyMs: number
  /** The post's number within the link. */
  number: number
  /** Called after a change, for example to reload the number of open threads. */
  onChanged?: () => unknown
}

const draftOf = (number: number) => keptUnder(tabStorage, `review-message.${number}`)

/** The messages shared with the holder of a link, who can also write. */
export const OutsideDiscussion = (props: OutsideDiscussionProps) => (
  <section class="card form discussion" aria-labelledby="discussion-title">
    <h2 id="discussion-title">{words.outsideTitle}</h2>
    <Messages {...props} />
  </section>
)

/** A collapsed discussion, loaded when opened. It opens automatically if there is a draft. */
export function FoldedDiscussion({ openMessages, ...props }: OutsideDiscussionProps & { openMessages: number }) {
  const [isOpen, setOpen] = useState(() => draftOf(props.number).get() !== undefined)
  return (
    <details class="card discussion" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {words.outsideTitle} <OpenThreads many={openMessages} />
      </summary>
      {isOpen && (
        <div class="form">
          <Messages {...props} />
        </div>
      )}
    </details>
  )
}

function Messages({ token, timeZone, organizationName, everyMs, number, onChanged }: OutsideDiscussionProps) {
  const calls = reviewMessages(token, number)
  const read = useList(['review', token, 'messages', number], calls.list, { refetchInterval: everyMs })
  const change = async (changing: Promise<unknown>): Promise<void> => {
    await changing
    await Promise.all([read.refetch(), onChanged?.()])
  }
  const messages = (read.data ?? []).map((message) => toShown(message, organizationName))
  return (
    <>
      <p class="quiet small-text">{words.outsideHint}</p>
      <Loaded read={read} lines={1}>
        {() => (
          <Threads
            messages={messages}
            below={({ top }) => (
              <Reply author={top.author} onSend={(text) => change(calls.write({ text, replyTo: top.id }))} />
            )}
          >
            {(shown) => (
              <Message
                {...{ shown, timeZone }}
                onEdit={(text) => change(calls.edit(shown.id, { text }))}
                onDelete={() => change(calls.remove(shown.id))}
              />
            )}
          </Threads>
        )}
      </Loaded>
      <MessageForm
        label={words.newMessage}
        submit={words.send}
        draft={draftOf(number)}
        onSend={({ text }) => change(calls.write({ text }))}
      />
    </>
  )
}

interface OutsideMessage extends ShownMessage {
  isOwn: boolean
}

interface MessageProps {
  shown: OutsideMessage
  timeZone: string
  onEdit: (text: string) => Promise<void>
  onDelete: () => Promise<void>
}

/** A message; the holder of the link can edit and delete their own. */
function Message({ shown, timeZone, onEdit, onDelete }: MessageProps) {
  const [asks, ask] = useState<'edit' | 'delete'>()
  const close = (): void => ask(undefined)
  const place = useReturnFocus(asks === 'edit')
  return (
    <div ref={place} class="message">
      {asks === 'edit' ? (
        <MessageForm
          label={words.message}
          submit={common.save}
          before={{ text: shown.text, mentions: [] }}
          isFocused
          onSend={async ({ text }) => {
            await onEdit(text)
            close()
          }}
          onCancel={close}
        />
      ) : (
        <MessageText message={shown} timeZone={timeZone} />
      )}
      {shown.isOwn && !shown.isDeleted && asks !== 'edit' && (
        <div class="actions">
          <Button kind="small plain" of={words.own} onClick={() => ask('edit')}>
            {words.edit}
          </Button>
          <Button kind="small plain" of={words.own} onClick={() => ask('delete')}>
            {words.delete}
          </Button>
        </div>
      )}
      {asks === 'delete' && (
        <FormDialog
          title={words.deleteTitle}
          submit={words.delete}
          isBad
          onClose={close}
          onSubmit={async () => {
            await onDelete()
            close()
            announce(words.wasDeleted)
          }}
        >
          <p>{words.deleteText}</p>
        </FormDialog>
      )}
    </div>
  )
}

function Reply({ author, onSend }: { author: string; onSend: (text: string) => Promise<void> }) {
  const [isOpen, setOpen] = useState(false)
  const place = useReturnFocus(isOpen)
  return (
    <div ref={place}>
      {isOpen ? (
        <MessageForm
          label={words.replyTo({ name: author })}
          submit={words.send}
          isFocused
          onSend={async ({ text }) => {
            await onSend(text)
            setOpen(false)
          }}
          onCancel={() => setOpen(false)}
        />
      ) : (
        <Button kind="small" of={words.messageOf({ name: author })} onClick={() => setOpen(true)}>
          {words.reply}
        </Button>
      )}
    </div>
  )
}

const toShown = (message: ReviewMessage, organizationName: string): OutsideMessage => ({
  ...{ id: message.id, replyTo: message.replyTo, text: message.text, createdAt: message.createdAt, mentions: [] },
  isOwn: message.own,
  author: message.own ? words.you : (message.author ?? organizationName),
  isEdited: message.edited,
  isDeleted: message.deleted,
  resolved: message.resolved ? words.resolvedOutside : undefined,
})
