import type { PostStatus } from '../interface/post-status.ts'
import { makeWording } from './wording.ts'

// These texts are shown by several pages. Each page has its own in a file beside it. The other languages
// have the same in words.pt.ts, words.es.ts and words.de.ts, which a build takes in their place (vite.config.ts).

const { locale, number, list } = makeWording({
  language: 'en',
  separator: ',',
  separated: ['en-GB', 'en-US', 'en-AU', 'en-CA', 'en-IE', 'en-NZ'],
  separatedFrom: 1_000,
})

/** `1 post`, `2 posts`. */
const count = (many: number, one: string, other = `${one}s`): string => `${number(many)} ${many === 1 ? one : other}`

const STATUSES: Record<PostStatus, string> = {
  DRAFT: 'Draft',
  WAITING_FOR_APPROVAL: 'Waiting for approval',
  REJECTED: 'Returned',
  SCHEDULED: 'Scheduled',
  PUBLISHING: 'Publishing',
  PUBLISHED: 'Published',
  FAILED: 'Failed',
}

const FIELDS: Record<string, string> = {
  scheduledFor: 'time',
  media: 'picture or video',
  mediaType: 'picture or video',
  altText: 'description of the picture',
  aiGenerated: 'AI label',
  notes: 'notes',
  caption: 'text',
  superpower: 'superpower',
}

/** The console's texts for error codes, where they can be plainer than the service, which speaks to programs. */
const ERRORS: Record<string, string> = {
  unreachable: 'Greenroom cannot be reached. Check your connection; what you typed is still here.',
  post_changed: 'This post has changed since you saw it. Read it again before you decide.',
  precondition_required: 'This post has not been read yet. Wait a moment and try again.',
  already_published:
    'It is already published on a channel, so its picture or video, text and superpower stay as they were published there.',
  post_not_found: 'There is no such post here: it has been deleted, or it belongs to another organization.',
  database_unavailable: 'Greenroom cannot read or write its data just now. It tries again by itself.',
  stopping: 'Greenroom is being restarted. It tries again by itself.',
  internal: 'Something went wrong on our side.',
  hashtag_conflict: 'A hashtag is in use already. Choose another one, or stop the superpower of the post that has it.',
  channel_in_use: 'Posts are about to be published there. Revert or delete them first, or let them fail.',
  media_refused: 'This file is not a JPEG, PNG, MP4 or QuickTime file. Export it as one of these.',
  superpower_unknown: 'This saved superpower is no longer there. Choose another one, or write one.',
  platform_refused: 'The platform refuses the access token. Connect the account with a new one.',
  platform_failed: 'The platform did not answer as it should. Try again in a while.',
  platform_rate_limited: 'The platform accepts no more calls for now.',
  platform_timeout: 'The platform did not answer in time. Try again, or choose a shorter period.',
  ad_platform_not_connected: 'This ad account has no access token. Connect it first.',
  window_too_heavy: 'This period is too long for the platform. Choose a shorter one.',
  window_too_old: 'The platform keeps figures for 37 months. Choose a later period.',
  too_many_insights: 'Your organization has read many insights just now.',
}

export const common = {
  locale,
  count,
  list,
  number,
  name: 'Greenroom',
  titleOf: (page: string, unread: number): string => `${unread === 0 ? '' : `(${number(unread)}) `}${page} · Greenroom`,
  loading: 'Loading…',
  hashtagInUse: (hashtag: string, channel: string): string => `${hashtag} is in use on ${channel} by`,
  loseTyped: 'What you typed is not saved, and signing out deletes it. Sign out all the same?',
  anotherPost: 'another post',
  pressEnter: 'Press Enter to continue.',
  tryAgain: 'Try again',
  undo: 'Undo',
  close: 'Close',
  cancel: 'Cancel',
  save: 'Save',
  status: STATUSES,
  field: (name: string): string => FIELDS[name] ?? name,
  error: (code: string, message: string): string =>
    ERRORS[code] ?? (message === '' ? 'That did not work. Try again.' : message),
  requestId: (id: string): string => `Quote ${id} when you report it.`,
  retryAfter: (seconds: number): string => `Try again in ${count(seconds, 'second')}.`,
  channelType: (type: string): string =>
    ({ FB_PAGE: 'Facebook page', INSTAGRAM_ACCOUNT: 'Instagram account' })[type] ?? type,
  copy: 'Copy',
  copied: 'Copied.',
  copyYourself: 'The text is selected: copy it with the keyboard.',
  haveIt: 'I have it',
  noLines: 'The file has no lines below its first one.',
  readAs: (text: string, as: string): string => `${text} was read as ${as}.`,
}
