import type { PostStatus } from '../../interface/post-status.js'
import type { FeedPostRow } from './calendar.store.js'

/** Octets of a line without its line break (RFC 5545, 3.1). */
const LINE_OCTETS_MAX = 75
const DURATION = 'PT15M'
const SUMMARY_CHARS_MAX = 80

/** The status of a post for people, and for the program that shows it (RFC 5545, 3.8.1.11). */
const STATUSES: Readonly<Record<PostStatus, readonly [text: string, status: 'TENTATIVE' | 'CONFIRMED']>> = {
  DRAFT: ['Draft', 'TENTATIVE'],
  WAITING_FOR_APPROVAL: ['Waiting for approval', 'TENTATIVE'],
  REJECTED: ['Returned', 'TENTATIVE'],
  SCHEDULED: ['Scheduled', 'CONFIRMED'],
  PUBLISHING: ['Being published', 'CONFIRMED'],
  PUBLISHED: ['Published', 'CONFIRMED'],
  // Programs hide cancelled events, and people should see these.
  FAILED: ['Failed', 'TENTATIVE'],
}

interface Calendar {
  organizationId: string
  organizationName: string
  /** The address of the console, ending in a slash; undefined if the server does not know it. */
  root: string | undefined
  posts: readonly FeedPostRow[]
}

/** Formats posts as iCalendar (RFC 5545). The same posts produce the same text. */
export function toICalendar({ organizationId, organizationName, root, posts }: Calendar): string {
  const events = posts.flatMap((post) => toEvent(post, organizationId, root))
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Greenroom//Calendar of posts//EN',
    'CALSCALE:GREGORIAN',
    `NAME:${escapeText(organizationName)}`,
    // Programs older than RFC 7986 read these two.
    `X-WR-CALNAME:${escapeText(organizationName)}`,
    'X-PUBLISHED-TTL:PT30M',
    'REFRESH-INTERVAL;VALUE=DURATION:PT30M',
    ...(events.length === 0 ? EMPTY : events),
    'END:VCALENDAR',
  ]
  return lines.map((line) => `${fold(line)}\r\n`).join('')
}

/** A calendar has at least one component (RFC 5545, 3.6). */
const EMPTY = [
  'BEGIN:VTIMEZONE',
  'TZID:UTC',
  'BEGIN:STANDARD',
  'DTSTART:19700101T000000',
  'TZOFFSETFROM:+0000',
  'TZOFFSETTO:+0000',
  'END:STANDARD',
  'END:VTIMEZONE',
]

function toEvent(post: FeedPostRow, organizationId: string, root: string | undefined): string[] {
  const { scheduled_post_id: id, text, channel_names: names } = post
  const [state, status] = STATUSES[post.status]
  const line = (text ?? '')
    .trim()
    .split(/[\r\n]/, 1)[0]!
    .trimEnd()
  const beginning = [...line].slice(0, SUMMARY_CHARS_MAX).join('')
  const channels = (names ?? []).join(', ')
  const url = root && `${root}o/${encodeURIComponent(organizationId)}/posts/${encodeURIComponent(id)}`
  return [
    'BEGIN:VEVENT',
    `UID:${escapeText(`${id}.${organizationId}`)}@greenroom`,
    `DTSTAMP:${toUtc(post.updated_at)}`,
    `CREATED:${toUtc(post.created_at)}`,
    `LAST-MODIFIED:${toUtc(post.updated_at)}`,
    `SEQUENCE:${post.version}`,
    `DTSTART:${toUtc(post.scheduled_for)}`,
    `DURATION:${DURATION}`,
    `SUMMARY:${escapeText([state, beginning].filter(Boolean).join(': '))}`,
    `DESCRIPTION:${escapeText([channels, text ?? ''].filter(Boolean).join('\n\n'))}`,
    `STATUS:${status}`,
    // A post does not block the person's own time.
    'TRANSP:TRANSPARENT',
    ...(url === undefined ? [] : [`URL:${url}`]),
    'END:VEVENT',
  ]
}

/** Formats an instant as `20261201T100000Z`. */
const toUtc = (at: Date): string => `${at.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`

/** Escapes a value of type TEXT: line breaks become `\n`, other control characters are dropped (RFC 5545, 3.3.11). */
const escapeText = (text: string): string =>
  text
    .replaceAll(/\r\n?/g, '\n')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that the format does not have
    .replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '')
    .replaceAll(/[\\;,]/g, '\\$&')
    .replaceAll('\n', '\\n')

/** Folds a long line between characters; each continuation starts with a space (RFC 5545, 3.1). */
function fold(line: string): string {
  const parts: string[] = []
  let part = ''
  let octets = 0
  for (const character of line) {
    const more = Buffer.byteLength(character)
    if (octets + more > LINE_OCTETS_MAX) {
      parts.push(part)
      part = ' '
      octets = 1
    }
    part += character
    octets += more
  }
  return [...parts, part].join('\r\n')
}
