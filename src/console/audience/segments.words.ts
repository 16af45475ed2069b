import { common } from '../words.ts'

const { count } = common

export const words = {
  title: 'Segments',
  hint: 'A segment is a name for people who have something in common. Who is in it follows from its conditions, at every look.',
  none: 'There is no segment yet.',
  add: 'New segment',
  added: 'The segment is saved.',
  edit: 'Edit',
  changed: 'The segment has changed.',
  delete: 'Delete',
  deleted: (name: string): string => `“${name}” is deleted`,
  show: 'Show',
  name: 'Name',
  who: 'Who',
  whos: { any: 'VIPs and others', vip: 'VIPs', others: 'Everyone who is no VIP' },
  valueAbove: 'Lifetime value above',
  noPurchase: 'No purchase for so many days',
  birthday: 'Birthday within so many days, today counted',
  noCondition: 'Fill at least one of the conditions: everyone is in a segment without one.',
  isVip: 'VIPs',
  isNoVip: 'no VIPs',
  isAbove: (value: string): string => `value above ${value}`,
  isQuiet: (days: number): string => `no purchase for ${count(days, 'day')}`,
  isBirthday: (days: number): string => `birthday within ${count(days, 'day')}`,
}
