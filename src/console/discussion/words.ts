import type { DiscussionAction } from '../../interface/generated/types.ts'
import { common } from '../words.ts'

const { count } = common

const ACTIONS: Record<DiscussionAction, string> = {
  written: 'wrote a message',
  edited: 'edited a message',
  deleted: 'deleted a message',
  resolved: 'resolved a thread',
  reopened: 'opened a thread again',
}

export const words = {
  title: 'Discussion',
  titleOpen: (many: number): string => `Discussion: ${many} open`,
  open: (many: number): string => `${count(many, 'open thread')} in the discussion`,
  hint: 'For your colleagues; never published. Type @ to mention someone.',
  outsideTitle: 'Questions and remarks',
  outsideHint: 'The people who work on this post read this, and so does everyone else with a link to it.',
  none: 'Nobody has written anything yet.',
  threads: 'Open threads',
  resolved: (many: number): string => `${count(many, 'resolved thread')}`,
  deleted: 'This message was deleted.',
  edited: 'edited',
  shared: 'shown to people with a link',
  resolvedBy: (name: string, time: string): string => `Resolved by ${name}, ${time}`,
  resolvedOutside: 'Resolved',
  mentions: (names: string[]): string => `Mentions ${common.list(names)}`,
  action: ACTIONS,
  actor: (type: string): string =>
    type === 'operator' ? 'The operator' : type === 'user' ? 'A deleted account' : 'Someone',
  you: 'You',
  message: 'Message',
  newMessage: 'New message',
  replyTo: (name: string): string => `Answer to ${name}`,
  share: 'Show this thread to people with a link to the post',
  send: 'Send',
  sent: 'Sent.',
  reply: 'Answer',
  edit: 'Edit',
  delete: 'Delete',
  deleteTitle: 'Delete the message?',
  deleteText: 'Its text is deleted for good. If it has replies, “deleted” stays in its place.',
  wasDeleted: 'The message is deleted.',
  resolve: 'Resolve',
  wasResolved: 'The thread is resolved.',
  reopen: 'Open again',
  wasReopened: 'The thread is open again.',
  messageOf: (name: string): string => `the message of ${name}`,
  own: 'your message',
  people: 'People to mention',
  found: (many: number): string => `${count(many, 'person', 'people')}: choose with the arrow keys and Enter.`,
}
