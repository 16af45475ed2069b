import { common } from '../words.ts'

const { count, number } = common

export const words = {
  title: 'Audience',
  noWorkspaceTitle: 'There is no VIP workspace yet',
  noWorkspace: 'An administrator creates one and connects channels to it.',
  noChannelTitle: 'No channel is connected to this workspace',
  noChannel: 'An administrator connects one.',
  workspace: 'Workspace',
  channel: 'Channel',
  scope: 'Who',
  scopeVip: 'VIPs',
  scopeAll: 'Everyone',
  birthday: 'Birthday',
  birthdayAny: 'Any, or unknown',
  birthdayKnown: 'Known',
  birthdaySoon: (days: number): string => `In the next ${count(days, 'day')}`,
  birthdayIn: (month: string): string => `In ${month}`,
  shown: (first: number, last: number, total: number, isCapped: boolean): string =>
    `${number(first)}–${number(last)} of ${isCapped ? 'at least ' : ''}${count(total, 'person', 'people')}`,
  sorted: '· the highest lifetime value first',
  sortedByDay: '· the soonest birthday first',
  changed: (many: number): string => `${number(many)} ${many === 1 ? 'has' : 'have'} changed: show`,
  nobody: 'No one',
  capped:
    'This channel has more than 25,000 conversations: only the 25,000 with the highest lifetime value are searched, so there may be more people than are counted here.',
  csv: 'Export CSV',
  csvProgress: 'Reading…',
  saved: (rows: number, isCapped: boolean): string =>
    `${count(rows, 'person', 'people')} exported as CSV${isCapped ? ': those with the highest lifetime value. There are more' : ''}.`,
  fileName: (channel: string, isAll: boolean, day: string): string =>
    `${isAll ? 'audience' : 'vips'}-${channel.replaceAll(/[^\p{L}\p{N}]+/gu, '-')}-${day}.csv`,
  caption: (channel: string): string => `People of ${channel}`,
  person: 'Person',
  lastPurchase: 'Last purchase',
  lastMessage: 'Last message',
  lastOpen: 'Last app open',
  vip: 'VIP',
  vipOf: (name: string): string => `${name} is a VIP`,
  marked: (name: string): string => `${name} is a VIP now.`,
  unmarked: (name: string): string => `${name} is no longer a VIP.`,
  emptyTitle: 'No people found',
  empty: (isAll: boolean): string =>
    isAll ? 'Choose another birthday or channel.' : 'Choose “Everyone” and mark people as VIPs with the star.',
  firstPage: 'Go to the first page',
  pages: 'Pages',
  before: 'Previous',
  next: 'Next',
}
