import { common } from '../words.ts'

const { count, number } = common

const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
]

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
  // Without Intl, whose first use in a page takes longer than the page.
  birthdayIn: (month: number): string => `In ${MONTHS[month - 1]}`,
  birthdayOn: (day: number, month: number, year: number | undefined): string =>
    `${day} ${MONTHS[month - 1] ?? month}${year === undefined ? '' : ` ${year}`}`,
  sort: 'Order',
  sorts: {
    value: 'The highest lifetime value first',
    name: 'By name',
    lastPurchase: 'The latest purchase first',
    lastMessage: 'The latest message first',
    birthday: 'The soonest birthday first',
  },
  segment: 'Segment',
  noSegment: 'No segment',
  unknownSegment: 'A segment that is gone',
  readingSegments: 'Reading…',
  segments: 'Segments',
  importCsv: 'Import CSV',
  shown: (first: number, last: number, total: number, isCapped: boolean): string =>
    `${number(first)}–${number(last)} of ${isCapped ? 'at least ' : ''}${count(total, 'person', 'people')}`,
  sorted: {
    value: '· the highest lifetime value first',
    name: '· by name',
    lastPurchase: '· the latest purchase first',
    lastMessage: '· the latest message first',
    birthday: '· the soonest birthday first, without those whose birthday is not known',
  },
  noneHere: 'No one of the 10,000 people who were looked at: there may be some further on.',
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
  rank: 'Place',
  value: 'Lifetime value',
  valueIn: (currency: string): string => `Lifetime value in ${currency}`,
  money: (value: number): string => {
    const [whole = '0', cents = '00'] = Math.abs(value).toFixed(2).split('.')
    // Larger ones are written as programs do.
    if (!/^\d{1,15}$/.test(whole)) return String(value)
    return `${value < 0 ? '−' : ''}${number(Number(whole))}${cents === '00' ? '' : `.${cents}`}`
  },
  choose: (name: string): string => `Choose ${name}`,
  chooseAll: 'Choose all of this page',
  chosen: (many: number): string => `${count(many, 'person', 'people')} chosen`,
  markChosen: 'Mark as VIPs',
  unmarkChosen: 'Unmark as VIPs',
  chooseNone: 'Choose no one',
  changedTogether: (marked: number, unmarked: number): string =>
    [
      ...(marked > 0 ? [`${count(marked, 'person is a VIP now', 'people are VIPs now')}.`] : []),
      ...(unmarked > 0 ? [`${count(unmarked, 'person is no longer a VIP', 'people are no longer VIPs')}.`] : []),
    ].join(' ') || 'Nothing has changed.',
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
