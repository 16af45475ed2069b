import { common } from '../words.ts'

const { count, number } = common

export const words = {
  title: 'Calendar',
  view: 'View',
  views: { month: 'Month', week: 'Week', list: 'List' },
  before: (isWeek: boolean): string => (isWeek ? 'Previous week' : 'Previous month'),
  after: (isWeek: boolean): string => (isWeek ? 'Next week' : 'Next month'),
  today: 'Today',
  week: (first: string, last: string): string => `${first} – ${last}`,
  channel: 'Channel',
  allChannels: 'All channels',
  status: 'Status',
  allStatuses: 'All statuses',
  zone: (zone: string): string => `All times are in ${zone}.`,
  day: (day: string, many: number): string => (many === 0 ? day : `${day}, ${count(many, 'post')}`),
  moreOnDay: (many: number): string => `${number(many)} more`,
  empty: 'No posts here. Choose another month, or other filters.',
  move: 'Move',
  moveOne: (name: string): string => `Move “${name}”`,
  moveTitle: 'Move the post',
  moved: (time: string): string => `Moved to ${time}.`,
  movedMany: (many: number): string => `${count(many, 'post')} moved.`,
  movedBack: 'Moved back.',
  changedMeanwhile: 'Nothing was moved: the post changed a moment ago. Look at it and try again.',
  changed: 'it changed a moment ago',
  timePast: 'that time has passed',
  timeNever: 'the clock leaps over that time there',
  timeTwice: 'the clock shows that time twice there: move it by itself',
  refusedOne: (name: string, reason: string): string => `“${name}”: ${reason.replace(/\.$/, '')}`,
  notMoved: (refused: readonly string[]): string =>
    `${count(refused.length, 'post')} not moved. ${refused.join('; ')}.`,
  notMovedBack: (refused: readonly string[]): string =>
    `${count(refused.length, 'post')} not moved back. ${refused.join('; ')}.`,
  keyboardHint:
    'Arrow keys move between days; Tab leads to the posts of a day. C, or Enter on an empty day, begins a post; M moves one, and X marks it.',
  newOn: (day: string): string => `New post on ${day}`,
  newAtSlot: 'New post at',
  planOne: (name: string): string => `Plan “${name}”`,
  plan: 'Plan…',
  planTitle: 'Plan the post',
  planSubmit: 'Plan',
  tray: 'Without a time',
  trayHint: 'Drag one onto a day, or plan it. A draft that is dropped here is taken out of the calendar.',
  trayEmpty: 'Every post has a time. A draft that is dropped here is taken out of the calendar.',
  takeOut: 'Take it out of the calendar',
  takenOut: (name: string): string => `“${name}” has no time now.`,
  takeOutRefused: (status: string): string =>
    `Only a draft or a returned post can be without a time. The status of this one: ${status}.`,
  video: 'Video',
  crowded: 'Less than an hour from another post on the channel',
  selectOne: (name: string): string => `Select “${name}”`,
  selection: 'Selected posts',
  selected: (many: number): string => `${count(many, 'post')} selected.`,
  shiftBy: (days: number): string =>
    ({ '-7': 'A week earlier', '-1': 'A day earlier', '1': 'A day later', '7': 'A week later' })[days] ?? '',
  shiftDays: 'Days',
  shift: 'Move by these days',
  clearSelection: 'Clear',
  search: 'Search in texts and notes',
  found: (many: number, max: number): string =>
    many < max
      ? `${count(many, 'post')} found, at any time.`
      : `The first ${count(many, 'post')} that were found, at any time.`,
  foundNone: 'No post has this in its text or notes.',
  tools: 'More',
  feed: 'Show in my calendar program…',
  slots: 'Posting slots…',
}
