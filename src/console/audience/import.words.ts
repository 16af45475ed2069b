import type { ConversationLine } from '../../interface/audience.ts'
import { common } from '../words.ts'

const { count, list, number } = common

const FIELDS: Record<keyof ConversationLine, string> = {
  conversationId: 'Conversation id',
  cuid: 'Person id',
  userName: 'User name',
  firstName: 'First name',
  lastName: 'Last name',
  profilePic: 'Picture (address)',
  birthday: 'Birthday',
  lastPurchaseTimestamp: 'Last purchase',
  lastUserMessageTimestamp: 'Last message',
  lastAppOpenTimestamp: 'Last app open',
  lifetimeValue: 'Lifetime value',
  lifetimeValueAt: 'Time of the lifetime value',
  vip: 'VIP',
}

export const words = {
  title: 'Import people from a CSV',
  file: 'CSV file',
  hint: (channel: string): string =>
    `With a first line that names the columns. Its people are added to ${channel}, or changed there.`,
  empty: 'The file has no first line that names the columns.',
  preview: 'The first rows of the file',
  fields: FIELDS,
  fieldOf: (column: string): string => `What ${column} is`,
  leftOut: 'Leave out',
  lacking: (fields: string[]): string => `Choose the columns of: ${list(fields)}.`,
  twice: (fields: string[]): string => `Only one column can be: ${list(fields)}.`,
  check: 'Check the file',
  checked: 'The file is checked.',
  sending: 'Sending…',
  finishing: 'The service finishes…',
  stop: 'Stop',
  would: (created: number, changed: number): string =>
    `${count(created, 'person', 'people')} would be new, and ${count(changed, 'person who is here already', 'people who are here already')} would be changed.`,
  import: (many: number): string => `Import ${count(many, 'line')}`,
  imported: (many: number): string => `${count(many, 'line')} imported.`,
  erased: (many: number): string => `${count(many, 'line')} of erased people ${many === 1 ? 'is' : 'are'} left out.`,
  refused: (many: number): string => `${count(many, 'line')} ${many === 1 ? 'is' : 'are'} refused:`,
  refusedLine: (line: number, reason: string): string => `Line ${number(line)}: ${reason}`,
  refusedFile: (name: string): string => `refused-${name.replace(/\.csv$/i, '')}.csv`,
  saveRefused: (many: number): string => `Save ${count(many, 'refused line')} with reasons`,
}
