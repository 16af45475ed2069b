import type { ComponentChildren } from 'preact'
import { formatInstant } from '../times.ts'
import { list } from '../wording.ts'
import { discussion as words } from '../words.ts'
import { splitMentions } from './mentions.ts'
import './discussion.css'

/** A message as both members and people with a link see it. */
export interface ShownMessage {
  id: string
  replyTo?: string | undefined
  author: string
  text: string
  /** Names of the mentioned people. */
  mentions: readonly string[]
  createdAt: string
  isEdited: boolean
  isDeleted: boolean
  /** Set on the first message of a resolved thread. */
  resolved: string | undefined
  /** An extra note about the message. */
  remark?: string | undefined
}

/** The first message of a thread and its replies. */
export interface Thread<Message extends ShownMessage> {
  top: Message
  replies: Message[]
}

function toThreads<Message extends ShownMessage>(messages: readonly Message[]): Thread<Message>[] {
  const threads = new Map<string, Thread<Message>>()
  for (const message of messages) {
    if (message.replyTo === undefined) threads.set(message.id, { top: message, replies: [] })
    else threads.get(message.replyTo)?.replies.push(message)
  }
  return [...threads.values()]
}

interface ThreadsProps<Message extends ShownMessage> {
  messages: readonly Message[]
  /** Renders a message with the reader's actions. */
  children: (message: Message) => ComponentChildren
  /** Rendered below the last message of a thread. */
  below: (thread: Thread<Message>) => ComponentChildren
}

/** Open threads, oldest first; resolved threads are collapsed below them. */
export function Threads<Message extends ShownMessage>({ messages, below, children }: ThreadsProps<Message>) {
  const threads = toThreads(messages)
  const open = threads.filter(({ top }) => top.resolved === undefined)
  const resolved = threads.filter(({ top }) => top.resolved !== undefined)
  const list = (items: readonly Thread<Message>[], label: string) => (
    <ol class="threads" aria-label={label}>
      {items.map((thread) => (
        <li key={thread.top.id}>
          {children(thread.top)}
          {thread.replies.length > 0 && (
            <ol class="replies">
              {thread.replies.map((reply) => (
                <li key={reply.id}>{children(reply)}</li>
              ))}
            </ol>
          )}
          {below(thread)}
        </li>
      ))}
    </ol>
  )
  return (
    <>
      {messages.length === 0 && <p class="quiet">{words.none}</p>}
      {open.length > 0 && list(open, words.threads)}
      {resolved.length > 0 && (
        <details>
          <summary>{words.resolved({ many: resolved.length })}</summary>
          {list(resolved, words.resolved({ many: resolved.length }))}
        </details>
      )}
    </>
  )
}

/** A message with its author and time. */
export function MessageText({ message, timeZone }: { message: ShownMessage; timeZone: string }) {
  const { author, text, mentions, createdAt, isEdited, isDeleted, resolved, remark } = message
  const notInText = mentions.filter((name) => !text.includes(`@${name}`))
  const facts = [...(isEdited && !isDeleted ? [words.edited] : []), ...(remark === undefined ? [] : [remark])]
  return (
    <>
      <p class="message-head">
        <strong>
          <bdi>{author}</bdi>
        </strong>{' '}
        <span class="quiet small-text">
          <time dateTime={createdAt}>{formatInstant(createdAt, timeZone, 'short')}</time>
          {facts.map((fact) => ` · ${fact}`)}
        </span>
      </p>
      {isDeleted ? (
        <p class="quiet">{words.deleted}</p>
      ) : (
        <p class="message-text" dir="auto">
          {splitMentions(text, mentions).map((part, index) =>
            part.isMention ? (
              <span key={index} class="mention">
                {part.text}
              </span>
            ) : (
              part.text
            ),
          )}
        </p>
      )}
      {notInText.length > 0 && <p class="quiet small-text">{words.mentions({ names: list(notInText) })}</p>}
      {resolved !== undefined && <p class="quiet small-text">{resolved}</p>}
    </>
  )
}
