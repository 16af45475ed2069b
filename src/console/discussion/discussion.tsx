import { useState } from 'preact/hooks'
import type { DiscussionMessage } from '../../interface/generated/types.ts'
import { call } from '../api.ts'
import { Loaded } from '../list.tsx'
import { useMe, useOrganization } from '../organization.ts'
import { useMembers } from '../people.ts'
import { Actions, done, type Question, Section, useChanges, useSectionChanges } from '../settings/section.tsx'
import { keptUnder, preferences } from '../store.ts'
import { formatInstant } from '../times.ts'
import { common, discussion as words } from '../words.ts'
import type { Mentionable } from './mentions.ts'
import { MessageText, type ShownMessage, type Thread, Threads } from './message.tsx'
import { MessageForm, type Typed } from './message-form.tsx'
import { nameOfActor, useDiscussion } from './queries.ts'
import { useReturnFocus } from './use-return-focus.ts'

interface MemberMessage extends ShownMessage {
  message: DiscussionMessage
}

/** A post's discussion, for members. */
export function Discussion({ postId }: { postId: string }) {
  const { id: organizationId, timeZone } = useOrganization()
  const read = useDiscussion(postId)
  // Post lists show the number of open threads.
  const changes = useChanges(
    ['discussion', organizationId, postId],
    ['discussion-history', organizationId, postId],
    ['posts', organizationId],
  )
  const draft = useDraft(postId)
  const people = usePeople()
  const messages = (read.data ?? []).map((message) => toShown(message, timeZone))
  const open = messages.filter(({ replyTo, resolved }) => replyTo === undefined && resolved === undefined).length
  const write = async ({ text, mentions, shared }: Typed): Promise<void> => {
    const body = { text, mentions: mentions.map(({ id }) => id), shared }
    await call('createDiscussionMessage', { organizationId, scheduledPostId: postId, body })
    await changes.refresh()
  }
  return (
    <section class="card form discussion">
      <Section title={open === 0 ? words.title : words.titleOpen({ many: open })} hint={words.hint} changes={changes}>
        <Loaded read={read} lines={2}>
          {() => (
            <Threads
              messages={messages}
              below={(thread) => <ThreadActions postId={postId} thread={thread} people={people} />}
            >
              {(shown) => <Message postId={postId} shown={shown} people={people} />}
            </Threads>
          )}
        </Loaded>
        <MessageForm
          key={postId}
          label={words.newMessage}
          submit={words.send}
          people={people}
          draft={draft}
          mayShare
          onSend={write}
        />
      </Section>
    </section>
  )
}

function useDraft(postId: string) {
  const { id: organizationId } = useOrganization()
  const { person } = useMe()
  return keptUnder(preferences, `draft.${person.id}.${organizationId}.message.${postId}`)
}

/** Returns the members who can be mentioned. */
function usePeople(): Mentionable[] {
  const { person } = useMe()
  const members = useMembers().data ?? []
  return members.filter(({ id, active }) => active && id !== person.id)
}

const toShown = (message: DiscussionMessage, timeZone: string): MemberMessage => ({
  ...{ message, id: message.id, replyTo: message.replyTo, text: message.text, createdAt: message.createdAt },
  author: nameOfActor(message.author),
  // Deleted accounts have no name; what the text calls them stays plain text.
  mentions: message.mentions.flatMap(({ name }) => name || []),
  isEdited: message.editedAt !== undefined,
  isDeleted: message.deletedAt !== undefined,
  remark: message.shared && message.replyTo === undefined ? words.shared : undefined,
  resolved:
    message.resolvedAt === undefined
      ? undefined
      : words.resolvedBy({
          name: message.resolvedBy === undefined ? words.actor({ type: '' }) : nameOfActor(message.resolvedBy),
          time: formatInstant(message.resolvedAt, timeZone, 'short'),
        }),
})

interface MessageProps {
  postId: string
  shown: MemberMessage
  people: readonly Mentionable[]
}

/** A message with its actions: authors edit and delete theirs, administrators delete any. */
function Message({ postId, shown, people }: MessageProps) {
  const { id: organizationId, timeZone, may } = useOrganization()
  const { person } = useMe()
  const { refresh } = useSectionChanges()
  const [isEditing, setEditing] = useState(false)
  const { message, author, isDeleted } = shown
  const isOwn = message.author.type === 'user' && message.author.id === person.id
  const path = { organizationId, scheduledPostId: postId, messageId: message.id }
  const remove: Question = {
    ...{ title: words.deleteTitle, text: words.deleteText, submit: words.delete, isBad: true },
    run: () => done(call('deleteDiscussionMessage', path), words.wasDeleted),
  }
  const place = useReturnFocus(isEditing)
  return (
    <div ref={place} class="message">
      {isEditing ? (
        <MessageForm
          label={words.message}
          submit={common.save}
          people={people}
          before={{ text: message.text, mentions: message.mentions }}
          isFocused
          onSend={async ({ text, mentions }) => {
            await call('updateDiscussionMessage', { ...path, body: { text, mentions: mentions.map(({ id }) => id) } })
            await refresh()
            setEditing(false)
          }}
          onCancel={() => setEditing(false)}
        />
      ) : (
        <MessageText message={shown} timeZone={timeZone} />
      )}
      {!isEditing && !isDeleted && (isOwn || may('people:write')) && (
        <Actions
          of={words.messageOf({ name: author })}
          all={[
            isOwn && { text: words.edit, kind: 'plain', run: () => setEditing(true) },
            { text: words.delete, kind: 'plain', ask: remove },
          ]}
        />
      )}
    </div>
  )
}

/** Replies to a thread, resolves it, or reopens it. */
function ThreadActions({
  postId,
  thread: { top },
  people,
}: Omit<MessageProps, 'shown'> & { thread: Thread<MemberMessage> }) {
  const { id: organizationId } = useOrganization()
  const { refresh } = useSectionChanges()
  const [isReplying, setReplying] = useState(false)
  const path = { organizationId, scheduledPostId: postId, messageId: top.id }
  const isOpen = top.resolved === undefined
  const toggle = isOpen
    ? () => done(call('resolveDiscussionMessage', path), words.wasResolved)
    : () => done(call('reopenDiscussionMessage', path), words.wasReopened)
  const place = useReturnFocus(isReplying)
  return (
    <div ref={place}>
      {isReplying ? (
        <MessageForm
          label={words.replyTo({ name: top.author })}
          submit={words.send}
          people={people}
          isFocused
          onSend={async ({ text, mentions }) => {
            const body = { text, mentions: mentions.map(({ id }) => id), replyTo: top.id }
            await call('createDiscussionMessage', { organizationId, scheduledPostId: postId, body })
            await refresh()
            setReplying(false)
          }}
          onCancel={() => setReplying(false)}
        />
      ) : (
        <Actions
          of={words.messageOf({ name: top.author })}
          all={[
            { text: words.reply, run: () => setReplying(true) },
            { text: isOpen ? words.resolve : words.reopen, change: toggle },
          ]}
        />
      )}
    </div>
  )
}
