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
  movedBack: 'Moved back.',
  changedMeanwhile: 'Nothing was moved: the post changed a moment ago. Look at it and try again.',
  keyboardHint: 'Arrow keys move between days; Tab leads to the posts of a day.',
}
