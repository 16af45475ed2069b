import type { InboxKind } from '../../interface/inbox.ts'
import { common } from '../words.ts'

const { count, number } = common

const SAID: Record<InboxKind, (who: string) => string> = {
  returned: (who) => `${who} returned your post`,
  approved: (who) => `${who} approved your post`,
  failed: () => 'Your post was not published on every channel',
  published: () => 'Your post was published',
  mentioned: (who) => `${who} mentioned you in the discussion of a post`,
  replied: (who) => `${who} wrote in the discussion of a post`,
}

export const words = {
  title: 'Inbox',
  waiting: 'Waits for you',
  waitingMany: (many: number, isMore: boolean): string =>
    isMore
      ? `${number(many)} or more posts wait for your decision.`
      : `${count(many, 'post')} ${many === 1 ? 'waits' : 'wait'} for your decision.`,
  nothingWaits: 'No post waits for your decision.',
  othersWait: 'No post waits for your decision. Those that wait are yours: another person must approve them.',
  toApprovals: 'Go to Approvals',
  news: 'News about your posts',
  filter: 'Show',
  all: 'All',
  unread: 'Unread',
  said: (kind: InboxKind, who: string): string => SAID[kind](who),
  isUnread: 'Unread',
  reason: (channel: string, reason: string): string => `${channel}: ${reason}`,
  noText: '(no text)',
  markRead: 'Mark as read',
  markUnread: 'Mark as unread',
  allRead: 'Mark all as read',
  marked: (many: number): string => `${count(many, 'entry', 'entries')} marked as read.`,
  more: (many: number): string => `Show ${number(many)} more`,
  changed: (many: number): string => `${count(many, 'entry has', 'entries have')} changed: show`,
  emptyTitle: 'No news yet',
  empty: 'When one of your posts is returned, approved, published or fails, it is said here, with the reason.',
  emptyUnread: 'You have read everything.',
}
