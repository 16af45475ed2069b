import type { AutomationMode } from '../../interface/automation.ts'
import type { OptOut } from '../../interface/generated/types.ts'

const modes: Record<AutomationMode, string> = {
  off: 'Off: nothing is done',
  shadow: 'Dry run: decide and write down, send nothing',
  on: 'On: answer comments',
}
const states: Record<AutomationMode, string> = {
  off: 'Superpowers are off',
  shadow: 'Superpowers run dry',
  on: 'Superpowers are on',
}

const sources: Record<OptOut['source'], string> = {
  comment: 'Said stop in a comment',
  message: 'Said stop in a message',
  hand: 'Added by hand',
}

export const words = {
  superpowers: 'Superpowers',
  superpowersOf: (name: string): string => `Superpowers on ${name}`,
  superpowersText:
    'Comments from before the switch are left alone. If the platform stopped the channel, saving starts it again.',
  modes,
  state: (mode: AutomationMode): string => states[mode],
  notice: 'Notice',
  noticeHint: 'Stands at the start of every automatic private reply, such as: This is an automatic message.',
  perHour: 'Private replies an hour, at most',
  changed: 'Superpowers are changed',
  stopped: (why: string): string => `The platform stopped superpowers here: ${why}`,
  subscription: {
    PENDING: 'Messages and comments are being subscribed to',
    SUBSCRIBED: 'Messages and comments arrive',
  },
  newestComment: (at: string): string => `Newest comment ${at}`,
  commentsRead: (at: string): string => `Comments last read ${at}`,
  optOuts: 'Opted out',
  optOutsOf: (name: string): string => `Opted out on ${name}`,
  optOutsText: 'Superpowers send these people nothing here. A comment or message that says STOP adds its author.',
  optOutSource: sources,
  fromId: 'Person',
  fromIdHint: 'The id of the person on the platform, as the comments and messages have it.',
  addOptOut: 'Add',
  optOutAdded: (id: string): string => `${id} gets no automatic messages any more`,
  removeOptOut: 'Allow again',
  optOutRemoved: (id: string): string => `${id} can get automatic messages again`,
  noOptOuts: 'No one has opted out',
  noOptOutsText: 'Superpowers answer everyone who comments.',
  moreOptOuts: 'Show more',
  refused: (problem: string): string => `Messages and comments do not arrive: ${problem}`,
  logins: { facebook: 'Connected by Facebook login.', instagram: 'Connected by Instagram login.' },
  permissionsUnknown: 'The platform does not list its permissions.',
  lacks: (permission: string, what: string): string => `Its token lacks ${permission}. This does not work: ${what}.`,
  neededFor: { comments: 'comments', likes: 'likes', messages: 'private messages', webhooks: 'deliveries' },
}
